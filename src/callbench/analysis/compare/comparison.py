"""A comparison with its verdicts: from its own folder, or from those of two runs."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from callbench.analysis.compare.method import echo_of, method_sentence, notes_of
from callbench.analysis.compare.verdicts import (
    ComparedFigures,
    ComparedMetric,
    MetricVerdict,
    Rule,
    failed_text,
    metric_verdicts,
)
from callbench.analysis.wording.words import some
from callbench.model.card import PlannedCell, PlannedPair
from callbench.model.errors import BadInput
from callbench.stats.decide.decision import Outcome, together
from callbench.stats.decide.failures import CallCounts, FailedCalls
from callbench.stats.estimate.histogram import Buckets, merged
from callbench.stats.estimate.percentile_calls import fewest_calls
from callbench.stats.load.rate import Window
from callbench.store.head import COMPARISON, RUN
from callbench.store.lines.comparison import LeftOutLine, MetCell, MetLine
from callbench.store.lines.of_kind import of_kind
from callbench.store.record import Record
from callbench.store.requested.comparison import RequestedComparison

# Of fewer calls p99 is the greatest or nearly so: forks are taken together until they have that many.
LEAST_CALLS = fewest_calls(0.99)
# Cells with failed calls that a note names one by one.
MOST_FAILING = 5
_SIDES = (0, 1)


@dataclass(frozen=True)
class Comparison:
    """What a comparison found.

    Attributes:
        a: what the other is compared with, as it was named.
        method: how it was made, in a sentence.
        notes: what a reader must know.
        folder: where it lies, or "" if it was computed from two runs.
    """

    a: str
    b: str
    method: str
    rule: Rule
    cells: Sequence[MetricVerdict]
    notes: Sequence[str]
    folder: str = ""

    @property
    def regressions(self) -> list[MetricVerdict]:
        """What is shown to be worse than the threshold allows."""
        return [cell for cell in self.cells if cell.regression]

    @property
    def missing(self) -> list[MetricVerdict]:
        """What could not be compared."""
        return [cell for cell in self.cells if cell.ratio is None]

    @property
    def outcome(self) -> Outcome:
        """What a gate makes of it."""
        return together(cell.outcome for cell in self.cells)


@dataclass(frozen=True)
class RuleOptions:
    """What the command line says of the rule; None: not said.

    Attributes:
        p99_threshold: infinite: p99 is not judged.
    """

    level: float | None = None
    threshold: float | None = None
    p99_threshold: float | None = None

    def over(self, rule: Rule) -> Rule:
        """Return a rule with what was said instead of its own."""
        p99 = rule.p99_threshold if self.p99_threshold is None else self.p99_threshold
        return replace(
            rule,
            level=rule.level if self.level is None else self.level,
            threshold=rule.threshold if self.threshold is None else self.threshold,
            p99_threshold=None if p99 is None or math.isinf(p99) else p99,
        )


def read(run: Record, given: RuleOptions | None = None) -> Comparison:
    """Judge a comparison's folder.

    Args:
        run: its folder.
        given: what is to count instead of its own rule.

    Raises:
        BadInput: it is not a comparison's, or is damaged.
    """
    if run.kind == RUN:
        raise BadInput(f"{run.path} is a run of a study, not a comparison. Give two runs to compare them")
    if run.kind != COMPARISON:
        raise BadInput(
            f"{run.path} is a record of {run.kind}, not a comparison. Name two stacks, servers, builds or runs"
        )
    requested = run.requested(RequestedComparison)
    try:
        own = Rule(requested.level, requested.threshold, requested.p99_threshold)
        rule = (given or RuleOptions()).over(own)
        pairs, lines = run.plan()["pairs"], list(run.lines())
        cells = metric_verdicts(list(_figures(pairs, lines, run.journal_file)), rule)
    except (KeyError, TypeError, ValueError, IndexError) as failure:
        raise BadInput(f"{run.path} is damaged: {failure!r} is missing or of the wrong kind") from failure
    met = list(of_kind(lines, MetLine, run.journal_file))
    notes = [*requested.notes, *_notes(run, cells, rule), *notes_of(pairs, met, hold_idle=requested.hold_idle)]
    if requested.a == requested.b:
        notes.append("A and B are the same, so every difference is chance.")
    return Comparison(
        a=requested.a,
        b=requested.b,
        method=method_sentence(met),
        rule=rule,
        cells=cells,
        notes=notes,
        folder=str(run.path),
    )


def _notes(run: Record, cells: Sequence[MetricVerdict], rule: Rule) -> Iterator[str]:
    """Describe what a reader must know."""
    if run.state != "finished":
        yield f"This comparison {run.state_in_words}. Only its finished forks count."
    rates = [cell for cell in cells if cell.figures.metric is ComparedMetric.RATE]
    yield from failure_notes(cells)
    with_tail = {cell.figures.cell for cell in cells if cell.figures.metric is ComparedMetric.P99}
    without = [cell.figures.name for cell in rates if cell.ratio and cell.figures.cell not in with_tail]
    if without and rule.p99_threshold is not None:
        yield f"{some(without)} has no p99, because the calls were too short to be timed one by one."


def failure_notes(cells: Sequence[MetricVerdict]) -> Iterator[str]:
    """Say whose calls failed, cell by cell."""
    failed = [cell.figures for cell in cells if cell.figures.metric is ComparedMetric.RATE and any(cell.figures.errors)]
    for figures in failed[:MOST_FAILING]:
        yield f"{figures.name}: {failed_text(figures)}. Failed calls count in no rate."
    if len(failed) > MOST_FAILING:
        yield f"Calls failed in {len(failed) - MOST_FAILING} more cells. `--json` has their numbers."


def _figures(
    pairs: Sequence[PlannedPair], lines: Sequence[Mapping[str, object]], path: Path
) -> Iterator[ComparedFigures]:
    """Return each cell's values, a pair of them a fork."""
    excluded = {line["pair"]: _Failing.of(line) for line in of_kind(lines, LeftOutLine, path)}
    found: dict[str, list[tuple[MetCell, float | None]]] = {}
    busy: dict[int, str] = {}
    for line in of_kind(lines, MetLine, path):
        if unsteady := line.get("unsteady"):
            busy.setdefault(line["pair"], unsteady)
            continue
        for met in line["cells"]:
            found.setdefault(met["cell"], []).append((met, echo_of(line)))
    for index, pair in enumerate(pairs):
        for cell in pair["cells"]:
            forks = found.get(cell["id"], [])
            failing = excluded.get(index, _Failing())
            # A program that does not keep still is no failure of it, but nothing can be said of it.
            rates = _rates(pair, cell, forks, failing, busy.get(index, "") if not forks else "")
            yield rates
            tails = None if rates.why else _tails(rates, [fork for fork, _ in forks])
            if tails is not None:
                yield tails


