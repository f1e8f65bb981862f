"""How late the open loop of the native kit is, beside a bare timer loop; and a stall that only it sees.

`python bench/open_loop.py [ROUNDS]`: at half of what four clients of native/bin+supertcp reach in a closed loop, open
loop and bare timer in turn, on the same processors. Then one connection at 500 calls a second to a server that takes
1 ms and stands still for 200 ms once a second: raw and corrected 99th percentile. Medians over the rounds.
"""

import functools
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from callbench.adapter import placement
from callbench.adapter.contract import Done, Histogram
from callbench.adapter.session import Adapter
from callbench.adapter.stack.sides import Sides
from callbench.catalog import catalogue
from callbench.stats.estimate.histogram import Buckets
from callbench.stats.load.arrivals import constant

STACK = "native/bin+supertcp"
SUM = {"a": 1, "b": 2}
CLIENTS = 4
SECONDS = 2.0
STALLS = {"delay_us": 1_000, "stall_us": 200_000, "stall_every_us": 1_000_000}


def main() -> None:
    """Prints both."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    known, where = catalogue.load(), placement.choose_placement()
    stack = known.stack(STACK)
    manifest = known.adapter(stack.adapter).manifest
    with tempfile.TemporaryDirectory() as name, Sides(manifest.both, where, in_process=False) as sides:
        folder = Path(name)
        timer = folder / "bare_timer"
        source = Path(__file__).with_name("bare_timer.c")
        subprocess.run(["cc", "-O2", "-o", timer, source], check=True)  # noqa: S607 - the compiler that is there
        rate = half_of_closed(sides, STACK)
        lateness(sides.client, STACK, (rate, rounds), functools.partial(bare_by, [timer], where.client), folder)
        sides.server.stop_serving()
        sides.client.connect(STACK, sides.server.serve(STACK, options=STALLS), 1)
        stalls(sides.client, folder)


def beside(stack: str, timer: Sequence[str | Path], rounds: int, warm_up_s: float = 0.0) -> None:
    """Prints how late the open loop of a stack is at half of its closed rate, beside a bare timer in its language.

    Args:
        stack: of the kit.
        timer: a program that is given nanoseconds between two moments, and how many.
        rounds: of both in turn.
        warm_up_s: how long the stack is called before, where a runtime compiles what runs often.
    """
    known, where = catalogue.load(), placement.choose_placement()
    manifest = known.adapter(stack.partition("/")[0]).manifest
    with tempfile.TemporaryDirectory() as name, Sides(manifest.both, where, in_process=False) as sides:
        rate = half_of_closed(sides, stack, warm_up_s)
        lateness(sides.client, stack, (rate, rounds), functools.partial(bare_by, timer, where.client), Path(name))


def half_of_closed(sides: Sides, stack: str, warm_up_s: float = 0.0) -> float:
    """Serves and connects the stack; half of the rate that its clients reach in a closed loop, in calls a second."""
    sides.client.connect(stack, sides.server.serve(stack), CLIENTS)
    if warm_up_s:
        sides.client.drive("Sum", SUM, calls=1, seconds=warm_up_s)
    closed = sides.client.drive("Sum", SUM, calls=1000, seconds=SECONDS)
    return closed["calls"] / (closed["elapsed_ns"] / 1e9) / 2


def bare_by(timer: Sequence[str | Path], processors: tuple[int, ...], gap_ns: int, count: int) -> tuple[float, float]:
    """A program's bare timer loop: 99th percentile of its lateness, and its processor time, in ns."""
    said = subprocess.run(
        [*timer, str(gap_ns), str(count)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, processors),
    )
    _, p99, _, used = (float(word) for word in said.stdout.split())
    return p99, used


def lateness(
    client: Adapter,
    stack: str,
    wanted: tuple[float, int],
    bare_timer: Callable[[int, int], tuple[float, float]],
    folder: Path,
) -> None:
    """Prints a round a line: 99th percentiles of lateness in us, and processor time as a share of one processor.

    Args:
        client: connected.
        stack: what it calls.
        wanted: calls a second, and how many rounds.
        bare_timer: waits that often, with so many ns in between; returns the p99 of its lateness and its processor
            time.
        folder: for the schedule.
    """
    rate, rounds = wanted
    count = int(rate * SECONDS)
    file = scheduled(folder, rate, min(count, 2**20))
    print(f"{stack}, {CLIENTS} clients, {rate:,.0f} calls/s, half of a closed loop's; p99 of lateness")
    ratios = []
    for _ in range(rounds):
        done = client.drive("Sum", SUM, calls=1, seconds=SECONDS, schedule=file)
        own_us = p99_us(done["lateness"])
        bare, used = bare_timer(round(1e9 / rate), count)
        ratios.append(own_us / (bare / 1e3))
        print(
            f"  kit {own_us:8.1f} us, {share(done):4.0%} of a processor (with its calls);"
            f" bare {bare / 1e3:8.1f} us, {used / 1e9 / SECONDS:4.0%}; ratio {ratios[-1]:.2f}"
        )
    print(f"  median ratio {statistics.median(ratios):.2f}")


def stalls(client: Adapter, folder: Path) -> None:
    """Prints raw and corrected."""
    done = client.drive("Sum", SUM, calls=1, seconds=5, limit_seconds=60, schedule=scheduled(folder, 500.0, 2500))
    raw, corrected, late = (p99_us(done[name]) / 1e3 for name in ("service", "latency", "lateness"))
    print("one connection, 500 calls/s, 1 ms a call, 200 ms of standing still a second:")
    print(f"  p99 raw {raw:.1f} ms, corrected {corrected:.1f} ms, lateness {late:.2f} ms")


def scheduled(folder: Path, rate: float, count: int) -> Path:
    """Writes constant arrivals."""
    file = folder / f"{rate:.0f}.gaps"
    file.write_bytes(constant(rate, count).astype("<u8").tobytes())
    return file


def p99_us(histogram: Histogram | None) -> float:
    """The 99th percentile."""
    if histogram is None:
        raise SystemExit("a drive of an open loop gave no histogram")
    return Buckets.of(dict(histogram["buckets"])).percentiles([0.99])[0] / 1e3


def share(done: Done) -> float:
    """Processor time of the client over the time that passed."""
    ends = done["processor"]
    used = sum(int(ends["end"][part]) - int(ends["start"][part]) for part in ("user_ns", "system_ns"))
    return used / done["elapsed_ns"]


if __name__ == "__main__":
    main()
