"""Comparisons whose answer is known: a server made 5 % slower is found, the same program beside itself is not.

`python bench/compare_known.py [slower] [same] [natives] [--busy 2]`, by default all three. `--busy` starts burners and
ends them. It prints goals, results, and the widths of the intervals.

The slower server burns 5 % of the processor time that a call takes on both sides: where one client calls again when it
is answered, the sides take turns, and that is the call's time but for what processors take to wake up.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from callbench.adapter import placement
from callbench.adapter.network.host import LOOPBACK_HOSTS
from callbench.analysis.compare.comparison import RuleOptions
from callbench.catalog import catalogue
from callbench.cli.recorded.command import Ending
from callbench.cli.recorded.compare import CompareCommand
from callbench.runner.compare import tasks
from callbench.runner.compare.execution import ComparisonRequest
from callbench.runner.drive.rounds import run_slice
from callbench.runner.drive.slices import length_of
from callbench.runner.drive.tasks import SlicePlan
from callbench.runner.drive.unit import Unit, UnitRequest
from callbench.stats.decide.decision import Decision, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callbench.analysis.compare.comparison import Comparison

STACK = "native/json+supertcp"
# A call of some length, and a small one.
CALLS = ("GetPersons:n=250", "Sum")
PARTS = ("slower", "same", "natives")
SLOWER = 0.05
ASKED_FOUND, ASKED_SECONDS = 0.95, 15.0
ASKED_SAME = 0.03
LOOKS = 40
KINDS: tuple[Literal["user_ns", "system_ns"], ...] = ("user_ns", "system_ns")
_DIFFERENT = (Decision.BETTER, Decision.WORSE)


@dataclass(frozen=True)
class Setting:
    """How comparisons are made."""

    seconds: float
    rounds: int | None
    hold_idle: bool | None


def run_comparison(a: str, b: str, call: str, setting: Setting) -> tuple[Comparison, float]:
    """Compare once, in a temporary folder. Return the result, and its duration by the clock."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
        out = Path(folder) / "compared"
        request = ComparisonRequest(a, b, (call,), **setting.__dict__)
        command = CompareCommand(request, RuleOptions(), catalogue.load(), Ending(out))
        return command.result(command.measured()), time.monotonic() - began


def busy_us(call: str) -> float:
    """Processor time that a call takes on both sides together, in microseconds."""
    known = catalogue.load()
    stack = next(stack for stack in known.stacks if stack.id == STACK)
    cell = replace(tasks.cells_of_calls([call], (1,), 0.5)[0], id="c001", stack=STACK)
    wanted = UnitRequest(STACK, stack, known.programs(stack), (cell,), cell.link)
    calls = busy_ns = 0
    with Unit(wanted, placement.choose_placement(), LOOPBACK_HOSTS) as unit:
        unit.start_idle_watch()
        unit.warm(cell, length_of(cell.load))
        for _ in range(LOOKS):
            made = run_slice(unit, SlicePlan(cell, length_of(cell.load)), None)
            calls += made["done"]["calls"]
            counted = made["counted"]
            for side in (made["done"]["processor"], counted and counted.get("processor")):
                if not side:
                    raise RuntimeError(f"{STACK} does not count its processor time")
                busy_ns += sum(int(side["end"][kind]) - int(side["start"][kind]) for kind in KINDS)
    return busy_ns / calls / 1e3


def width(found: Comparison) -> float:
    """Give half of the interval of a comparison's one cell, as a share."""
    ratio = found.cells[0].ratio
    return math.nan if ratio is None or ratio.half_width is None else ratio.half_width


