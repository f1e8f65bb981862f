"""A comparison, judged: from its own folder, or from those of two runs."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from callbench.compare.verdicts import Figures, Judged, Rule, judged
from callbench.errors import BadInput
from callbench.store import Run

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
        """The cells shown to be slower than the threshold allows."""
        return [one for one in self.cells if one.regression]

    @property
    def missing(self) -> list[Judged]:
        """The cells that could not be compared."""
        return [one for one in self.cells if one.ratio is None]

    @property
    def passes(self) -> bool:
        """Whether a gate lets it through: compared throughout, and no regression."""
        return not self.regressions and not self.missing


def read(run: Run, level: float | None = None, threshold: float | None = None) -> Comparison:
    """Judge a comparison's folder.

    Args:
        run: its folder.
        level: instead of its own.
        threshold: instead of its own.

    Raises:
        BadInput: it is not a comparison's, or is damaged.
    """
    info = run.info
    if info.get("kind") != "comparison":
        raise BadInput(f"{run.path} is a run of a study, not a comparison: name two runs to compare them")
    try:
        rule = Rule(
            float(info["level"]) if level is None else level,
            float(info["threshold"]) if threshold is None else threshold,
        )
        pairs = run.plan()["pairs"]
        cells = judged(list(_figures(pairs, list(run.lines()))), rule)
        a, b, rounds = str(info["a"]), str(info["b"]), int(info["blocks"])
    except (KeyError, TypeError, ValueError, IndexError) as failure:
        raise BadInput(f"{run.path} is damaged: {failure!r} is missing or of the wrong kind") from failure
    notes = list(_notes(run, pairs, cells))
    if a == b:
        notes.append("A and B are the same: what differs here is chance.")
    return Comparison(a, b, _how(rounds, pairs), rule, cells, notes, str(run.path))


def _how(rounds: int, pairs: Sequence[Mapping[str, Any]]) -> str:
    """Say how a live comparison was made."""
    if any(one["in_turn"] for one in pairs):
        return f"{rounds} rounds: each starts both afresh and drives them in turn, in slices of 20 ms in random order"
    return f"{rounds} rounds: each starts one after the other in random order"


def _notes(run: Run, pairs: Sequence[Mapping[str, Any]], cells: Sequence[Judged]) -> Iterator[str]:
    """Say what a reader must know."""
    if run.info["state"] != "finished":
        yield f"This comparison is {run.info['state']}: the rounds that were finished are judged."
    spinning = [f"{one['a']['id']} and {one['b']['id']}" for one in pairs if not one["in_turn"]]
    if spinning:
        yield (
            f"{', '.join(spinning[:3])}{' ...' if len(spinning) > 3 else ''}: one of them takes a processor also while"
            " it waits, so both were not alive at once; whole pieces in turn are more open to drift than slices."
        )
    failed = [one for one in cells if sum(one.figures.errors)]
    if failed:
        total = sum(sum(one.figures.errors) for one in failed)
        yield f"{total:,} calls failed, in {len(failed)} cells; they count in no rate."


def _figures(pairs: Sequence[Mapping[str, Any]], lines: Sequence[Mapping[str, Any]]) -> Iterator[Figures]:
    """Give each cell's rates, a pair of them a round."""
    whys = {int(line["pair"]): str(line["why"]) for line in lines if line["kind"] == "excluded"}
    found: dict[str, list[Mapping[str, Any]]] = {}
    for line in lines:
        if line["kind"] == "met":
            for cell in line["cells"]:
                found.setdefault(str(cell["cell"]), []).append(cell)
    for index, pair in enumerate(pairs):
        for cell in pair["cells"]:
            yield _of_cell(pair, cell, found.get(cell["id"], []), whys.get(index, ""))


def _of_cell(
    pair: Mapping[str, Any], cell: Mapping[str, Any], rounds: Sequence[Mapping[str, Any]], why: str
) -> Figures:
    """Reckon one cell's rates.

    A round's rate is all of its calls over all of its time, so a pause counts with the weight it has. The round, not
    the slice, is what the test counts: slices that follow each other resemble each other (Schmeiser, "Batch size
    effects in the analysis of simulation output", Operations Research 30(3), 1982, on batches in their place), and
    each start of a program has a memory layout and with it a speed of its own (Kalibera and Jones, "Rigorous
    benchmarking in reasonable time", ISMM 2013).
    """
    rates: tuple[list[float], list[float]] = ([], [])
    errors = [0, 0]
    for one in rounds:
        why = why or str(one.get("cannot", ""))
        why = why or ("client and server counted differently" if one.get("agree") is False else "")
        sums = [[0, 0], [0, 0]]
        for side, calls, failed, elapsed_ns in one.get("slices", ()):
            sums[side][0] += calls
            sums[side][1] += elapsed_ns
            errors[side] += failed
        if all(calls and elapsed_ns for calls, elapsed_ns in sums):
            for side in _SIDES:
                rates[side].append(sums[side][0] / (sums[side][1] / 1e9))
        elif not why:
            why = f"{pair['ab'[sums[0][0] > 0]]['id']} answered no call"
    stacks = (str(pair["a"]["id"]), str(pair["b"]["id"]))
    return Figures(cell["id"], stacks, cell["name"], rates, errors=(errors[0], errors[1]), why=why)


def least_told(one: Judged) -> float | None:
    """Give the least difference that a cell's interval could have told from none, as a share."""
    ratio = one.ratio
    return None if ratio is None or ratio.high is None else math.expm1(math.log(ratio.high / ratio.middle))
