"""A comparison, shown: in the terminal, as JSON for programs, as Markdown for a pull request."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from callbench.analysis.compare.comparison import Comparison
from callbench.analysis.compare.verdicts import NOT_COMPARED, Metric, MetricVerdict
from callbench.analysis.words import ratio_text, some
from callbench.report.record_report import RecordReport
from callbench.report.text.grid import Column, Grid
from callbench.report.text.section import Section, Sheet
from callbench.stats.decision import Decision, Outcome
from callbench.stats.digits import figure
from callbench.stats.power import MOST_FORKS
from callbench.store.record import Record

# As `record` writes it; 1 had one row a cell, its rate.
_FORMAT = 2
_STYLES = {
    Decision.BETTER: "green",
    Decision.WORSE: "red",
    Decision.EQUIVALENT: "dim",
    Decision.UNDECIDED: "yellow",
    NOT_COMPARED: "yellow",
}
_MARKS = {Outcome.PASSED: "✅", Outcome.FAILED: "❌", Outcome.UNDECIDED: "❔"}
_COLUMNS = ("cell", "metric", "A", "B", "B / A", "could detect", "verdict")


def headline(found: Comparison) -> str:
    """Describe in a line what was found of each metric."""
    parts = []
    for metric in Metric:
        mine = [one for one in found.cells if one.figures.metric is metric]
        tally = Counter(one.verdict for one in mine)
        words = [f"{tally[word]} {word}" for word in (*map(str, Decision), NOT_COMPARED) if tally[word]]
        if words:
            parts.append(f"{metric}: B is {', '.join(words)}")
    return "; ".join(parts)


def sentences(found: Comparison) -> list[str]:
    """Describe what a gate makes of it: what failed, what may be there all the same, and what was not compared."""
    sentences = []
    for metric in Metric:
        mine = [one for one in found.cells if one.figures.metric is metric]
        if any(one.decided for one in mine):
            sentences.append(_sentence(metric, mine, _percent(found.rule.allowed(metric))))
    sentences += [f"{_name(one)}: {one.why}" for one in found.cells if one.why and one.ratio]
    sentences += [f"not compared: {_name(one)} {one.figures.metric}: {one.why}" for one in found.missing]
    return [*sentences, f"{found.outcome}"]


def _sentence(metric: Metric, cells: Sequence[MetricVerdict], allowed: str) -> str:
    """Describe of a metric whether a regression was found, how great a one may be there, and what would tell."""
    beyond = [one for one in cells if one.regression]
    open_ = [one for one in cells if one.decided and one.decided.outcome is Outcome.UNDECIDED]
    unseen = max((one.decided.unseen for one in open_ if one.decided), default=0.0)
    where = f" in {_cells(len(open_))}" if len(cells) > 1 else ""
    missed = f"one up to {_percent(unseen)} could not be detected{where}" if open_ else ""
    if beyond:
        count = f"{len(beyond)} regression{'s' * (len(beyond) > 1)} beyond {allowed}"
        found = f"{count} in {some([_name(one) for one in beyond])}" + (f"; {missed}" if missed else "")
    else:
        found = f"no regression beyond {allowed}" + (f" was found, but {missed}" if missed else "")
    return "; ".join([f"{metric}: {found}", *_more_forks([one for one in cells if one.undecided])])


def _more_forks(undecided: Sequence[MetricVerdict]) -> Iterator[str]:
    """Describe about how many more forks would settle what is undecided."""
    numbers = [one.more_forks for one in undecided if one.more_forks is not None]
    hopeless = len(undecided) - len(numbers)
    if numbers:
        more = max(numbers)
        what = "what is undecided" if not hopeless else f"{len(numbers)} of {len(undecided)} undecided"
        yield f"about {more} more fork{'s' * (more > 1)} would decide {what}"
    if hopeless:
        which = "what is undecided" if not numbers else "the others" if hopeless > 1 else "the other"
        yield f"even {MOST_FORKS} forks would not decide {which}, because it is too close to a limit"


def record(found: Comparison) -> dict[str, Any]:
    """Return everything for programs: sealed by comparison.schema.json."""
    return {
        "format": _FORMAT,
        "a": found.a,
        "b": found.b,
        "how": found.method,
        "level": found.rule.level,
        "threshold": found.rule.threshold,
        "p99_threshold": found.rule.p99_threshold,
        "shift": found.rule.shift,
        "outcome": str(found.outcome),
        "regressions": len(found.regressions),
        "cells": [_record(one) for one in found.cells],
        "sentences": sentences(found),
        "notes": list(found.notes),
        "folder": found.folder or None,
    }


def _record(one: MetricVerdict) -> dict[str, Any]:
    """Write one metric of a cell out."""
    ratio, decided = one.ratio, one.decided
    return {
        "cell": one.figures.cell,
        "name": one.figures.name,
        "stacks": list(one.figures.stacks),
        "metric": str(one.figures.metric),
        "unit": one.figures.metric.unit,
        "values": list(one.values),
        "counts": [len(values) for values in one.figures.values],
        "calls": list(one.figures.calls),
        "errors": list(one.figures.errors),
        "ratio": None if ratio is None else ratio.middle,
        "low": None if ratio is None else ratio.low,
        "high": None if ratio is None else ratio.high,
        "adjusted_p": None if decided is None else decided.adjusted_p,
        "detectable": None if decided is None else decided.detectable,
        "unseen": None if decided is None else decided.unseen,
        "more_forks": one.more_forks,
        "verdict": one.verdict,
        "outcome": str(one.outcome),
        "regression": one.regression,
        "why": one.why,
    }


def print_comparison(found: Comparison, console: Console) -> None:
    """Print it."""
    console.print(Text(f"A: {found.a}\nB: {found.b}\n{found.method}."), soft_wrap=True)
    names = [name if name != "B / A" else _between(found) for name in _COLUMNS]
    grid = Grid([Column(name, number=name not in {"cell", "metric", "verdict"}) for name in names])
    for one in found.cells:
        grid.add(*_row(one), Text(_verdict(one), style=_STYLES[one.verdict]))
    grid.print(console)
    for note in found.notes:
        console.print(Text(f"! {note}", style="yellow"), soft_wrap=True)
    for sentence in (headline(found), *sentences(found)):
        console.print(Text(f"{sentence}."), soft_wrap=True)


def _row(one: MetricVerdict) -> tuple[str, ...]:
    """Write what every table has of a metric of a cell, except for the verdict."""
    values = (_value(one.figures.metric, value) for value in one.values)
    return (_name(one), str(one.figures.metric), *values, ratio_text(one.ratio), _detectable(one))


def markdown(found: Comparison) -> str:
    """Write it for a pull request."""
    lines = [
        f"### {_MARKS[found.outcome]} callbench: {headline(found)}",
        "",
        *(f"- {_plain(sentence)}" for sentence in sentences(found)),
        "",
        f"A: `{_code(found.a)}` · B: `{_code(found.b)}`",
        "",
        f"| {' | '.join(_COLUMNS).replace('B / A', _between(found))} |",
        "|---|---|---:|---:|---:|---:|---|",
    ]
    for one in found.cells:
        marked = one.outcome is not Outcome.PASSED
        verdict = f"**{_plain(_verdict(one))}**" if marked else _plain(_verdict(one))
        lines.append(f"| {' | '.join((*map(_plain, _row(one)), verdict))} |")
    lines += [
        "",
        (
            f"{found.method}. The chance that any of these verdicts of better or worse is wrong is at most"
            f" {_percent(found.rule.level)}. *Could detect*: found in 80 % of such comparisons."
        ),
    ]
    lines += [f"> {_plain(note)}" for note in found.notes]
    return "\n".join(lines) + "\n"


def report(found: Comparison, run: Record) -> RecordReport:
    """Return the report of a stored comparison. As Markdown and JSON, it has forms of its own."""
    names = [name if name != "B / A" else _between(found) for name in _COLUMNS]
    sheet = Sheet("Comparison", names, [(*_row(one), _verdict(one)) for one in found.cells])
    about = f"A: {found.a}. B: {found.b}. {found.method}."
    results = [f"{text}." for text in (headline(found), *sentences(found))]
    section = Section("comparison", "Comparison", "A row for each cell and metric.", found.notes, [sheet])
    own = {
        "md": lambda _: markdown(found),
        "json": lambda _: json.dumps(record(found), indent=1, ensure_ascii=False) + "\n",
    }
    return RecordReport(run, about, results, [section], record(found), formats=own)


def _name(one: MetricVerdict) -> str:
    """Name a cell with its stacks."""
    a, b = one.figures.stacks
    return f"{a} {one.figures.name}" if a == b else f"{a} → {b} {one.figures.name}"


def _verdict(one: MetricVerdict) -> str:
    """Write a verdict with what a gate makes of it."""
    if one.why:
        return f"{one.verdict}: {one.why}"
    if one.regression:
        return f"{one.verdict}, a regression"
    decided = one.decided
    if decided is None or decided.outcome is Outcome.PASSED:
        return one.verdict
    return f"{one.verdict}; may be {_percent(decided.unseen)} worse"


def _detectable(one: MetricVerdict) -> str:
    """Write the smallest difference that could have been detected."""
    return "" if one.decided is None else f"± {_percent(one.decided.detectable)}"


def _value(metric: Metric, value: float | None) -> str:
    """Write a value with three digits: the ratio, not the value, is what a comparison knows well."""
    if value is None:
        return ""
    return f"{figure(value, 0.005)} {'µs' if metric is Metric.P99 else metric.unit}"


def _percent(share: float) -> str:
    """Write a share: `2 %`, `0.5 %`."""
    return f"{share * 100:.2g} %" if share < 0.995 else f"{share * 100:.0f} %"


def _between(found: Comparison) -> str:
    """Head the column of ratios."""
    return f"B / A ({(1 - found.rule.level) * 100:.4g} % interval)"


def _cells(count: int) -> str:
    """Write a number of cells."""
    return f"{count} cell" + ("" if count == 1 else "s")


def _plain(text: str) -> str:
    """Keep a text from being taken for markup."""
    return " ".join("".join(f"\\{char}" if char in "\\`*_|<>[]#" else char for char in text).split())


def _code(text: str) -> str:
    """Keep a text within its code marks."""
    return " ".join(text.replace("`", "'").split())
