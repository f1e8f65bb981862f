"""A comparison, judged: from its own folder, or from those of two runs."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from callbench.compare.verdicts import Figures, Judged, Metric, Rule, judged
from callbench.errors import BadInput
from callbench.report.words import some
from callbench.stats.decision import Outcome, together
from callbench.stats.histogram import Buckets
from callbench.store import Run

# Of fewer calls in a round, p99 is the greatest or nearly so.
LEAST_CALLS = 100
_SIDES = (0, 1)


@dataclass(frozen=True)
class Comparison:
    """What a comparison found.

    Attributes:
        a: what the other is held against, as it was named.
        how: how it was made, in a sentence.
        notes: what a reader must know.
        folder: where it lies, or "" where it was reckoned from two runs.
    """

    a: str
    b: str
    how: str
    rule: Rule
    cells: Sequence[Judged]
    notes: Sequence[str]
    folder: str = ""

    @property
    def regressions(self) -> list[Judged]:
        """What is shown to be worse than the threshold allows."""
        return [one for one in self.cells if one.regression]

    @property
    def missing(self) -> list[Judged]:
        """What could not be compared."""
        return [one for one in self.cells if one.ratio is None]

    @property
    def outcome(self) -> Outcome:
        """What a gate makes of it."""
        return together(one.outcome for one in self.cells)


@dataclass(frozen=True)
class Given:
    """What the command line says of the rule; None: not said.

    Attributes:
        p99_threshold: infinite: p99 is not judged.
    """

    level: float | None = None
    threshold: float | None = None
    p99_threshold: float | None = None

    def over(self, rule: Rule) -> Rule:
        """Give a rule with what was said instead of its own."""
        p99 = rule.p99_threshold if self.p99_threshold is None else self.p99_threshold
        return replace(
            rule,
            level=rule.level if self.level is None else self.level,
            threshold=rule.threshold if self.threshold is None else self.threshold,
            p99_threshold=None if p99 is None or math.isinf(p99) else p99,
        )


def read(run: Run, given: Given | None = None) -> Comparison:
    """Judge a comparison's folder.

    Args:
        run: its folder.
        given: what is to count instead of its own rule.

    Raises:
        BadInput: it is not a comparison's, or is damaged.
    """
    info = run.info
    if info.get("kind") != "comparison":
        raise BadInput(f"{run.path} is a run of a study, not a comparison: name two runs to compare them")
    try:
        own = Rule(float(info["level"]), float(info["threshold"]), info.get("p99_threshold", Rule.p99_threshold))
        rule = (given or Given()).over(own)
        pairs = run.plan()["pairs"]
        cells = judged(list(_figures(pairs, list(run.lines()))), rule)
        a, b, rounds = str(info["a"]), str(info["b"]), int(info["blocks"])
    except (KeyError, TypeError, ValueError, IndexError) as failure:
        raise BadInput(f"{run.path} is damaged: {failure!r} is missing or of the wrong kind") from failure
    notes = list(_notes(run, pairs, cells, rule))
    if a == b:
        notes.append("A and B are the same: what differs here is chance.")
    return Comparison(a, b, _how(rounds, pairs), rule, cells, notes, str(run.path))


def _how(rounds: int, pairs: Sequence[Mapping[str, Any]]) -> str:
    """Say how a live comparison was made."""
    if any(one["in_turn"] for one in pairs):
        return f"{rounds} rounds: each starts both afresh and drives them in turn, in slices of 20 ms in random order"
    return f"{rounds} rounds: each starts one after the other in random order"


def _notes(run: Run, pairs: Sequence[Mapping[str, Any]], cells: Sequence[Judged], rule: Rule) -> Iterator[str]:
    """Say what a reader must know."""
    if run.info["state"] != "finished":
        yield f"This comparison is {run.info['state']}: the rounds that were finished are judged."
    spinning = [f"{one['a']['id']} and {one['b']['id']}" for one in pairs if not one["in_turn"]]
    if spinning:
        yield (
            f"{', '.join(spinning[:3])}{' ...' if len(spinning) > 3 else ''}: one of them takes a processor also while"
            " it waits, so both were not alive at once; whole pieces in turn are more open to drift than slices."
        )
    rates = [one for one in cells if one.figures.metric is Metric.RATE]
    failed = [one for one in rates if sum(one.figures.errors)]
    if failed:
        total = sum(sum(one.figures.errors) for one in failed)
        yield f"{total:,} calls failed, in {len(failed)} cells; they count in no rate."
    with_tail = {one.figures.cell for one in cells if one.figures.metric is Metric.P99}
    without = [one.figures.name for one in rates if one.ratio and one.figures.cell not in with_tail]
    if without and rule.p99_threshold is not None:
        yield f"p99 is not judged of {some(without)}: the calls were too short to be timed one by one."


def _figures(pairs: Sequence[Mapping[str, Any]], lines: Sequence[Mapping[str, Any]]) -> Iterator[Figures]:
    """Give each cell's values, a pair of them a round."""
    whys = {int(line["pair"]): str(line["why"]) for line in lines if line["kind"] == "excluded"}
    found: dict[str, list[Mapping[str, Any]]] = {}
    for line in lines:
        if line["kind"] == "met":
            for cell in line["cells"]:
                found.setdefault(str(cell["cell"]), []).append(cell)
    for index, pair in enumerate(pairs):
        for cell in pair["cells"]:
            rounds = found.get(cell["id"], [])
            rates = _rates(pair, cell, rounds, whys.get(index, ""))
            yield rates
            tails = None if rates.why else _tails(rates, rounds)
            if tails is not None:
                yield tails


