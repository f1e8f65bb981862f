"""Comparisons whose answer is known: a server made 5 % slower is found, the same program beside itself is not.

`python bench/compare_known.py [slower] [same] [natives] [--busy 2]`, all three unless named. `--busy` starts burners of
its own and ends them. It prints what was found, how often, and how narrow the intervals were.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import multiprocessing
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from callbench import catalogue
from callbench.compare import comparison, live
from callbench.stats.decision import Decision, Outcome
from callbench.store import Run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callbench.compare.comparison import Comparison

STACK = "native/json+tcp"
CALL = "GetPersons:n=250"
PARTS = ("slower", "same", "natives")
SLOWER = 0.05
_DIFFERENT = (Decision.BETTER, Decision.WORSE)


def compared(a: str, b: str, call: str, seconds: float, rounds: int) -> Comparison:
    """Compare once, in a folder that is gone afterwards."""
    wish = live.Wish(a, b, (call,), seconds=seconds, rounds=rounds)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
        out = Path(folder) / "compared"
        live.compared(live.Wish(**{**wish.__dict__, "out": out}), catalogue.load())
        return comparison.read(Run(out))


def width(found: Comparison) -> float:
    """Give half of the interval of a comparison's one cell, as a share."""
    ratio = found.cells[0].ratio
    return math.nan if ratio is None or ratio.half_width is None else ratio.half_width


def slower(repeats: int, seconds: float, rounds: int) -> None:
    """Find a server that burns 5 % of the call's time more in each call.

    A call of a busy machine takes longer than its own time, so the fastest of three looks says what 5 % of it is.
    """
    looks = [compared(STACK, STACK, CALL, 1.0, 2).cells[0].values[0] for _ in range(3)]
    first = max(look for look in looks if look)
    burn_us = max(1, round(SLOWER * 1e6 / first))
    made = [compared(STACK, f"{STACK}?burn_us={burn_us}", CALL, seconds, rounds) for _ in range(repeats)]
    verdicts = [one.cells[0].verdict for one in made]
    ratios = [one.cells[0].ratio.middle for one in made if one.cells[0].ratio]
    print(
        f"slower: a call of {1e6 / first:.0f} us burns {burn_us} us more, a ratio of"
        f" {1 / (1 + burn_us * first / 1e6):.3f}:"
        f" found in {verdicts.count(Decision.WORSE)} of {repeats}, taken for better in"
        f" {verdicts.count(Decision.BETTER)}; median ratio {statistics.median(ratios):.3f}, median interval"
        f" +/- {statistics.median(map(width, made)) * 100:.1f} %, {seconds:g} s of calls in {rounds} rounds",
        flush=True,
    )


def same(repeats: int, seconds: float, rounds: int) -> int:
    """Hold a stack against itself, again and again. Returns how often it was told apart."""
    made = [compared(STACK, STACK, "Sum", seconds, rounds) for _ in range(repeats)]
    verdicts = [one.cells[0].verdict for one in made]
    wolves = sum(one in _DIFFERENT for one in verdicts)
    print(
        f"same: told apart in {wolves} of {repeats} at a level of 1 %, regressions beyond 2 %:"
        f" {sum(one.outcome is Outcome.FAILED for one in made)}; median interval"
        f" +/- {statistics.median(map(width, made)) * 100:.1f} %, {seconds:g} s of calls in {rounds} rounds",
        flush=True,
    )
    return wolves


def natives(seconds: float, rounds: int) -> int:
    """Hold every native stack against itself. Returns how many were told apart."""
    made = compared("native", "native", "Sum", seconds, rounds)
    told = [one for one in made.cells if one.verdict in _DIFFERENT]
    flagged = ", ".join(f"{one.figures.stacks[0]} {one.ratio.middle:.3f}" for one in told if one.ratio) or "none"
    missing = "".join(f"; {one.figures.stacks[0]}: {one.why}" for one in made.missing)
    print(
        f"natives: {len(told)} of {len(made.cells)} metrics of stacks told apart from themselves: {flagged}{missing}",
        flush=True,
    )
    return len(told)


def burn() -> None:
    """Take a processor."""
    while True:
        pass


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """Keep so many processors busy meanwhile."""
    burners = [multiprocessing.Process(target=burn, daemon=True) for _ in range(count)]
    for one in burners:
        one.start()
    try:
        yield
    finally:
        for one in burners:
            one.kill()
            one.join()


def main() -> int:
    """Measure what the command line names; 1 where the same was told apart too often."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=f"of {', '.join(PARTS)}")
    parser.add_argument("--count", type=int, default=100, help="comparisons of the same (default 100)")
    parser.add_argument("--repeats", type=int, default=20, help="comparisons with the slower one (default 20)")
    parser.add_argument("--seconds", type=float, default=5.0, help="of calls a cell (default 5)")
    parser.add_argument("--rounds", type=int, default=10, help="how often both start afresh (default 10)")
    parser.add_argument("--busy", type=int, default=0, help="burners beside it (default none)")
    asked = parser.parse_args()
    began, wrong = time.monotonic(), False
    with busy(asked.busy):
        if "slower" in asked.parts:
            slower(asked.repeats, asked.seconds, asked.rounds)
        if "same" in asked.parts:
            wrong |= same(asked.count, asked.seconds, asked.rounds) > max(1, 4 * asked.count // 100)
        if "natives" in asked.parts:
            wrong |= natives(asked.seconds, asked.rounds) > 2
    print(f"{time.monotonic() - began:.0f} s, {asked.busy} burners beside it")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
