"""Slices against whole trials, in one run: whether driving a stack for 20 ms at a time, others between, changes it.

For one or two stacks of every adapter that is built here: whole trials of 2 s, and the same time in slices, alternately
in random order. Two stacks are alive together, so that each slice is followed by one of the other stack, which
displaces it from the caches. The ratio is the rate in slices divided by that in whole trials, with its 95 % interval.
If it is certainly not within 3 % of 1, longer slices are tried. The shortest ones that do not differ are the value for
the stack's card (`slice_ms`), which every run then uses. At the end a table names the stacks that differ.

If possible, processors are kept awake: a processor that has just worked sleeps less deeply, which makes the first
tenths of a second of any load faster, whatever the stack. On a machine with other work the intervals are wide, and few
stacks are decided.
"""

import argparse
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import stacks
from rich.console import Console

from callbench.adapter import placement
from callbench.adapter.network.host import LOOPBACK_HOSTS
from callbench.analysis.wording.words import ratio_text
from callbench.catalog import catalogue
from callbench.model.cell import CALLS_PER_SLICE, Load, Stack
from callbench.model.errors import BadInput, CallbenchError
from callbench.report.text.grid import Column, Grid
from callbench.runner.drive.rounds import run_slice
from callbench.runner.drive.running_stack import BASIC_CHECKS
from callbench.runner.drive.slices import SLICE_SECONDS, Length
from callbench.runner.drive.tasks import SlicePlan
from callbench.runner.drive.unit import Unit, UnitRequest
from callbench.runner.machine import idle_states
from callbench.stats.estimate.digits import percent
from callbench.stats.estimate.interval import Interval
from callbench.stats.estimate.logratio import paired
from callbench.stats.load.rate import together
from callbench.store.lines.driven import Driven

# What a stack has beside it that is alone: the first of these that it is not.
OTHERS = ("native/xmlrpc+supertcp", "native/json+supertcp")
WHOLE_SECONDS = 2.0
DIFFERS = 0.03
LONGER = (0.05, 0.1, 0.2)
FEWEST, MOST = 5, 8
# Of the time, what is for 20 ms: the rest is for starting, warming up and longer slices.
SHARE = 0.7
# What a pair takes of one stack, over its time in calls.
OVERHEAD = 1.15


@dataclass
class Found:
    """What was found of a stack.

    Attributes:
        ratios: by the length of a slice in seconds, in the order in which they were tried.
        failed: why it was left out, or "".
    """

    stack: str
    ratios: dict[float, Interval] = field(default_factory=dict)
    failed: str = ""

    @property
    def first(self) -> Interval | None:
        """Return the ratio for the slices of today's runs; None if it was left out before."""
        return next(iter(self.ratios.values()), None)

    @property
    def needed_s(self) -> float | None:
        """Return the shortest slices in seconds that do not certainly differ; None if there are none."""
        return next((seconds for seconds, ratio in self.ratios.items() if not _differs(ratio)), None)


class _FailedError(Exception):
    """A stack failed while it was driven."""

    def __init__(self, stack: Stack, why: CallbenchError) -> None:
        super().__init__(str(why))
        self.stack = stack


def main() -> None:
    """Print a line a stack and length, and the table."""
    parser = argparse.ArgumentParser(description="slices against whole trials")
    parser.add_argument("--minutes", type=float, default=10.0, help="about how long all of it is to take")
    parser.add_argument("--pairs", type=int, help=f"of whole trials and slices; default: {FEWEST} to {MOST}, by time")
    parser.add_argument("--as-is", action="store_true", help="let processors sleep as the machine has it")
    stacks.add_option(parser)
    asked = parser.parse_args()
    known = catalogue.load()
    chosen = list(stacks.chosen(known, asked.stack))
    pairs = asked.pairs or _affordable(len(chosen), asked.minutes * 60)
    print(f"{len(chosen)} stack{'s' * (len(chosen) != 1)}, {pairs} pairs of each")
    began, found = time.monotonic(), list[Found]()
    with _awake(hold=not asked.as_is):
        couples = _couples(chosen)
        for number, couple in enumerate(couples, 1):
            until = began + asked.minutes * 60 * number / len(couples)
            found += _couple(known, couple, max(2, pairs), until)
    _print_table(found)


