"""Which cells a run still needs: those that something undecided rests on. Read from what is on disk."""

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from callbench.analysis.precision.stopping import Aim, Reached, Why, why_ended
from callbench.runner.plan import Plan
from callbench.store.run import Run

if TYPE_CHECKING:
    from callbench.analysis.claims import Compared
    from callbench.analysis.rankings import Ranking
    from callbench.analysis.results import Result
    from callbench.analysis.subject import Subject


def still_open(run: Run, plan: Plan) -> set[str]:
    """The cells that further forks could still decide something with.

    Where a person asked for a precision, those that have not reached it. Else those of undecided claims and questions,
    and of neighbours in a ranking that are neither told apart nor so near that nobody would care; but not of those
    that no sensible number of forks would settle.

    Raises:
        BadInput: the run is damaged.
    """
    aim = _aim(run)
    if aim is not None:
        return {one.id for one in _measured(run, plan) if why_ended(_reached(one), aim) is None}
    from callbench.analysis.subject import subject  # noqa: PLC0415 - statistics are slow to load

    subjects = [subject(run.under(condition)) for condition in plan.conditions]
    return {cell for one in subjects for cell in _of_claims(one) | _of_neighbours(one)}


def endings(run: Run, plan: Plan) -> list[dict[str, Any]]:
    """Why each cell of a run that was asked to be precise ended, as the journal has it; none of another run.

    Raises:
        BadInput: the run is damaged.
    """
    aim = _aim(run)
    if aim is None:
        return []
    found = []
    for one in _measured(run, plan):
        now = _reached(one)
        why = why_ended(now, aim) or Why.BUDGET
        figures = {"asked": aim.until, "reached": now.width, "blocks": now.forks}
        found.append({"kind": "ended", "cell": one.id, "why": why.value, **figures})
    return found


def _aim(run: Run) -> Aim | None:
    """How precise a person asked the run to be; None where nobody did."""
    until, budget_s = run.info.get("until"), run.info.get("budget_s")
    return None if until is None else Aim(float(until), budget_s)


def _measured(run: Run, plan: Plan) -> "list[Result]":
    """What the run has of every cell so far."""
    from callbench.analysis.read_results import read  # noqa: PLC0415 - statistics are slow to load

    return [one for condition in plan.conditions for one in read(run.under(condition)).cells]


def _reached(one: "Result") -> Reached:
    """How precise a cell is, by the interval that the report prints; of an open loop its mean latency's."""
    statistic = "rate_per_s" if one.open_loop is None else "mean_us"
    interval = one.interval(statistic)
    width = None if interval is None else interval.half_width
    return Reached(width, len(one.by_block.get(statistic, {})), one.excluded is not None)


def _of_claims(subject: "Subject") -> set[str]:
    """The cells of undecided claims and questions that more forks may settle."""
    every = [one for judged in subject.judged for one in judged.compared]
    every += [one.compared for asked in subject.asked for one in asked.answers]
    return {cell for one in every if _may_be_settled(one) for cell in _cells(subject, one)}


def _may_be_settled(one: "Compared") -> bool:
    from callbench.analysis.claims import Verdict  # noqa: PLC0415 - statistics are slow to load

    return one.verdict is Verdict.UNDECIDED and one.tested is not None and one.tested.more_forks is not None


def _cells(subject: "Subject", one: "Compared") -> Iterable[str]:
    sides = (*one.comparison.over, *one.comparison.under)
    return (cell.id for conditions in sides for cell in subject.results.where(conditions))


def _of_neighbours(subject: "Subject") -> set[str]:
    """The cells of neighbours in rank that more forks may tell apart."""
    from callbench.analysis.rankings import rankings  # noqa: PLC0415 - statistics are slow to load

    return {cell for table in rankings(subject) for cell in _undecided(subject, table)}


def _undecided(subject: "Subject", table: "Ranking") -> Iterable[str]:
    from callbench.analysis.obstacles import CLOSE  # noqa: PLC0415 - statistics are slow to load
    from callbench.stats.interval import CONFIDENCE  # noqa: PLC0415
    from callbench.stats.outlook import more_forks  # noqa: PLC0415

    count = len(table.ranked)
    level = (1 - CONFIDENCE) / max(1, count * (count - 1) // 2)
    for one, other in pairwise(table.standings):
        pair = [table.ranked[place.index] for place in (one, other)]
        known = subject.results.estimated(*pair)
        if other.index not in one.ties or known is None:
            continue
        width = known.interval(CONFIDENCE).half_width
        if width is not None and width > CLOSE and more_forks(known, level) is not None:
            yield from (each.id for each in pair)
