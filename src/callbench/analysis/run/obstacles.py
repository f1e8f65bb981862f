"""What stands in the way of knowing more: claims and neighbours left undecided, and what has no rank, each with why."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from callbench.analysis.cells.results import Result
from callbench.analysis.judge.claims import ClaimComparison, ClaimResult, Verdict
from callbench.analysis.run.headline import stack_name
from callbench.analysis.run.rankings import Ranking
from callbench.analysis.run.subject import Subject
from callbench.analysis.wording.naming import at
from callbench.analysis.wording.words import claim_ratio_text, ratio_text
from callbench.stats.decide.forecast import more_forks
from callbench.stats.estimate.interval import CONFIDENCE, Interval
from callbench.stats.load.bottleneck import Limit

# Two whose ratio is known so well and is still not told from 1 are alike; a claim known so well lies at its threshold.
CLOSE = 0.03


class ObstacleKind(StrEnum):
    """What is not known."""

    CLAIM = "claim"
    NEIGHBOURS = "neighbours in rank"
    RANK = "rank"


class Reason(StrEnum):
    """Why it is not known."""

    NOISY = "too noisy"
    CLOSE = "too close"
    LINK = "link full"
    UNSTEADY = "not steady"
    EXCLUDED = "excluded"
    OTHERS = "other programs used the processors"
    GENERATOR = "Callbench itself was the limit"
    ONE_FORK = "only one fork"
    FEW_FORKS = "not shown after the correction for all comparisons"
    CUT = "calls longer than a slice"
    DISAGREE = "client and server counted differently"
    FAILS = "calls failed"
    FEW_CALLS = "too few calls for a percentile"
    NOT_HERE = "not part of this run"


# What more forks of the same kind may settle; the others need something else to change first.
_TIME_HELPS = frozenset({Reason.NOISY, Reason.CLOSE, Reason.OTHERS, Reason.ONE_FORK, Reason.FEW_FORKS})


@dataclass(frozen=True)
class Obstacle:
    """One thing that is not known.

    Attributes:
        about: what it is: a claim's sentence, `bin over tcp and json over tcp`, or a stack.
        where: of neighbours and ranks the call with load and link; else "".
        detail: the value that says so, or a phrase.
        more: how many more forks would settle it, about; None if none would.
    """

    kind: ObstacleKind
    about: str
    where: str
    reason: Reason
    detail: str
    more: int | None = None

    @property
    def timed(self) -> bool:
        """Whether more time could settle it: else something has to change first."""
        return self.reason in _TIME_HELPS


def obstacles(subject: Subject, every: Sequence[Ranking]) -> list[Obstacle]:
    """List them: claims, neighbours, what has no rank, and last the claims that this run was not made for."""
    claims = [obstacle for judged in subject.judged for obstacle in _of_claim(subject, judged)]
    found = sorted(
        (obstacle for obstacle in claims if obstacle.reason is not Reason.NOT_HERE),
        key=lambda obstacle: not obstacle.timed,
    )
    found += [obstacle for table in every for obstacle in _of_neighbours(subject, table)]
    found += [obstacle for table in every for obstacle in _of_ranks(subject, table)]
    return [*found, *_of_excluded(subject), *(obstacle for obstacle in claims if obstacle.reason is Reason.NOT_HERE)]


def _of_claim(subject: Subject, judged: ClaimResult) -> Iterable[Obstacle]:
    """Explain why a claim is neither held nor refuted."""
    deciding = judged.deciding
    if judged.verdict is Verdict.UNMEASURED:
        yield Obstacle(ObstacleKind.CLAIM, judged.text or judged.id, "", _unmeasured(deciding.why), deciding.why)
    if judged.verdict is not Verdict.UNDECIDED:
        return
    # All must be decided: the one that needs most says how many forks, and its value stands beside them.
    longest = max((each for each in judged.compared if each.verdict is Verdict.UNDECIDED), key=_needed)
    if longest.ratio is None:
        return
    more = longest.tested.more_forks if longest.tested else None
    reason = _why(_cells(subject, longest), longest.ratio, longest.comparison.low, longest.comparison.high)
    text = f"{longest.comparison.label}: {claim_ratio_text(longest)}, threshold {longest.threshold}"
    yield Obstacle(
        ObstacleKind.CLAIM, judged.text or judged.id, "", reason, text, more if reason in _TIME_HELPS else None
    )


def _needed(compared: ClaimComparison) -> float:
    """Return how many more forks would decide a comparison; infinitely many if no sensible number would."""
    more = compared.tested.more_forks if compared.tested else None
    return math.inf if more is None else more


def _cells(subject: Subject, compared: ClaimComparison) -> list[Result]:
    """Find the cells of a comparison."""
    sides = (*compared.comparison.over, *compared.comparison.under)
    return [cell for conditions in sides for cell in subject.results.where(conditions)]


def _unmeasured(why: str) -> Reason:
    """Return the reason for which a claim's value is missing."""
    if "not steady" in why:
        return Reason.UNSTEADY
    if "needs about" in why:
        return Reason.FEW_CALLS
    return Reason.EXCLUDED if why.endswith(("excluded", "no call was answered")) else Reason.NOT_HERE


