"""How late the load driver's open loop is, beside a bare timer loop, at half of what it reaches in a closed one.

`bench/run load_open_loop`, or with the number of rounds. Against nginx: the rate beside the one that was asked for
(within 0.1 %), and the 99th percentile of lateness over the timer's in the same round (at most 2), medians over rounds.
"""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from open_loop import p99_us, scheduled
from rivals import BODY, CLIENTS, SECONDS, driver, nginx, ours, processors


def main() -> None:
    """Prints a round a line, and the medians."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as name, nginx() as port, driver() as one:
        folder = Path(name)
        timer = folder / "bare_timer"
        source = Path(__file__).with_name("bare_timer.c")
        subprocess.run(["cc", "-O2", "-o", timer, source], check=True)  # noqa: S607 - the compiler that is there
        one.connect("load/http1", f"http://127.0.0.1:{port}/", CLIENTS, options={"expect_body": BODY})
        rate = ours(one).rate / 2
        count = int(rate * SECONDS)
        file = scheduled(folder, rate, min(count, 2**20))
        ratios, missed = [], []
        for _ in range(rounds):
            done = one.drive("Hello", {}, calls=1, seconds=SECONDS, schedule=file)
            argv = ["taskset", "-c", str(processors()[0]), str(timer), str(round(1e9 / rate)), str(count)]
            bare_us = int(subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()[1]) / 1e3
            own_us = p99_us(done["lateness"])
            ratios.append(own_us / bare_us)
            missed.append(done["calls"] / done["elapsed_ns"] * 1e9 / rate - 1)
            print(f"  {rate:,.0f}/s: {missed[-1]:+.3%}; p99 of lateness {own_us:.1f} us, bare {bare_us:.1f} us")
        print(
            f"rate off by {statistics.median(missed):+.3%}, lateness {statistics.median(ratios):.2f} times the timer's"
        )


if __name__ == "__main__":
    main()
