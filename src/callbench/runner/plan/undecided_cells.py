"""Which cells a run still needs: those of undecided results. Computed from the record on disk."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from callbench.analysis.precision.stopping import CellPrecision, PrecisionTarget, StopReason, why_ended
from callbench.runner.plan.plan import Plan
from callbench.store.lines.run import EndedLine
from callbench.store.record import Record
from callbench.store.requested.run import RequestedRun

# How much of its level all early looks at a result may use together.
EARLY_SHARE = 0.2

if TYPE_CHECKING:
    from callbench.analysis.cells.results import Result
    from callbench.analysis.judge.claims import ClaimComparison
    from callbench.analysis.run.rankings import Ranking
    from callbench.analysis.run.subject import Subject


def undecided_cells(run: Record, plan: Plan) -> set[str]:
    """Return the cells for which further forks can still decide something.

    With a requested precision, these are the cells that have not reached it. Otherwise they are the cells of undecided
    claims and questions, and of neighbours in a ranking that are neither different nor close enough. Cells that no
    reasonable number of forks would decide are not returned.

    Raises:
        BadInput: the run is damaged.
    """
    aim = _precision_goal(run)
    if aim is not None:
        return {cell.id for cell in _results(run, plan) if why_ended(_reached(cell), aim) is None}
    from callbench.analysis.run.subject import subject  # noqa: PLC0415 - statistics are slow to load

    subjects = [subject(run.under(condition)) for condition in plan.conditions]
    return {cell for subject in subjects for cell in _cells_of_claims(subject) | _cells_of_neighbours(subject)}


def early_undecided_cells(run: Record, plan: Plan, look: int) -> set[str]:
    """Return the cells that the planned forks still need, if there is no time for all cells in all of them.

    A result that is looked at before its planned forks are over is decided by chance more often than its level says.
    So a look leaves out cells at a small share of the level alone, and all looks together at `EARLY_SHARE` of it:
    look j has the share 1 / (j (j + 1)) of that, as in the play-off of decision 14. What has no value yet is kept.

    Args:
        run: the record so far.
        plan: of the run.
        look: the number of this look, from 1.

    Raises:
        BadInput: the run is damaged.
    """
    if _precision_goal(run) is not None:
        return undecided_cells(run, plan)
    from callbench.analysis.judge.claims import LEVEL, judge  # noqa: PLC0415 - statistics are slow to load
    from callbench.analysis.judge.questions import ask  # noqa: PLC0415
    from callbench.analysis.run.subject import subject  # noqa: PLC0415

    level = early_level(LEVEL, look)
    found: set[str] = set()
    for condition in plan.conditions:
        seen = subject(run.under(condition))
        strict = replace(
            seen,
            judged=judge(seen.study, seen.results, level),
            asked=ask(seen.study, seen.results, level),
        )
        found |= _early_cells_of_claims(strict) | _early_cells_of_rankings(strict, level)
    return found


def early_level(level: float, look: int) -> float:
    """Return the share of a level that one early look has; all looks together have `EARLY_SHARE` of it."""
    return EARLY_SHARE * level / (look * (look + 1))


def endings(run: Record, plan: Plan) -> list[EndedLine]:
    """Return the journal lines that say why each cell of a run with a requested precision ended.

    Raises:
        BadInput: the run is damaged.
    """
    aim = _precision_goal(run)
    if aim is None:
        return []
    found = []
    for cell in _results(run, plan):
        now = _reached(cell)
        why = why_ended(now, aim) or StopReason.BUDGET
        ended = EndedLine(
            kind="ended", cell=cell.id, why=why.value, asked=aim.until, reached=now.width, forks=now.forks
        )
        found.append(ended)
    return found


def _precision_goal(run: Record) -> PrecisionTarget | None:
    """Return the requested precision; None if there is none."""
    requested = run.requested(RequestedRun)
    return None if requested.until is None else PrecisionTarget(requested.until, requested.budget_s)


def _results(run: Record, plan: Plan) -> "list[Result]":
    """Return the results of all cells so far."""
    from callbench.analysis.cells.read_results import read  # noqa: PLC0415 - statistics are slow to load

    return [cell for condition in plan.conditions for cell in read(run.under(condition)).cells]


def _reached(cell: "Result") -> CellPrecision:
    """Return the precision of a cell: that of its rate, or of its mean latency in an open loop."""
    statistic = "rate_per_s" if cell.open_loop is None else "mean_us"
    interval = cell.interval(statistic)
    width = None if interval is None else interval.half_width
    return CellPrecision(width, len(cell.by_fork.get(statistic, {})), cell.excluded is not None)


def _cells_of_claims(subject: "Subject") -> set[str]:
    """Return the cells of undecided claims and questions that more forks may decide."""
    return {
        cell for compared in _every_comparison(subject) if _is_decidable(compared) for cell in _cells(subject, compared)
    }


def _every_comparison(subject: "Subject") -> "list[ClaimComparison]":
    """Return the comparisons of all claims and questions."""
    every = [compared for judged in subject.judged for compared in judged.compared]
    return every + [answer.compared for question in subject.asked for answer in question.answers]


def _is_decidable(compared: "ClaimComparison") -> bool:
    from callbench.analysis.judge.claims import Verdict  # noqa: PLC0415 - statistics are slow to load

    return (
        compared.verdict is Verdict.UNDECIDED
        and not compared.bounded
        and compared.tested is not None
        and compared.tested.more_forks is not None
    )


def _early_cells_of_claims(subject: "Subject") -> set[str]:
    """Return the cells of all claims and questions that are not decided, bounds apart."""
    from callbench.analysis.judge.claims import Verdict  # noqa: PLC0415 - statistics are slow to load

    return {
        cell
        for compared in _every_comparison(subject)
        if compared.verdict in {Verdict.UNDECIDED, Verdict.UNMEASURED} and not compared.bounded
        for cell in _cells(subject, compared)
    }


def _early_cells_of_rankings(subject: "Subject", level: float) -> set[str]:
    """Return the cells of neighbours that are neither told apart at a level nor close, and those without a rank."""
    from callbench.analysis.run.obstacles import CLOSE  # noqa: PLC0415 - statistics are slow to load
    from callbench.analysis.run.rankings import rankings  # noqa: PLC0415
    from callbench.stats.estimate.interval import CONFIDENCE  # noqa: PLC0415

    found: set[str] = set()
    for table in rankings(subject, level):
        found |= {cell.id for cell in table.cells} - {table.ranked[each.index].id for each in table.standings}
        for ahead, behind in pairwise(table.standings):
            pair = [table.ranked[standing.index] for standing in (ahead, behind)]
            known = subject.results.estimated(*pair)
            width = None if known is None else known.interval(CONFIDENCE).half_width
            if behind.index in ahead.ties and (width is None or width > CLOSE):
                found |= {each.id for each in pair}
    return found


def _cells(subject: "Subject", compared: "ClaimComparison") -> Iterable[str]:
    sides = (*compared.comparison.over, *compared.comparison.under)
    return (cell.id for conditions in sides for cell in subject.results.where(conditions))


def _cells_of_neighbours(subject: "Subject") -> set[str]:
    """Return the cells of neighbours in a ranking that more forks may distinguish."""
    from callbench.analysis.run.rankings import rankings  # noqa: PLC0415 - statistics are slow to load

    return {cell for table in rankings(subject) for cell in _undecided(subject, table)}


def _undecided(subject: "Subject", table: "Ranking") -> Iterable[str]:
    from callbench.analysis.run.obstacles import CLOSE  # noqa: PLC0415 - statistics are slow to load
    from callbench.stats.decide.forecast import more_forks  # noqa: PLC0415
    from callbench.stats.estimate.interval import CONFIDENCE  # noqa: PLC0415

    count = len(table.contenders)
    level = (1 - CONFIDENCE) / max(1, count * (count - 1) // 2)
    for one, other in pairwise(table.standings):
        pair = [table.ranked[standing.index] for standing in (one, other)]
        known = subject.results.estimated(*pair)
        if other.index not in one.ties or known is None:
            continue
        width = known.interval(CONFIDENCE).half_width
        if width is not None and width > CLOSE and more_forks(known, level) is not None:
            yield from (each.id for each in pair)