def _of_neighbours(subject: Subject, table: Ranking) -> Iterable[Obstacle]:
    """List the pairs of neighbours in a ranking that cannot be told apart."""
    ranked, count = table.ranked, len(table.contenders)
    level = (1 - CONFIDENCE) / max(1, count * (count - 1) // 2)
    where = at(table.group, table.clients, table.link)
    for ahead, other in pairwise(table.standings):
        if other.index not in ahead.ties:
            continue
        pair = [ranked[ahead.index], ranked[other.index]]
        ratio = subject.results.ratio(*pair)
        if ratio is None:
            continue
        reason, more = _why(pair, ratio), None
        known = subject.results.estimated(*pair)
        if reason in _TIME_HELPS and known is not None:
            more = more_forks(known, level)
        names = " and ".join(stack_name(each, table, subject) for each in pair)
        yield Obstacle(ObstacleKind.NEIGHBOURS, names, where, reason, f"ratio {ratio_text(ratio)}", more)


def _why(cells: Sequence[Result], ratio: Interval, low: float = 1.0, high: float = 1.0) -> Reason:
    """Return the reason for which a ratio of cells decides nothing.

    Args:
        cells: that it was taken of.
        ratio: the ratio.
        low: the lower end of the range that it was tested against.
        high: the upper end.
    """
    limits = [cell.verdict.limit for cell in cells if cell.verdict is not None]
    if limits and all(limit is Limit.LINK for limit in limits):
        return Reason.LINK
    if any(cell.at_least or cell.unsteady is not None for cell in cells):
        return Reason.GENERATOR if any(cell.at_least for cell in cells) else Reason.UNSTEADY
    if ratio.low is None or ratio.high is None or ratio.half_width is None:
        return Reason.ONE_FORK
    if ratio.low > high or ratio.high < low:
        return Reason.FEW_FORKS
    if ratio.half_width <= CLOSE:
        return Reason.CLOSE
    return Reason.OTHERS if Limit.SHARED in limits else Reason.NOISY


def _of_ranks(subject: Subject, table: Ranking) -> Iterable[Obstacle]:
    """List the cells that have a rate and no rank."""
    where = at(table.group, table.clients, table.link)
    for cell in table.cells:
        if cell.ranked:
            continue
        name = stack_name(cell, table, subject)
        yield Obstacle(ObstacleKind.RANK, name, where, _unranked(cell), "; ".join(cell.whys))


def _unranked(cell: Result) -> Reason:
    """Return the reason for which a cell has no rank."""
    if cell.excluded is not None:
        return Reason.EXCLUDED
    if cell.failing:
        return Reason.FAILS
    if cell.verdict is not None and cell.verdict.at_least:
        return Reason.GENERATOR
    if cell.at_most:
        return Reason.CUT
    return Reason.DISAGREE if not cell.agree else Reason.UNSTEADY


def _of_excluded(subject: Subject) -> list[Obstacle]:
    """List the stacks and cells that have no rate at all."""
    cells = {cell.id: cell for cell in subject.results.cells}
    found: dict[tuple[str, str, str], Obstacle] = {}
    for excluded in subject.results.excluded:
        cell = cells.get(excluded.cell) if excluded.cell else None
        if cell is not None and cell.rate is not None:
            continue
        where = "" if cell is None else at(*(cell.attributes[key] for key in ("group", "clients", "link")))
        reason = Reason.UNSTEADY if cell is not None and cell.not_steady else Reason.EXCLUDED
        made = Obstacle(ObstacleKind.RANK, excluded.stack, where, reason, excluded.why.rstrip("."))
        found.setdefault((made.about, made.where, made.detail), made)
    return list(found.values())


def gathered(every: Iterable[Obstacle]) -> Mapping[tuple[ObstacleKind, str, Reason, str], list[Obstacle]]:
    """Put together what one line tells: one call and reason, and one value where each has its own."""
    lines: dict[tuple[ObstacleKind, str, Reason, str], list[Obstacle]] = {}
    for obstacle in every:
        own = "" if obstacle.kind is ObstacleKind.NEIGHBOURS or obstacle.reason is Reason.NOT_HERE else obstacle.detail
        lines.setdefault((obstacle.kind, obstacle.where, obstacle.reason, own), []).append(obstacle)
    return lines
