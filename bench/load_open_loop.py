"""How late the load driver's open loop is beside bare loops in C, at half of what a closed loop reaches and at a 20th.

`bench/run load_open_loop`, or with the number of rounds. Against nginx, alternately on the client's processor: the load
driver; a timer that sleeps; a timer that spins for the last 60 us; a caller that makes the same system calls to the
same server and ignores what it reads. The rate is compared with the requested one (within 0.1 %), and the 99th
percentile of lateness with each of theirs in the same round (at most 2), as medians over rounds. Writing to a sleeping
server wakes another processor. No loop of one thread can be punctual during that time, and the caller shows how long it
is.
"""

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from open_loop import p99_us, scheduled
from rivals import BODY, CLIENTS, SECONDS, driver, nginx, ours, processors

from callbench.adapter.session import Adapter

PARTS = {"half": 2, "a 20th": 20}


def main() -> None:
    """Prints a round a line, and the medians."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as name, nginx() as port, driver() as adapter:
        folder = Path(name)
        timer, caller = (built(folder, program) for program in ("bare_timer", "bare_caller"))
        adapter.connect("load/http1", f"http://127.0.0.1:{port}/", CLIENTS, options={"expect_body": BODY})
        capacity = ours(adapter).rate
        for part, over in PARTS.items():
            rate = capacity / over
            words = [str(round(1e9 / rate)), str(int(rate * SECONDS))]
            bare = {
                "timer asleep": [timer, *words, "0"],
                "timer spinning": [timer, *words],
                "caller": [caller, str(port), str(CLIENTS), *words],
            }
            print(f"{part} of {capacity:,.0f} calls/s: 99th percentiles of lateness, us")
            beside(adapter, bare, rate, rounds, folder)


def beside(adapter: Adapter, bare: Mapping[str, list[str]], rate: float, rounds: int, folder: Path) -> None:
    """Prints our lateness beside each of the bare loops'."""
    file = scheduled(folder, rate, min(int(rate * SECONDS), 2**20))
    missed: list[float] = []
    ratios: dict[str, list[float]] = {name: [] for name in bare}
    for _ in range(rounds):
        done = adapter.drive("Hello", {}, calls=1, seconds=SECONDS, schedule=file)
        own_us = p99_us(done["lateness"])
        missed.append(done["calls"] / done["elapsed_ns"] * 1e9 / rate - 1)
        said = {name: [int(word) / 1e3 for word in alone(argv)] for name, argv in bare.items()}
        for name, figures in said.items():
            ratios[name].append(own_us / figures[1])
        told = (f"{name} {figures[1]:.2f}" for name, figures in said.items())
        *_, typical, _, longest = said["caller"]
        print(f"  ours {own_us:.2f}, rate {missed[-1]:+.3%}; {', '.join(told)}", end="; ")
        print(f"its writes took {typical:.1f}, one in a hundred {longest:.1f}")
    told = (f"{statistics.median(those):.2f} times the {name}'s" for name, those in ratios.items())
    print(f"rate off by {statistics.median(missed):+.3%}, lateness {', '.join(told)}")


def alone(argv: list[str]) -> list[str]:
    """What a program prints on the client's processor, word by word."""
    placed = ["taskset", "-c", str(processors()[0]), *argv]
    return subprocess.run(placed, capture_output=True, text=True, check=True).stdout.split()


def built(folder: Path, name: str) -> str:
    """The program of this source, beside this file."""
    made = folder / name
    source = Path(__file__).with_name(f"{name}.c")
    subprocess.run(["cc", "-O2", "-o", made, source], check=True)  # noqa: S607 - the compiler that is there
    return str(made)


if __name__ == "__main__":
    main()