def _affordable(count: int, seconds: float) -> int:
    """How many pairs there is time for."""
    each_s = 2 * WHOLE_SECONDS * OVERHEAD * max(1, count)
    return max(FEWEST, min(MOST, int(SHARE * seconds / each_s)))


def _couples(chosen: Sequence[Stack]) -> list[Sequence[Stack]]:
    """Two stacks each, of different adapters where there are several."""
    half = (len(chosen) + 1) // 2
    return [[*chosen[place : place + 1], *chosen[half + place : half + place + 1]] for place in range(half)]


@contextmanager
def _awake(*, hold: bool) -> Iterator[None]:
    """Keep processors awake where that can be had."""
    with ExitStack() as owned:
        try:
            owned.enter_context(idle_states.hold_idle_states(hold=hold))
        except BadInput as failure:
            hold = False
            print(f"processors sleep as the machine has it: {str(failure).removeprefix('--hold-idle ')}")
        else:
            print("processors are kept awake" if hold else "processors sleep as the machine has it")
        yield


def _couple(known: catalogue.Catalogue, couple: Sequence[Stack], pairs: int, until: float) -> list[Found]:
    """Measure two stacks, or one; where one fails, the other is measured without it."""
    found = {stack.id: Found(stack.id) for stack in couple}
    try:
        with ExitStack() as owned:
            _measured(known, couple, pairs, until, found, owned)
    except _FailedError as failure:
        failed = failure.stack.id
        print(f"{failed}: left out: {failure}", flush=True)
        left = [stack for stack in couple if stack.id != failed]
        if len(left) == len(couple):
            return [Found(stack.id, failed=f"{failed}, beside it: {failure}") for stack in couple]
        return [Found(failed, failed=str(failure)), *(_couple(known, left, pairs, until) if left else [])]
    return list(found.values())


def _measured(  # noqa: PLR0913, PLR0917 - who, how often, until when, and what becomes of it
    known: catalogue.Catalogue,
    couple: Sequence[Stack],
    pairs: int,
    until: float,
    found: Mapping[str, Found],
    owned: ExitStack,
) -> None:
    """Start them, compare; then longer slices where they differ and there is time."""
    beside = [] if len(couple) > 1 else [known.stack(next(name for name in OTHERS if name != couple[0].id))]
    units = [_unit(known, stack, owned) for stack in (*couple, *beside)]
    # As a run of today drives it: a card may ask for longer slices already.
    lengths = {unit.name: max(SLICE_SECONDS, float(unit.request.stack.card.get("slice_ms", 0)) / 1e3) for unit in units}
    open_ = [unit for unit in units if unit.name in found]
    while open_:
        ratios = _compared(units, open_, lengths, pairs)
        for name, ratio in ratios.items():
            found[name].ratios[lengths[name]] = ratio
            print(
                f"{name:34} slices of {lengths[name] * 1e3:.0f} ms over whole trials: {ratio_text(ratio)}", flush=True
            )
        longer = {
            unit.name: next((longer_s for longer_s in LONGER if longer_s > lengths[unit.name]), None)
            for unit in open_
            if _differs(ratios[unit.name])
        }
        open_ = [unit for unit in open_ if longer.get(unit.name)] if time.monotonic() < until else []
        lengths |= {name: longer_s for name, longer_s in longer.items() if longer_s}


def _unit(known: catalogue.Catalogue, stack: Stack, owned: ExitStack) -> Unit:
    cell = stacks.cell_of(stack, Load(1, 1, WHOLE_SECONDS))
    hold = UnitRequest(stack.id, stack, known.programs(stack), (cell,), cell.link, checks=BASIC_CHECKS)
    try:
        unit = owned.enter_context(Unit(hold, placement.choose_placement(), LOOPBACK_HOSTS))
        unit.start_idle_watch()
        unit.warm(cell, Length(1.0, 1))
    except CallbenchError as failure:
        raise _FailedError(stack, failure) from failure
    unit.reset_counts()
    return unit


