"""Slices against whole trials, in one run: whether driving a stack for 20 ms at a time, others between, changes it.

For one or two stacks of each adapter: whole trials of 2 s, and as much time in slices, each slice followed by one of
another stack that pushes it out of the caches; in turn, in random order. Printed is the rate in slices over that in
whole trials, with its 95 % interval. Where the two differ by more than 3 % beyond doubt, slices of 50, 100 and 200 ms
are tried, and the shortest that does not is what the stack's card should say (`slice_ms`). Options: --pairs N (8),
--stack GLOB ... .
"""

import argparse
import random
from contextlib import ExitStack

import stacks

from callbench import catalogue, placement
from callbench.cell import Load, Stack
from callbench.errors import CallbenchError
from callbench.links import LOOPBACK_HOSTS
from callbench.runner.rounds import one_slice
from callbench.runner.slices import HANDFUL, SLICE_SECONDS, Length
from callbench.runner.tasks import Turn
from callbench.runner.unit import Unit, Wanted
from callbench.stats.digits import percent
from callbench.stats.interval import Interval
from callbench.stats.logratio import paired
from callbench.stats.rate import together
from callbench.visit import ALWAYS

OTHER = "native/xmlrpc+tcp"
WHOLE_SECONDS = 2.0
DIFFERS = 0.03
LONGER = (0.05, 0.1, 0.2)


def main() -> None:
    """Print a line a stack and length."""
    parser = argparse.ArgumentParser(description="slices against whole trials")
    parser.add_argument("--pairs", type=int, default=8)
    stacks.add_option(parser)
    asked = parser.parse_args()
    known = catalogue.load()
    for stack in stacks.chosen(known, asked.stack):
        _stack(known, stack, asked.pairs)


def _stack(known: catalogue.Catalogue, stack: Stack, pairs: int) -> None:
    other = next(one for one in known.stacks if one.id == OTHER)
    try:
        with ExitStack() as owned:
            mine, beside = _unit(known, stack, owned), _unit(known, other, owned)
            for seconds in (SLICE_SECONDS, *LONGER):
                ratio = _compared(mine, beside, seconds, pairs)
                print(f"{stack.id:34} slices of {seconds * 1e3:.0f} ms over whole trials: {_said(ratio)}", flush=True)
                if not _differs(ratio):
                    break
    except CallbenchError as failure:
        print(f"{stack.id}: left out: {failure}")


def _unit(known: catalogue.Catalogue, stack: Stack, owned: ExitStack) -> Unit:
    cell = stacks.cell_of(stack, Load(1, 1, WHOLE_SECONDS))
    wanted = Wanted(stack.id, stack, known.programs(stack), (cell,), cell.link, checks=ALWAYS)
    unit = owned.enter_context(Unit(wanted, placement.placed(), LOOPBACK_HOSTS))
    unit.settles()
    unit.warm(cell, Length(1.0, 1))
    unit.counts_anew()
    return unit


def _compared(mine: Unit, beside: Unit, seconds: float, pairs: int) -> Interval:
    """Drive both ways in turn, and divide."""
    cell, other = mine.wanted.cells[0], beside.wanted.cells[0]
    dice = random.Random(1)  # noqa: S311 - an order to be repeated
    ratios = []
    for _ in range(pairs):
        rates = {}
        for way in dice.sample(("whole", "slices"), 2):
            dones = []
            for _ in range(1 if way == "whole" else round(WHOLE_SECONDS / seconds)):
                length = Length(WHOLE_SECONDS if way == "whole" else seconds, HANDFUL)
                dones.append(one_slice(mine, Turn(cell, length), None)["done"])
                if way == "slices":
                    one_slice(beside, Turn(other, Length(seconds, HANDFUL)), None)
            rates[way] = together(dones).per_s
        ratios.append(rates["slices"] / rates["whole"])
    return paired(ratios).interval(0.95)


def _differs(ratio: Interval) -> bool:
    """Whether slices change the rate by more than may be, beyond doubt."""
    low, high = ratio.low or 0.0, ratio.high or float("inf")
    return low > 1 + DIFFERS or high < 1 - DIFFERS


def _said(ratio: Interval) -> str:
    ends = f"{ratio.low:.3f} to {ratio.high:.3f}" if ratio.low is not None and ratio.high is not None else ""
    return f"{ratio.middle:.3f} ({ends}), asked: 1 within {percent(DIFFERS)}"


if __name__ == "__main__":
    main()
