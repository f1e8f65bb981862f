"""The play-off: neighbours in a ranking meet until they part or tie. Pure decisions; who drives them is elsewhere.

Two stacks that meet in slices can be told apart far sooner than by blocks, so time that is left goes to the neighbours
that blocks could not part. Every undecided pair of neighbours gets as many meetings as the others, and drops out when
it is decided: successive elimination (Even-Dar, Mannor and Mansour, "Action elimination and stopping conditions for
the multi-armed bandit and reinforcement learning problems", Journal of Machine Learning Research 7, 2006), here over
pairs of neighbours. Where a pair parts against the ranking, the two change places and have new neighbours.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from callbench.stats.decision import Decision, by_ratio
from callbench.stats.interval import Interval
from callbench.stats.logratio import paired

Pair = tuple[str, str]
Meetings = Mapping[Pair, Sequence[float]]
_FIRST_LOOK = 6
_GROWTH = 1.5


class Outcome(Enum):
    """What the meetings of a pair say of its first."""

    FASTER = 1
    SLOWER = -1
    TIED = 0


_OUTCOMES = {
    Decision.BETTER: Outcome.FASTER,
    Decision.WORSE: Outcome.SLOWER,
    Decision.EQUIVALENT: Outcome.TIED,
}


@dataclass(frozen=True)
class Rule:
    """How sure a play-off must be.

    Attributes:
        level: the chance that any pair of all is decided wrongly.
        margin: two whose ratio is shown to lie within 1 +/- this tie.
    """

    level: float = 0.05
    margin: float = 0.02


@dataclass(frozen=True)
class Contest:
    """Two neighbours and what their meetings came to.

    Attributes:
        ratio: the rate of the first over the second's, with the interval that decides, or None before the first look.
        outcome: None where they are not decided yet.
    """

    pair: Pair
    meetings: int
    ratio: Interval | None
    outcome: Outcome | None


def looks(meetings: int) -> list[int]:
    """Give the numbers of meetings at which a pair is looked at, up to so many: 6, 9, 13, 19 ...

    Each further look is one more chance to err, so there are few of them.
    """
    found: list[int] = []
    at = _FIRST_LOOK
    while at <= meetings:
        found.append(at)
        at = int(at * _GROWTH)
    return found


def contest(pair: Pair, ratios: Sequence[float], neighbours: int, rule: Rule) -> Contest:
    """Decide a pair by what was known at its looks; the first look that decides does.

    The level is shared out: look j of each of n pairs of neighbours has level / (n j (j + 1)), which adds up to the
    level however many looks there are.

    Args:
        pair: its two cells.
        ratios: the rate of its first over that of its second, one a meeting.
        neighbours: how many pairs share the level.
        rule: how sure.
    """
    interval: Interval | None = None
    for number, at in enumerate(looks(len(ratios)), 1):
        level = rule.level / (max(neighbours, 1) * number * (number + 1))
        interval = paired(ratios[:at]).interval(1 - level)
        outcome = _outcome(interval, rule.margin)
        if outcome is not None:
            return Contest(pair, len(ratios), interval, outcome)
    return Contest(pair, len(ratios), interval, None)


def _outcome(ratio: Interval, margin: float) -> Outcome | None:
    """Say what an interval of a ratio decides."""
    # A ranking wants to know who is faster however little it is: only what is no difference may be a tie.
    for allowed in (0.0, math.log1p(margin)):
        found = by_ratio(ratio, allowed)
        if found is not Decision.UNDECIDED:
            return _OUTCOMES[found]
    return None


def order(estimates: Mapping[str, float], contests: Sequence[Contest]) -> list[str]:
    """Rank cells by their estimates, fastest first, but for neighbours whose meetings say the opposite.

    Args:
        estimates: a rate by cell.
        contests: the pairs that have met.
    """
    ranked = sorted(estimates, key=lambda cell: -estimates[cell])
    wins = {one.pair if one.outcome is Outcome.FASTER else one.pair[::-1] for one in contests if _parted(one)}
    # Each pass settles at least one place; a circle of wins (which chance can make) must not go round for ever.
    for _ in ranked:
        swapped = False
        for place in range(len(ranked) - 1):
            first, second = ranked[place], ranked[place + 1]
            if (second, first) in wins:
                ranked[place : place + 2] = [second, first]
                swapped = True
        if not swapped:
            break
    return ranked


def _parted(one: Contest) -> bool:
    """Say whether a pair's meetings told which is faster."""
    return one.outcome in (Outcome.FASTER, Outcome.SLOWER)


def next_pair(
    tables: Sequence[Mapping[str, float]], parted: Mapping[Pair, bool], contests: Sequence[Contest]
) -> Pair | None:
    """Choose who meets next: of all undecided neighbours those who have met least, the widest apart first.

    Args:
        tables: estimates by cell, one mapping a ranking.
        parted: pairs that blocks have told apart already, in either order.
        contests: the pairs that have met.

    Returns:
        The faster first as the ranking stands, or None where all neighbours are decided.
    """
    by_pair = {frozenset(one.pair): one for one in contests}
    open_: list[tuple[int, float, Pair]] = []
    for estimates in tables:
        ranked = order(estimates, [one for one in contests if one.pair[0] in estimates])
        for first, second in pairwise(ranked):
            pair = (first, second)
            one = by_pair.get(frozenset(pair))
            if one and one.outcome is not None:
                continue
            if one is None and (parted.get(pair) or parted.get(pair[::-1])):
                continue
            gap = math.log(estimates[first] / estimates[second])
            open_.append((one.meetings if one else 0, -gap, one.pair if one else pair))
    return min(open_)[2] if open_ else None