def _rates(pair: Mapping[str, Any], cell: Mapping[str, Any], rounds: Sequence[Mapping[str, Any]], why: str) -> Figures:
    """Compute one cell's rates.

    A round's rate is all of its calls over all of its time, so a pause counts with the weight it has. The round, not
    the slice, is what the test counts: slices that follow each other resemble each other (Schmeiser, "Batch size
    effects in the analysis of simulation output", Operations Research 30(3), 1982, on batches in their place), and
    each start of a program has a memory layout and with it a speed of its own (Kalibera and Jones, "Rigorous
    benchmarking in reasonable time", ISMM 2013).
    """
    rates: tuple[list[float], list[float]] = ([], [])
    calls_of, errors = [0, 0], [0, 0]
    failed = bool(why)
    for one in rounds:
        if one.get("cannot") and not why:
            why, failed = str(one["cannot"]), not one.get("lacks", False)
        if one.get("agree") is False and not why:
            why, failed = "client and server counted differently", True
        sums = [[0, 0], [0, 0]]
        for side, calls, wrong, elapsed_ns in one.get("slices", ()):
            sums[side][0] += calls
            sums[side][1] += elapsed_ns
            errors[side] += wrong
        for side in _SIDES:
            calls_of[side] += sums[side][0]
        if all(calls and elapsed_ns for calls, elapsed_ns in sums):
            for side in _SIDES:
                rates[side].append(sums[side][0] / (sums[side][1] / 1e9))
        elif not why:
            why, failed = f"{pair['ab'[sums[0][0] > 0]]['id']} answered no call", True
    stacks = (str(pair["a"]["id"]), str(pair["b"]["id"]))
    return Figures(
        cell["id"],
        stacks,
        cell["name"],
        rates,
        errors=(errors[0], errors[1]),
        calls=(calls_of[0], calls_of[1]),
        why=why,
        failed=failed,
    )


def _tails(rates: Figures, rounds: Sequence[Mapping[str, Any]]) -> Figures | None:
    """Compute one cell's p99, raw and in microseconds; None where its calls were not timed one by one.

    A round's p99 is of all of its calls: slices are too short for one, and percentiles are never averaged.
    """
    values: tuple[list[float], list[float]] = ([], [])
    fewest = math.inf
    for one in rounds:
        histograms = [{int(index): int(count) for index, count in pairs or ()} for pairs in one.get("latency") or ()]
        if not all(histograms) or len(histograms) < len(_SIDES):
            return None
        fewest = min(fewest, *(sum(histogram.values()) for histogram in histograms))
        for side in _SIDES:
            values[side].append(Buckets.of(histograms[side]).percentiles([0.99])[0] / 1e3)
    why = ""
    if fewest < LEAST_CALLS:
        why = (
            f"a round has {fewest:.0f} calls, and p99 needs {LEAST_CALLS}: give"
            f" {LEAST_CALLS / max(fewest, 1):.2g} times the --seconds, or --p99-threshold none"
        )
    return replace(rates, metric=Metric.P99, values=values, why=why)