@dataclass(frozen=True)
class _Failing:
    """Why there is nothing to compare, and whose failure it is; records of before do not say whose."""

    why: str = ""
    sides: frozenset[str] = frozenset()

    @classmethod
    def of(cls, line: LeftOutLine) -> "_Failing":
        """Read it from the line of a pair that was left out."""
        return cls(line["why"], frozenset(line.get("sides", ())))


def _rates(
    pair: PlannedPair, cell: PlannedCell, forks: Sequence[tuple[MetCell, float | None]], failing: _Failing, busy: str
) -> ComparedFigures:
    """Compute one cell's rates.

    A fork's rate is all of its calls over all of its time, so a pause counts with the weight it has. The fork, not
    the slice, is what the test counts: slices that follow each other resemble each other (Schmeiser, "Batch size
    effects in the analysis of simulation output", Operations Research 30(3), 1982, on batches in their place), and
    each start of a program has a memory layout and with it a speed of its own (Kalibera and Jones, "Rigorous
    benchmarking in reasonable time", ISMM 2013).
    """
    rates: tuple[list[float], list[float]] = ([], [])
    right: tuple[list[int], list[int]] = ([], [])
    wrong: tuple[list[int], list[int]] = ([], [])
    why, sides, failed = failing.why, failing.sides, bool(failing.why)
    sustained: list[float] = []
    paces: list[float] = []
    for fork, pace in forks:
        if (cannot := fork.get("cannot")) and not why:
            why, failed = cannot, not fork.get("lacks", False)
            sides = frozenset(filter(None, [fork.get("side", "")]))
        if fork.get("agree") is False and not why:
            why, failed = "client and server counted differently", True
        sums = [Window(0.0, 0), Window(0.0, 0)]
        for side in _SIDES:
            right[side].append(0)
            wrong[side].append(0)
        for of_side, calls, errors, ns, *within in fork.get("slices", ()):
            side = int(of_side)
            # Of those that were stored before, the window is the whole slice.
            sums[side] += Window(within[0] if within else calls, int(ns))
            right[side][-1] += int(calls)
            wrong[side][-1] += int(errors)
        if all(both.per_s for both in sums):
            for side in _SIDES:
                rates[side].append(sums[side].per_s)
            paces += [] if pace is None else [pace]
            if (without := fork.get("sustained")) and all(without):
                a, b = (rate / both.per_s for rate, both in zip(without, sums, strict=True))
                sustained.append(b / a)
        elif not why:
            # A stack failed, whichever it is; whose failure it is stands in the title and the last lines.
            silent = [name for name, both in zip("AB", sums, strict=True) if not both.per_s]
            failed, sides = True, frozenset(silent)
            why = f"{' and '.join(silent)} answered no call"
    return ComparedFigures(
        cell["id"],
        (str(pair["a"]["id"]), str(pair["b"]["id"])),
        cell["name"],
        rates,
        counts=FailedCalls(*(CallCounts(wrong[side], right[side]) for side in _SIDES)),
        why=why or busy,
        failed=failed,
        sides=sides,
        sustained=sustained,
        paces=paces if len(paces) == len(rates[0]) else (),
    )


