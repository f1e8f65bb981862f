"""Two stored runs compared with each other, cell by cell: by multiples of the echo of each one's own rounds."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Self

from callbench.analysis.cells.read_results import read
from callbench.analysis.cells.results import Result, Results
from callbench.analysis.compare.comparison import Comparison, failure_notes
from callbench.analysis.compare.verdicts import ComparedFigures, ComparedMetric, Rule, metric_verdicts
from callbench.analysis.run.earlier_runs import fact_of
from callbench.analysis.run.past_runs import spread_beside
from callbench.model.errors import BadInput
from callbench.model.metrics.latency import ECHOES
from callbench.stats.decide.failures import CallCounts, FailedCalls
from callbench.stats.estimate.digits import percent
from callbench.stats.estimate.interval import geometric_mean
from callbench.stats.estimate.run_spread import RunSpread
from callbench.store.head import RUN
from callbench.store.record import Record

# A smaller change is not written with its value.
_LEAST_SHARE = 0.001
_ONLY_A = "B has no such cell"
_COUNTS_SQL = """
SELECT cell, list(failed ORDER BY fork), list("right" ORDER BY fork)
FROM (SELECT cell, fork, sum(error_count)::BIGINT AS failed, sum(calls)::BIGINT AS "right" FROM trials GROUP BY ALL)
GROUP BY cell"""
_COLUMNS = {ComparedMetric.RATE: "rate_per_s", ComparedMetric.P99: "p99_us"}
_SAME = (("machine", "model"), ("kernel", "release"), ("processors", "online"), ("processors", "governor"))


@dataclass(frozen=True)
class _Stored:
    """A run and what is needed of it.

    Attributes:
        idle: in what condition the processors were, by cell.
        rounds: whether each of its rounds had the echo.
        counts: the calls of each cell, fork by fork.
    """

    results: Results
    idle: Mapping[str, str]
    rounds: bool
    counts: Mapping[str, CallCounts]

    @classmethod
    def of(cls, run: Record) -> Self:
        """Read it."""
        with run.connection() as connection:
            idle = dict(connection.execute("SELECT cell, idle FROM cells").fetchall())
            rounds = connection.execute("SELECT count(*) FROM echoes WHERE place LIKE 'round %'").fetchone()
            forks = connection.execute(_COUNTS_SQL).fetchall()
        counts = {cell: CallCounts(failed, right) for cell, failed, right in forks}
        return cls(read(run), idle, bool(rounds and rounds[0]), counts)

    def cells(self) -> dict[tuple[str, ...], Result]:
        """Return the cells of closed loops, by what identifies them in another run.

        The rates of open loops are given, so they are not compared.
        """
        return {(*cell.identity, self.idle[cell.id]): cell for cell in self.results.cells if cell.open_loop is None}


def compared(a: Record, b: Record, strict: Rule) -> Comparison:
    """Compare the cells that two runs share with each other.

    Raises:
        BadInput: one is not a run of a study, is damaged, or they share no cell.
    """
    for run in (a, b):
        if run.kind != RUN:
            raise BadInput(
                f"{run.path} is a record of {run.kind}, and only runs of a study are compared as they are stored."
                " Name two runs, or the two servers by their commands or URLs: then both are driven in turn"
            )
    runs = (_Stored.of(a), _Stored.of(b))
    by_echo = all(run.rounds for run in runs)
    moved = _moved(a, b)
    rule = replace(strict, shift=0.0 if by_echo else moved or 0.0)
    spread = spread_beside([a, b])
    cells = list(_figures(*runs, spread, by_echo=by_echo))
    if all(cell.why == _ONLY_A for cell in cells):
        raise BadInput(f"{a.path} and {b.path} have no cell in common, with the same stack, call, clients and link")
    how = "two stored runs, as two samples of forks, " + (
        "compared as multiples of the raw echo of their own rounds" if by_echo else "compared by their values"
    )
    verdicts = metric_verdicts(cells, rule)
    notes = [*_notes(a, b, moved, by_echo=by_echo), _spread_note(spread), *failure_notes(verdicts)]
    return Comparison(str(a.path), str(b.path), how, rule, verdicts, notes)


def _figures(a: _Stored, b: _Stored, spread: RunSpread, *, by_echo: bool) -> Iterator[ComparedFigures]:
    """Pair the cells of two runs."""
    theirs = b.cells()
    for key, one in a.cells().items():
        other = theirs.get(key)
        if other is None:
            stack = one.attributes["stack"]
            yield ComparedFigures(one.id, (stack, stack), _name(one), ([], []), why=_ONLY_A)
            continue
        # Over a link there is no echo to compare with: the time is the link's.
        echoed = by_echo and all(ECHOES in result.by_fork for result in (one, other))
        echo = (_echo(one), _echo(other)) if echoed else None
        none = CallCounts((), ())
        counts = FailedCalls(a.counts.get(one.id, none), b.counts.get(other.id, none))
        rates = replace(_of(one, other, ComparedMetric.RATE, echo), counts=counts, between=spread.of(one.kind))
        yield rates
        few = [
            f"{side}: {result.too_few['p99_us']}"
            for side, result in (("A", one), ("B", other))
            if "p99_us" in result.too_few
        ]
        if not rates.why and few:
            yield replace(rates, metric=ComparedMetric.P99, values=([], []), echoes=None, why="; ".join(few))
        elif not rates.why and all("p99_us" in result.by_fork for result in (one, other)):
            # A tail differs from run to run at least as much as the mean.
            yield replace(_of(one, other, ComparedMetric.P99, echo), counts=counts, between=spread.of(one.kind))


def _echo(cell: Result) -> dict[int, float]:
    """Return the echoes a second beside a cell, by fork."""
    times, multiples = (cell.by_fork.get(name, {}) for name in ("mean_us", ECHOES))
    return {fork: 1e6 * multiple / times[fork] for fork, multiple in multiples.items()}


def _name(cell: Result) -> str:
    """Name a cell by its group and its clients."""
    clients = cell.attributes["clients"]
    return cell.attributes["group"] + ("" if clients == "1" else f", {clients} clients")


def _of(
    one: Result, other: Result, metric: ComparedMetric, echo: tuple[Mapping[int, float], Mapping[int, float]] | None
) -> ComparedFigures:
    """Take the values of one cell from both runs, of the forks that have its echo if one is wanted."""
    whys = [
        f"{side}: {why}"
        for side, result in (("A", one), ("B", other))
        for why in ([result.excluded] if result.excluded else _doubts(result))
    ]
    values_of = [result.by_fork.get(_COLUMNS[metric], {}) for result in (one, other)]
    forks = [sorted(values_of[side] if echo is None else values_of[side].keys() & echo[side].keys()) for side in (0, 1)]
    values = [[values_of[side][fork] for fork in forks[side]] for side in (0, 1)]
    echoes_of = None if echo is None else [[echo[side][fork] for fork in forks[side]] for side in (0, 1)]
    return ComparedFigures(
        one.id,
        (one.attributes["stack"], other.attributes["stack"]),
        _name(one),
        (values[0], values[1]),
        metric,
        paired=False,
        echoes=None if echoes_of is None else (echoes_of[0], echoes_of[1]),
        why="; ".join(whys),
        failed=other.excluded is not None,
        sides=frozenset(side for side, result in (("A", one), ("B", other)) if result.excluded),
    )


def _doubts(result: Result) -> list[str]:
    """Return what forbids a comparison. Failed calls do not: they are compared themselves."""
    return [why for why in result.doubts if why != result.failing]


def _moved(a: Record, b: Record) -> float | None:
    """Return how far the echo moved from one run to the other, as a log-ratio; None if one of them has none."""
    rates = [_echo_rate(record) for record in (a, b)]
    return None if rates[0] is None or rates[1] is None else abs(math.log(rates[1] / rates[0]))


def _echo_rate(run: Record) -> float | None:
    """Return the echo's rate in a run, or None."""
    with run.connection() as connection:
        rows = connection.execute("SELECT rate_per_s FROM echoes WHERE calls > 0").fetchall()
    return geometric_mean([float(rate) for (rate,) in rows]).middle if rows else None


