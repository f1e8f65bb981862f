"""Holds the engine's channels against the plainest C program of the same channel and the same way of waiting.

Both pairs of client and server are alive and driven in turn, in short slices in random order, so that a machine that
drifts meets both alike. Clients run on one processor, servers on another. Prints the median of the paired ratios (time
of a call, engine over C) with a 95 % interval from the sign test. `python bench/channels/run.py --help`.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import signal
import statistics
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ENGINE = ROOT / "engine"
BUILD = ROOT / "bench" / "build"
CHANNELS = ("shm", "shm-spin", "mqueue", "pipe", "unix", "tcp", "supertcp", "supertcp acknowledge=false")
# Where the plain program calls it otherwise.
PLAIN = {"supertcp": "tcp"}
SIZES = (16, 32768)
TARGET = 1.15
WARM_UP = 10


@dataclass
class Pair:
    """A client that calls on request, and its server."""

    command: list[str]
    process: subprocess.Popen[str] = field(init=False)
    server: int = field(init=False)

    def __post_init__(self) -> None:
        """Starts both and gives each side its processor."""
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        ready, client, server = self.answer()
        if ready != "ready":
            raise RuntimeError(f"{self.command[0]} did not start")
        self.server = int(server)
        pin(int(client), 0)
        pin(self.server, 1)

    def answer(self) -> list[str]:
        """Reads the next line's words."""
        if self.process.stdout is None:
            raise RuntimeError("the client has no stdout")
        words = self.process.stdout.readline().split()
        if not words:
            raise RuntimeError(f"{' '.join(self.command)} ended")
        return words

    def slice(self, nanoseconds: int) -> float:
        """Calls for so long and returns the nanoseconds of a call."""
        if self.process.stdin is None:
            raise RuntimeError("the client has no stdin")
        # A server that spins would take the other's processor: each is stopped while it is not driven.
        os.kill(self.server, signal.SIGCONT)
        self.process.stdin.write(f"go {nanoseconds}\n")
        self.process.stdin.flush()
        calls, elapsed = self.answer()
        os.kill(self.server, signal.SIGSTOP)
        return int(elapsed) / int(calls)

    def stop(self) -> None:
        """Ends both."""
        os.kill(self.server, signal.SIGCONT)
        self.process.communicate(timeout=30)


def pin(process: int, processor: int) -> None:
    """Gives every thread of a process one processor."""
    for thread in Path(f"/proc/{process}/task").iterdir():
        os.sched_setaffinity(int(thread.name), {processor})


def build() -> tuple[Path, Path]:
    """Compiles both programs and returns where they are."""
    BUILD.mkdir(parents=True, exist_ok=True)
    plain = BUILD / "plain_echo"
    source = HERE / "plain_echo.c"
    compiler = ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", str(plain), str(source)]
    subprocess.run(compiler, check=True)
    cargo = ["cargo", "build", "--release", "-p", "callbench-transport", "--example", "channel_echo"]
    subprocess.run(cargo, cwd=ENGINE, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ENGINE / "target"))
    return plain, target / "release" / "examples" / "channel_echo"


def interval(ratios: list[float]) -> tuple[float, float]:
    """Returns the 95 % interval of the median by the sign test, exact whatever the distribution."""
    ratios = sorted(ratios)
    count = len(ratios)
    below, rank = 0.0, 0
    while rank < count // 2 and below + math.comb(count, rank) / 2**count <= 0.025:
        below += math.comb(count, rank) / 2**count
        rank += 1
    return ratios[max(rank - 1, 0)], ratios[count - max(rank, 1)]


def compare(plain: list[str], engine: list[str], slices: int, length: int) -> tuple[list[float], float, float]:
    """Drives both in turn and returns the paired ratios and both medians."""
    pairs = [Pair(plain), Pair(engine)]
    times: list[tuple[float, float]] = []
    for number in range(WARM_UP + slices):
        order = [0, 1]
        random.shuffle(order)
        took = {which: pairs[which].slice(length) for which in order}
        if number >= WARM_UP:
            times.append((took[0], took[1]))
    for pair in pairs:
        pair.stop()
    ratios = [theirs / ours for ours, theirs in times]
    return ratios, statistics.median(it[0] for it in times), statistics.median(it[1] for it in times)


def main() -> None:
    """Measures what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("channels", nargs="*", default=list(CHANNELS), help=f"of {', '.join(CHANNELS)}")
    parser.add_argument("--slices", type=int, default=150, help="slices of each pair (default 150)")
    parser.add_argument("--milliseconds", type=int, default=20, help="length of a slice (default 20)")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="bytes of a message")
    parser.add_argument("--engine", type=Path, help="an engine's program built before; nothing is built then")
    chosen = parser.parse_args()
    plain, engine = (BUILD / "plain_echo", chosen.engine) if chosen.engine else build()
    print(f"{'channel':<22} {'bytes':>6} {'C us':>9} {'engine us':>9} {'ratio':>6}  95 % interval")
    for channel in chosen.channels:
        for size in chosen.sizes:
            name, *options = channel.split()
            ratios, theirs, ours = compare(
                [str(plain), PLAIN.get(name, name), str(size)],
                [str(engine), name, str(size), *options],
                chosen.slices,
                chosen.milliseconds * 1_000_000,
            )
            middle, (low, high) = statistics.median(ratios), interval(ratios)
            verdict = "" if middle <= TARGET else f"  beyond {TARGET}"
            print(
                f"{channel:<22} {size:>6} {theirs / 1000:>9.3f} {ours / 1000:>9.3f} {middle:>6.3f}"
                f"  {low:.3f} .. {high:.3f}{verdict}",
                flush=True,
            )


if __name__ == "__main__":
    main()