Histogram = Mapping[int, int]


def _tails(rates: ComparedFigures, forks: Sequence[MetCell]) -> ComparedFigures | None:
    """Compute one cell's p99, raw and in microseconds; None if its calls were not timed one by one.

    It is of all calls of a fork, or of several forks that follow each other: percentiles are never averaged.
    """
    timed = []
    for fork in forks:
        both = [dict(pairs or ()) for pairs in fork.get("latency") or ()]
        if not all(both) or len(both) < len(_SIDES):
            return None
        timed.append((both[0], both[1]))
    fewest = min(sum(sum(both[side].values()) for both in timed) for side in _SIDES)
    if fewest < 2 * LEAST_CALLS:
        why = (
            f"there are {fewest:,} calls, and p99 needs {2 * LEAST_CALLS}; give {2 * LEAST_CALLS / max(fewest, 1):.2g}"
            " times the --seconds, or --p99-threshold none"
        )
        return replace(rates, metric=ComparedMetric.P99, values=([], []), why=why, sustained=(), paces=())
    values: tuple[list[float], list[float]] = ([], [])
    for group in _grouped(timed, fewest):
        for side in _SIDES:
            values[side].append(Buckets.of(merged([both[side] for both in group])).percentiles([0.99])[0] / 1e3)
    return replace(rates, metric=ComparedMetric.P99, values=values, sustained=(), paces=())


def _grouped(timed: Sequence[tuple[Histogram, Histogram]], fewest: int) -> list[Sequence[tuple[Histogram, Histogram]]]:
    """Take forks that follow each other together, as many as have enough calls on the mean."""
    count = max(2, min(len(timed), fewest // LEAST_CALLS))
    bounds = [len(timed) * place // count for place in range(count + 1)]
    return [timed[low:high] for low, high in itertools.pairwise(bounds) if high > low]
