"""How many calls a fork needs of the cells whose percentiles a study claims something of."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from callbench.catalog.study.claim import ClaimedRatio, comparison, comparisons
from callbench.catalog.study.load import Study
from callbench.model.cell import Cell, Stack, rate_text
from callbench.model.metrics.registry import PERCENTILES
from callbench.stats.estimate.percentile_calls import fewest_calls

# A fork has a call or two more: one that fails is in no percentile.
_SPARE = 1.05
# What an answer to a question is about, if it does not say.
_RATE = "rate_per_s"


def with_claimed_calls(cells: Sequence[Cell], stacks: Mapping[str, Stack], study: Study, rounds: int) -> list[Cell]:
    """Return the cells; those of a claim about a percentile have slices of as many calls as that needs.

    Args:
        cells: of the study.
        stacks: by name.
        study: with its claims and questions.
        rounds: the slices that a cell has in a fork.
    """
    wanted = list(_wanted(study))
    return [_with_calls(cell, _calls(_attributes(cell, stacks[cell.stack]), wanted), rounds) for cell in cells]


def _wanted(study: Study) -> Iterable[tuple[Mapping[str, str], int]]:
    """Yield the conditions of cells with the calls that a claim about them needs."""
    for claim in study.claims:
        for ratio in comparisons(claim):
            yield from _of_comparison(ratio, claim.statistic)
    for question in study.questions:
        for answer in question.answers:
            yield from _of_comparison(comparison(answer), _RATE)


def _of_comparison(ratio: ClaimedRatio, statistic: str) -> Iterable[tuple[Mapping[str, str], int]]:
    above = ratio.statistic or statistic
    for cells, name in ((ratio.over, above), (ratio.under, ratio.under_statistic or above)):
        if name in PERCENTILES:
            for conditions in cells:
                yield conditions, fewest_calls(PERCENTILES[name])


def _calls(attributes: Mapping[str, str], wanted: Iterable[tuple[Mapping[str, str], int]]) -> int:
    """Return the most calls that a claim about the cell needs; 0: there is none."""
    return max((calls for conditions, calls in wanted if conditions.items() <= attributes.items()), default=0)


def _attributes(cell: Cell, stack: Stack) -> dict[str, str]:
    """Return what claims choose a cell by, as `Result.attributes` has it."""
    return {
        "group": cell.group,
        "stack": stack.id,
        "adapter": stack.adapter,
        "message": stack.message,
        "channel": stack.channel,
        "language": stack.language,
        "call": cell.call,
        "clients": str(cell.load.clients),
        "arrivals": cell.load.arrivals,
        "link": cell.link,
        "rate": rate_text(cell.load.rate_per_s),
    }


def _with_calls(cell: Cell, calls: int, rounds: int) -> Cell:
    if not calls:
        return cell
    # Arrivals are shared by all clients of an open loop, and calls of a closed one are counted for each.
    each = math.ceil(_SPARE * calls / rounds / (1 if cell.load.open else cell.load.clients))
    made = max(cell.load.calls, math.ceil(_SPARE * calls)) if cell.whole else cell.load.calls
    load = replace(cell.load, calls=made, slice_calls=max(cell.load.slice_calls, each), fork_calls=calls)
    return replace(cell, load=load)
