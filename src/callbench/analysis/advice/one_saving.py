"""What one candidate saves beside another: one ratio with one interval, which is a share of what the other needs.

So "18 % less (6 to 29 %)" and "13 EUR (4 to 24)" are one value. Taken by themselves, differences of few forks have an
interval of their own, and it may hold 0 where that of the ratio does not hold 1.
"""

from collections.abc import Sequence
from dataclasses import replace

from callbench.analysis.advice.choice import Choice
from callbench.analysis.advice.savings import MEAN, MONEY, CostLine, processor_line
from callbench.model.situation import Goal, Situation
from callbench.stats.estimate.difference import Difference
from callbench.stats.estimate.interval import Interval


def with_one_saving(
    lines: Sequence[CostLine], choice: Choice, situation: Situation, pair: tuple[str, str]
) -> list[CostLine]:
    """Give the line of the goal the saving that the choice rests on; the others stay.

    Args:
        lines: of costs.
        choice: with the ratios.
        situation: for the goal.
        pair: the candidate that is advised, and the one beside it.
    """
    ratio, name = _ratio(choice, situation.today, pair), _line_of_goal(situation)
    return [
        replace(line, saved=saved_of(line.other, ratio))
        if line.name == name and line.other is not None and ratio is not None and not any(line.at_most)
        else line
        for line in lines
    ]


def saved_of(whole: Difference, ratio: Interval) -> Difference:
    """Give what is saved of an amount by what needs a ratio of it. It holds 0 where the ratio's interval holds 1.

    Args:
        whole: the amount, not negative, with its interval.
        ratio: with its interval: 0.8 saves a fifth.
    """
    middle = whole.middle * (1 - ratio.middle)
    if ratio.low is None or ratio.high is None:
        return Difference(middle, None, None, ratio.forks)
    least, most = (whole.middle if end is None else end for end in (whole.low, whole.high))
    # Few forks leave an amount an end of 0, which is not one: it lies as far below as above, as a ratio.
    least = least if least > 0 or most <= 0 else whole.middle**2 / most
    low, high = 1 - ratio.high, 1 - ratio.low
    return Difference(middle, low * (least if low > 0 else most), high * (most if high > 0 else least), ratio.forks)


def _line_of_goal(situation: Situation) -> str:
    """Name the line with what the goal wants small; "" where none is just that."""
    match situation.goal:
        case Goal.MONEY:
            return MONEY
        case Goal.TIME if len(situation.links) == 1:
            return f"{MEAN} over {situation.links[0].name}"
        case Goal.PROCESSOR:
            both = situation.prices is None or situation.prices.both_sides
            return processor_line("client and server" if both else "server")
        case _:
            return ""


def _ratio(choice: Choice, today: str, pair: tuple[str, str]) -> Interval | None:
    """Give what the first needs over what the second does, as the sentences have it; None where none says it."""
    own, other = pair
    moves = choice.moves or {}
    if other == today and own in moves:
        return moves[own].ratio
    if own == today and other in moves and other == choice.best:
        return _turned(moves[other].ratio)
    if choice.comparison is None or own != choice.comparison.name:
        return None
    beside = {rival.name: rival.ratio for rival in choice.comparison.others}
    return _turned(ratio) if (ratio := beside.get(other)) is not None else None


def _turned(ratio: Interval) -> Interval:
    low, high = (None if end is None else 1 / end for end in (ratio.high, ratio.low))
    return Interval(1 / ratio.middle, low, high, ratio.forks)