def _spread_note(spread: RunSpread) -> str:
    """Describe whether it is known what runs of this machine differ by with nothing changed."""
    if spread.other is None:
        return (
            "No two other runs of this study lie beside A and B, so it is not known what runs of this machine differ"
            " by with nothing changed. The intervals are of these two runs alone."
        )
    return f"The intervals have in them what {spread.runs} other runs of this machine differ by."


def _notes(a: Record, b: Record, moved: float | None, *, by_echo: bool) -> Iterator[str]:
    """Describe what bears on two runs that were not made together."""
    if moved is None:
        yield (
            "The runs were made at different times, and at least one has no echo. So it is unknown how much the"
            " machine changed. A live comparison does not have this problem."
        )
    elif by_echo:
        yield (
            f"The raw echo changed by {_change_text(moved)} between the runs. A and B are shown as measured."
            " Their ratios and verdicts use multiples of the echo."
        )
    else:
        yield (
            f"The raw echo changed by {_change_text(moved)} between the runs. The machine caused that, so"
            " smaller differences are not decided."
        )
    first, second = a.environment(), b.environment()
    for part, key in _SAME:
        mine, theirs = (fact_of(run, part, key) for run in (first, second))
        if mine != theirs:
            yield f"The runs differ in {part} {key}: {mine} and {theirs}."


def _change_text(moved: float) -> str:
    """Write a log-ratio as a share: `4.2 %`; nothing that changed rounds to 0."""
    share = math.expm1(moved)
    return percent(share, 1) if share >= _LEAST_SHARE or not share else f"under {percent(_LEAST_SHARE, 1)}"