def _compared(
    units: Sequence[Unit], open_: Sequence[Unit], lengths: Mapping[str, float], pairs: int
) -> dict[str, Interval]:
    """Drive both ways in turn, and divide."""
    dice = random.Random(1)  # noqa: S311 - an order to be repeated
    ratios: dict[str, list[float]] = {unit.name: [] for unit in open_}
    for _ in range(pairs):
        whole, sliced = dict[str, float](), dict[str, float]()
        for way in dice.sample([*open_, None], len(open_) + 1):
            if way is None:
                sliced = _in_slices(units, lengths)
            else:
                whole[way.name] = together([_driven(way, WHOLE_SECONDS)]).per_s
        for unit in open_:
            if not (sliced[unit.name] and whole[unit.name]):
                raise _FailedError(unit.request.stack, CallbenchError("no call was answered"))
            ratios[unit.name].append(sliced[unit.name] / whole[unit.name])
    return {name: paired(own).interval(0.95) for name, own in ratios.items()}


def _in_slices(units: Sequence[Unit], lengths: Mapping[str, float]) -> dict[str, float]:
    """Drive each for as long as a whole trial, a slice at a time, the other between; gives their rates."""
    dones: dict[str, list[Driven]] = {unit.name: [] for unit in units}
    for _ in range(round(WHOLE_SECONDS / min(lengths.values()))):
        for unit in units:
            dones[unit.name].append(_driven(unit, lengths[unit.name]))
    return {name: together(own).per_s for name, own in dones.items()}


def _driven(unit: Unit, seconds: float) -> Driven:
    try:
        done = run_slice(unit, SlicePlan(unit.request.cells[0], Length(seconds, CALLS_PER_SLICE)), None)["done"]
    except CallbenchError as failure:
        raise _FailedError(unit.request.stack, failure) from failure
    return done


def _differs(ratio: Interval) -> bool:
    """Return whether slices certainly change the rate by more than allowed."""
    low, high = ratio.low or 0.0, ratio.high or float("inf")
    return low > 1 + DIFFERS or high < 1 - DIFFERS


def _alike(ratio: Interval) -> bool:
    """Return whether they certainly do not."""
    low, high = ratio.low or 0.0, ratio.high or float("inf")
    return low >= 1 - DIFFERS and high <= 1 + DIFFERS


def _print_table(found: Sequence[Found]) -> None:
    """Name the stacks that differ, with what their cards should say; count the others."""
    known = [(stack.stack, stack.first, stack) for stack in found if stack.first is not None]
    differ = [stack for _, first, stack in known if _differs(first)]
    alike = [stack for stack, first, _ in known if _alike(first)]
    open_ = [f"{stack} {ratio_text(first)}" for stack, first, _ in known if not (_alike(first) or _differs(first))]
    print()
    if differ:
        lengths = sorted({seconds for stack in differ for seconds in stack.ratios})
        names = ["stack", *(f"{seconds * 1e3:.0f} ms" for seconds in lengths), "its card should say"]
        title = f"Slices differ from whole trials by more than {percent(DIFFERS)}: {len(differ)} of {len(known)} stacks"
        grid = Grid([Column(name) for name in names], title=title)
        for stack in differ:
            grid.add(stack.stack, *(ratio_text(stack.ratios.get(seconds)) for seconds in lengths), _card(stack))
        grid.print(Console())
    elif known:
        print(f"No stack is shown to differ by more than {percent(DIFFERS)}, of {len(known)}.")
    for said, names in (
        (f"alike within {percent(DIFFERS)}", alike),
        ("not told, since the interval is too wide (--minutes or --pairs narrows it)", open_),
        ("left out", [f"{stack.stack}: {stack.failed}" for stack in found if stack.failed]),
    ):
        if names:
            print(f"{said}: {'; '.join(names)}")


def _card(stack: Found) -> str:
    """What the card of a stack that differs should say."""
    if stack.needed_s is not None:
        return f"slice_ms = {stack.needed_s * 1e3:.0f}"
    longest = max(stack.ratios)
    if longest < max(LONGER):
        return f"more than {longest * 1e3:.0f} ms (--minutes gives time for longer slices)"
    return f"nothing: slices of {longest * 1e3:.0f} ms differ too"


if __name__ == "__main__":
    main()
