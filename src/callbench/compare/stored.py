"""Two stored runs held against each other, cell by cell."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from callbench.compare.comparison import Comparison
from callbench.compare.verdicts import Figures, Metric, Rule, judged
from callbench.errors import BadInput
from callbench.results import Result, Results, read
from callbench.stats.interval import geometric_mean
from callbench.store import Run

_ONLY_A = "B has no such cell"
_COLUMNS = {Metric.RATE: "rate_per_s", Metric.P99: "p99_us"}
_SAME = (("machine", "model"), ("kernel", "release"), ("processors", "online"), ("processors", "governor"))


def compared(a: Run, b: Run, strict: Rule) -> Comparison:
    """Hold the cells that two runs share against each other.

    Raises:
        BadInput: a run is damaged, or they share no cell.
    """
    paired = _same_order(a, b)
    moved = _moved(a, b)
    rule = replace(strict, shift=moved or 0.0)
    found = (read(a), read(b))
    cells = list(_figures(*found, paired=paired))
    if all(one.why == _ONLY_A for one in cells):
        raise BadInput(f"{a.path} and {b.path} have no cell in common: the same stack, call, clients and link")
    how = (
        "two stored runs, paired block by block, since both took the same order"
        if paired
        else "two stored runs, as two samples of blocks"
    )
    notes = list(_notes(a, b, moved))
    return Comparison(str(a.path), str(b.path), how, rule, judged(cells, rule), notes)


def _same_order(a: Run, b: Run) -> bool:
    """Say whether both runs measured the same cells in the same order, so that their blocks match one by one."""
    return all(a.plan().get(key) == b.plan().get(key) for key in ("cells", "blocks"))


def _figures(a: Results, b: Results, *, paired: bool) -> Iterator[Figures]:
    """Pair the cells of two runs but for open loops, whose rates are what was asked for."""
    mine, theirs = ({_key(one): one for one in run.cells if one.open_loop is None} for run in (a, b))
    for key, one in mine.items():
        other = theirs.get(key)
        if other is None:
            stack = one.attributes["stack"]
            yield Figures(one.id, (stack, stack), _name(one), ([], []), why=_ONLY_A)
            continue
        rates = _of(one, other, Metric.RATE, paired=paired)
        yield rates
        if not rates.why and all("p99_us" in result.by_block for result in (one, other)):
            yield _of(one, other, Metric.P99, paired=paired)


def _key(one: Result) -> tuple[str, ...]:
    """Say what makes a cell the same in another run, whatever its id."""
    attributes = one.attributes
    arguments = json.dumps(dict(one.arguments), sort_keys=True)
    return (*(attributes[key] for key in ("stack", "group", "call", "clients", "link")), str(one.think_ms), arguments)


def _name(one: Result) -> str:
    """Name a cell by its group and its clients."""
    clients = one.attributes["clients"]
    return one.attributes["group"] + ("" if clients == "1" else f", {clients} clients")


def _of(one: Result, other: Result, metric: Metric, *, paired: bool) -> Figures:
    """Take the values of one cell from both runs."""
    whys = [
        f"{side}: {why}"
        for side, result in (("A", one), ("B", other))
        for why in ([result.excluded] if result.excluded else result.doubts)
    ]
    figures = [result.by_block.get(_COLUMNS[metric], {}) for result in (one, other)]
    blocks = [sorted(set(figures[0]) & set(figures[1]))] * 2 if paired else [sorted(mine) for mine in figures]
    return Figures(
        one.id,
        (one.attributes["stack"], other.attributes["stack"]),
        _name(one),
        ([figures[0][block] for block in blocks[0]], [figures[1][block] for block in blocks[1]]),
        metric,
        paired,
        errors=(sum(one.errors.values()), sum(other.errors.values())),
        calls=(one.calls, other.calls),
        why="; ".join(whys),
        failed=other.excluded is not None,
    )


def _moved(a: Run, b: Run) -> float | None:
    """Give how far the canary moved from one run to the other, as a log-ratio; None where one of them has none."""
    songs = [_song(one) for one in (a, b)]
    return None if songs[0] is None or songs[1] is None else abs(math.log(songs[1] / songs[0]))


def _song(run: Run) -> float | None:
    """Give the canary's rate in a run, or None."""
    with run.connection() as connection:
        rows = connection.execute("SELECT rate_per_s FROM canaries WHERE calls > 0").fetchall()
    return geometric_mean([float(rate) for (rate,) in rows]).middle if rows else None


def _notes(a: Run, b: Run, moved: float | None) -> Iterator[str]:
    """Say what bears on two runs that were not made together."""
    if moved is None:
        yield (
            "The runs were made at different times, and not both have a canary: how far the machine itself had moved is"
            " not known. A live comparison is open to no such doubt."
        )
    else:
        yield (
            f"The canary, a raw echo, moved by {math.expm1(moved) * 100:.1f} % from one run to the other. The machine"
            " did that, so no smaller difference can be told."
        )
    first, second = a.environment(), b.environment()
    for part, key in _SAME:
        mine, theirs = (_found(one, part, key) for one in (first, second))
        if mine != theirs:
            yield f"The runs differ in {part} {key}: {mine} and {theirs}."


def _found(environment: Mapping[str, Any], part: str, key: str) -> object:
    """Find one thing in an environment's record."""
    within = environment.get(part)
    return within.get(key) if isinstance(within, Mapping) else within