def slower(call: str, repeats: int, setting: Setting) -> bool:
    """Find a server that is busy for 5 % longer in each call. Return whether the goal is met."""
    busy = busy_us(call)
    burn_us = round(SLOWER * busy, 3)
    made = [run_comparison(STACK, f"{STACK}?burn_us={burn_us:.3f}", call, setting) for _ in range(repeats)]
    verdicts = [comparison.cells[0].verdict for comparison, _ in made]
    ratios = [comparison.cells[0].ratio.middle for comparison, _ in made if comparison.cells[0].ratio]
    times = [seconds for _, seconds in made]
    found, longest = verdicts.count(Decision.WORSE), max(times)
    print(
        f"slower {call}: a call of {busy:.1f} us of processor time burns {burn_us} us more, a ratio of"
        f" {1 / (1 + SLOWER):.3f}: found in {found} of {repeats} (asked: {ASKED_FOUND * repeats:.0f}), taken for better"
        f" in {verdicts.count(Decision.BETTER)}; median ratio {statistics.median(ratios):.3f}, median interval"
        f" +/- {statistics.median(width(comparison) for comparison, _ in made) * 100:.1f} %; each took"
        f" {statistics.median(times):.1f} s, {longest:.1f} s at most (asked: {ASKED_SECONDS:.0f} s)",
        flush=True,
    )
    return found >= ASKED_FOUND * repeats and longest <= ASKED_SECONDS


def same(repeats: int, setting: Setting) -> bool:
    """Compare a stack with itself, repeatedly, by each of the calls. Return whether the goal is met."""
    made = [run_comparison(STACK, STACK, CALLS[place % len(CALLS)], setting)[0] for place in range(repeats)]
    verdicts = [comparison.cells[0].verdict for comparison in made]
    wolves = sum(verdict in _DIFFERENT for verdict in verdicts)
    print(
        f"same: found different in {wolves} of {repeats} at a level of 1 % (asked: at most"
        f" {max(1, math.floor(ASKED_SAME * repeats))}), regressions beyond 2 %:"
        f" {sum(comparison.outcome is Outcome.FAILED for comparison in made)}; median interval"
        f" +/- {statistics.median(map(width, made)) * 100:.1f} %",
        flush=True,
    )
    return wolves <= max(1, math.floor(ASKED_SAME * repeats))


def natives(setting: Setting) -> bool:
    """Compare every native stack with itself. Return whether at most two differ."""
    made, took_s = run_comparison("native", "native", "Sum", setting)
    told = [cell for cell in made.cells if cell.verdict in _DIFFERENT]
    flagged = ", ".join(f"{cell.figures.stacks[0]} {cell.ratio.middle:.3f}" for cell in told if cell.ratio) or "none"
    missing = "".join(f"; {cell.figures.stacks[0]}: {cell.why}" for cell in made.missing)
    print(
        f"natives: {len(told)} of {len(made.cells)} metrics of stacks told apart from themselves (asked: at most 2):"
        f" {flagged}{missing}; {took_s:.0f} s",
        flush=True,
    )
    return len(told) <= 2


def burn() -> None:
    """Take a processor."""
    while True:
        pass


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """Keep so many processors busy during the block."""
    burners = [multiprocessing.Process(target=burn, daemon=True) for _ in range(count)]
    for burner in burners:
        burner.start()
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.join()


def main() -> int:
    """Measure what the command line names; return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=f"of {', '.join(PARTS)}")
    parser.add_argument("--count", type=int, default=100, help="comparisons of the same (default 100)")
    parser.add_argument("--repeats", type=int, default=20, help="comparisons with the slower one (default 20)")
    parser.add_argument(
        "--seconds",
        type=float,
        default=ComparisonRequest.seconds,
        help="of calls a cell (default: compare's)",
    )
    parser.add_argument("--rounds", type=int, help="how often both start afresh (default: compare's)")
    parser.add_argument("--hold-idle", action=argparse.BooleanOptionalAction, help="(default: compare's)")
    parser.add_argument("--busy", type=int, default=0, help="burners beside it (default none)")
    asked = parser.parse_args()
    setting = Setting(asked.seconds, asked.rounds, asked.hold_idle)
    began, good = time.monotonic(), True
    print(f"load {os.getloadavg()[0]:.1f}, {setting}", flush=True)
    with busy(asked.busy):
        if "slower" in asked.parts:
            for call in CALLS:
                good &= slower(call, asked.repeats, setting)
        if "same" in asked.parts:
            good &= same(asked.count, setting)
        if "natives" in asked.parts:
            good &= natives(setting)
    print(f"{time.monotonic() - began:.0f} s, {asked.busy} burners beside it, load {os.getloadavg()[0]:.1f}")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
