"""A comparison, shown: in the terminal, as JSON for programs, as Markdown for a pull request."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from callbench.analysis.compare.comparison import Comparison
from callbench.analysis.compare.verdicts import NOT_COMPARED, ComparedMetric, MetricVerdict
from callbench.analysis.wording.words import ratio_text, some
from callbench.report.charts.chart import chart
from callbench.report.charts.cut_ends import cut_text
from callbench.report.charts.ratios import RatioMark, ratios
from callbench.report.record_report import RecordReport
from callbench.report.text.grid import Column, Grid
from callbench.report.text.markdown import folded
from callbench.report.text.opening import Opening, opening_of
from callbench.report.text.section import Chart, Section, Sheet
from callbench.stats.decide.decision import DecidedComparison, Decision, Outcome
from callbench.stats.estimate.digits import figure, share, tells
from callbench.stats.estimate.power import MOST_FORKS
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
# What B does where it is worse, by metric.
_WORSE = {ComparedMetric.RATE: "is slower", ComparedMetric.P99: "has a higher p99"}
_SAID_OF_B = frozenset({Decision.BETTER, Decision.WORSE, Decision.EQUIVALENT})
# Of a value that may be more times worse than these, nothing is known.
_MOST_TIMES = 11
_MOST_CHARTED = 12
# Rows of a table in Markdown that are not folded.
_MOST_SHOWN = 8
_SOURCE = "journal.jsonl: lines of kind met (docs/reference/run-folder.md)"
_COLUMNS = ("cell", "metric", "A", "B", "B / A", "could detect", "verdict")


def headline(comparison: Comparison) -> str:
    """Describe in a line what was found of each metric."""
    parts = []
    for metric in ComparedMetric:
        tally = Counter(row.verdict for row in comparison.cells if row.figures.metric is metric)
        words = [(word, tally[word]) for word in (*map(str, Decision), NOT_COMPARED) if tally[word]]
        if words:
            parts.append(f"{metric}: {_counted(words)}")
    return "; ".join(parts)


def _counted(words: Sequence[tuple[str, int]]) -> str:
    """Say of a metric what B is, and in how many cells where there are several."""
    total = sum(count for _, count in words)
    if total == 1:
        word = words[0][0]
        return f"B is {word}" if word in _SAID_OF_B else word
    first, *rest = [f"{word} in {count}" for word, count in words]
    of_b = "B is " if words[0][0] in _SAID_OF_B else ""
    return f"{of_b}{', '.join([first, *rest])} of {total} cells"


def verdict(comparison: Comparison) -> str:
    """Say in a short sentence what a gate makes of it and why: the title of the page."""
    rates = [row for row in comparison.cells if row.figures.metric is ComparedMetric.RATE]
    why = next(iter(_reasons(comparison)), "") or _rate_words(rates, comparison)
    return f"{str(comparison.outcome).capitalize()}: {why}"


def _reasons(comparison: Comparison) -> Iterator[str]:
    """Say why it did not pass, the gravest first; nothing where it did."""
    outcome = comparison.outcome
    open_ = [row for row in comparison.cells if row.outcome is outcome]
    failing = [row for row in open_ if row.failures and row.failures.outcome is outcome]
    if outcome is Outcome.FAILED:
        if failing:
            yield f"B fails more calls{_where(comparison, failing)}"
        for metric in ComparedMetric:
            worse = [row for row in open_ if row.regression and row.figures.metric is metric]
            if worse:
                yield f"B {_WORSE[metric]}{_where(comparison, worse)}"
        yield f"{_unmeasured(open_)} could not be measured{_where(comparison, open_)}"
    elif outcome is Outcome.UNDECIDED:
        if failing:
            yield f"B may fail more calls{_where(comparison, failing)}"
        ends = [(_at_worst(row.decided, row.figures.metric), row.figures.metric) for row in open_ if row.decided]
        if ends:
            yield _may_be(ends)
        yield f"not compared{_where(comparison, open_)}"


def _may_be(ends: Sequence[tuple[float, ComparedMetric]]) -> str:
    """Say what may be how much worse at most, and of what that is not known."""
    known = [end for end in ends if _times_worse(*end) <= _MOST_TIMES]
    hardly = sorted({f"the {metric} of B is hardly known" for end, metric in ends if (end, metric) not in known})
    worst = max(known, key=lambda end: _times_worse(*end), default=None)
    text = [f"the {worst[1]} of B may be {_worse_text(*worst)}"] if worst else []
    return ", and ".join(text + hardly)


def _at_worst(decided: DecidedComparison, metric: ComparedMetric) -> float:
    """Give the ratio at which B is worst, by the interval that is shown beside it; without one, by what is not seen."""
    ratio = decided.ratio
    if ratio.low is None or ratio.high is None:
        return 1 + decided.unseen if metric.less_is_better else 1 - decided.unseen
    return ratio.high if metric.less_is_better else ratio.low


def _times_worse(ratio: float, metric: ComparedMetric) -> float:
    """Return how many times as bad B is as A at a ratio of B to A."""
    if metric.less_is_better:
        return ratio
    return 1 / ratio if ratio > 0 else math.inf


def _worse_text(ratio: float, metric: ComparedMetric) -> str:
    """Write how much worse B is at a ratio of B to A: `8.6 % worse`, and beyond twice as bad `0.31 times A's`."""
    if _times_worse(ratio, metric) < 2:
        return f"{_percent(abs(ratio - 1))} worse"
    if _times_worse(ratio, metric) <= _MOST_TIMES:
        return f"{figure(ratio)} times A's"
    return (
        f"over {_MOST_TIMES - 1} times A's" if metric.less_is_better else f"under {1 / (_MOST_TIMES - 1):g} times A's"
    )


def _unmeasured(cells: Sequence[MetricVerdict]) -> str:
    """Name the sides that failed; records of before do not say which it was."""
    return " and ".join(sorted(frozenset[str]().union(*(row.figures.sides for row in cells)))) or "one of the two"


def _where(comparison: Comparison, cells: Sequence[MetricVerdict]) -> str:
    """Say in how many cells, where there are several."""
    every = len({row.figures.cell for row in comparison.cells})
    return f" in {len({row.figures.cell for row in cells})} of {every} cells" if every > 1 else ""


def _rate_words(rates: Sequence[MetricVerdict], comparison: Comparison) -> str:
    """Say what the rates of B are beside A's, where nothing is wrong."""
    tally = Counter(row.verdict for row in rates)
    if tally[Decision.BETTER]:
        better = [row for row in rates if row.verdict == Decision.BETTER]
        return f"B is faster{_where(comparison, better)}"
    if tally[Decision.EQUIVALENT] == len(rates):
        return f"B is as fast as A, within {_percent(comparison.rule.threshold)}"
    return f"B is not slower by more than {_percent(comparison.rule.threshold)}"


def sentences(comparison: Comparison) -> list[str]:
    """Describe what a gate makes of it: what failed, what may be there all the same, and what was not compared."""
    said = []
    for metric in ComparedMetric:
        mine = [row for row in comparison.cells if row.figures.metric is metric]
        if any(row.decided for row in mine):
            said.append(_sentence(metric, mine, comparison))
    names = RowNames(comparison.cells)
    failing = {names.of(row): row.why for row in comparison.cells if row.why and row.ratio}
    said += [f"{name}: {why}" if name else why for name, why in failing.items()]
    said += [f"not compared: {names.of(row)} {row.figures.metric}: {row.why}" for row in comparison.missing]
    return [*said, f"{comparison.outcome}"]


def _sentence(metric: ComparedMetric, cells: Sequence[MetricVerdict], comparison: Comparison) -> str:
    """Describe of a metric whether a regression was found, how great a one may be there, and what would tell."""
    beyond = [row for row in cells if row.regression]
    recovering = [row for row in cells if row.recovers is not None and row.outcome is Outcome.UNDECIDED]
    if recovering and not beyond:
        where = f" in {_cells(len(recovering))}" if len(cells) > 1 else ""
        return f"{metric}: undecided{where}, because without a pause between calls it is another one"
    open_ = [row for row in cells if row.decided and row.decided.outcome is Outcome.UNDECIDED]
    allowed = _percent(comparison.rule.allowed(metric))
    unseen = max((row.decided.unseen for row in open_ if row.decided), default=0.0)
    where = f" in {_cells(len(open_))}" if len(cells) > 1 else ""
    missed = f"one up to {_unseen_text(unseen)} could not be detected{where}" if open_ else ""
    if beyond:
        count = f"{len(beyond)} regression{'s' * (len(beyond) > 1)} beyond {allowed}"
        names = RowNames(comparison.cells)
        text = f"{count} in {some([names.of(row) for row in beyond])}" if len(cells) > 1 else count
        text += f"; {missed}" if missed else ""
    else:
        text = f"no regression beyond {allowed}" + (f" was found, but {missed}" if missed else "")
    undecided = [row.decided for row in cells if row.decided and row.undecided and row.outcome is not Outcome.FAILED]
    held_up = {row.figures.held_up(): None for row in cells if row.decided in undecided}
    # They would narrow the interval; how many show whether B fails more is not known.
    open_failures = any(row.failures and row.failures.outcome is Outcome.UNDECIDED for row in cells)
    more: Iterable[str] = () if open_failures else _more_forks(undecided, comparison.rule.margin(metric))
    # Where B is worse for its failed calls, what is said of the others must not deny it.
    fails = any(row.failures and row.failures.outcome is Outcome.FAILED for row in cells)
    what = f"{metric} of answered calls" if fails else metric
    return "; ".join([f"{what}: {text}", *filter(None, held_up), *more])


def _more_forks(undecided: Sequence[DecidedComparison], margin: float) -> Iterator[str]:
    """Describe about how many more forks would settle what is undecided."""
    numbers = [comparison.more for comparison in undecided if comparison.more is not None]
    hopeless = [comparison for comparison in undecided if comparison.more is None]
    if numbers:
        more = max(numbers)
        what = "what is undecided" if not hopeless else f"{len(numbers)} of {len(undecided)} undecided"
        yield f"about {more} more fork{'s' * (more > 1)} would decide {what}"
    if not hopeless:
        return
    which = "what is undecided" if not numbers else "the others" if len(hopeless) > 1 else "the other"
    why = _why_hopeless(hopeless, margin)
    if why:
        yield f"even {MOST_FORKS} forks would not decide {which}, because {why}"
    else:
        yield f"how many more forks would decide {which} cannot be told: it is not known whether a limit is near"


def _why_hopeless(undecided: Sequence[DecidedComparison], margin: float) -> str:
    """Say what keeps more forks from deciding: noise, or a value at a limit that they would show exactly.

    Nothing where a ratio seems to lie at a limit and is known no better than how far the next one is.
    """
    spread = max(comparison.spread for comparison in undecided)
    # A hundred forks narrow an interval to about a quarter of what one fork differs from another.
    if spread / 4 > math.expm1(margin):
        return f"the forks differ by {_percent(spread)} from each other"
    near = all(
        math.log(found.ratio.high / found.ratio.low) / 2 <= margin
        for found in undecided
        if found.ratio.low and found.ratio.high
    )
    return "it is too close to a limit" if near else ""


def record(comparison: Comparison) -> dict[str, Any]:
    """Return everything for programs: sealed by comparison.schema.json."""
    return {
        "format": _FORMAT,
        "a": comparison.a,
        "b": comparison.b,
        "how": comparison.method,
        "level": comparison.rule.level,
        "threshold": comparison.rule.threshold,
        "p99_threshold": comparison.rule.p99_threshold,
        "shift": comparison.rule.shift,
        "outcome": str(comparison.outcome),
        "title": verdict(comparison),
        "regressions": len(comparison.regressions),
        "cells": [_record(row) for row in comparison.cells],
        "sentences": sentences(comparison),
        "notes": list(comparison.notes),
        "folder": comparison.folder or None,
    }


def _record(row: MetricVerdict) -> dict[str, object]:
    """Write one metric of a cell out."""
    ratio, decided = row.ratio, row.decided
    return {
        "cell": row.figures.cell,
        "name": row.figures.name,
        "stacks": list(row.figures.stacks),
        "metric": str(row.figures.metric),
        "unit": row.figures.metric.unit,
        "values": list(row.values),
        "counts": [len(values) for values in row.figures.values],
        "calls": list(row.figures.calls),
        "errors": list(row.figures.errors),
        "ratio": None if ratio is None else ratio.middle,
        "low": None if ratio is None else ratio.low,
        "high": None if ratio is None else ratio.high,
        "adjusted_p": None if decided is None else decided.adjusted_p,
        "detectable": None if decided is None else decided.detectable,
        "unseen": None if decided is None else decided.unseen,
        "more_forks": row.more_forks,
        "verdict": row.verdict,
        "outcome": str(row.outcome),
        "regression": row.regression,
        "fails_more": None if row.failures is None else str(row.failures.outcome),
        "fails_more_p": None if row.failures is None else row.failures.adjusted_p,
        "why": row.why,
    }


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print all of it."""
    console.print(Text(verdict(comparison), style="bold"), soft_wrap=True)
    console.print(Text(f"A: {comparison.a}\nB: {comparison.b}\n{comparison.method}."), soft_wrap=True)
    names = [name if name != "B / A" else _between(comparison) for name in _COLUMNS]
    grid = Grid([Column(name, number=name not in {"cell", "metric", "verdict"}) for name in names])
    rows = RowNames(comparison.cells)
    for row in comparison.cells:
        grid.add(*_row(row, rows), Text(_verdict(row, comparison), style=_STYLES[row.verdict]))
    grid.print(console)
    for note in comparison.notes:
        console.print(Text(f"! {note}", style="yellow"), soft_wrap=True)
    for sentence in (headline(comparison), *sentences(comparison)):
        console.print(Text(f"{sentence}."), soft_wrap=True)


def _row(row: MetricVerdict, names: "RowNames") -> tuple[str, ...]:
    """Write what every table has of a metric of a cell, except for the verdict."""
    values = (_value(row.figures.metric, value) for value in row.values)
    return (names.of(row), str(row.figures.metric), *values, ratio_text(row.ratio), _detectable(row))


def markdown(comparison: Comparison) -> str:
    """Write it for a pull request: the answer and what did not pass, the rest folded."""
    passed = [row for row in comparison.cells if row.outcome is Outcome.PASSED]
    shown = [row for row in comparison.cells if row.outcome is not Outcome.PASSED]
    if len(comparison.cells) <= _MOST_SHOWN:
        passed, shown = [], list(comparison.cells)
    lines = [
        f"### {_MARKS[comparison.outcome]} callbench: {_plain(verdict(comparison))}",
        "",
        f"- {headline(comparison)}",
        *(f"- {_plain(sentence)}" for sentence in sentences(comparison)),
        "",
        f"A: `{_code(comparison.a)}` · B: `{_code(comparison.b)}`",
    ]
    method = (
        f"{comparison.method}. The chance that any of these verdicts of better or worse is wrong is at most"
        f" {_percent(comparison.rule.level)}. *Could detect*: found in 80 % of such comparisons."
    )
    parts = [
        "\n".join(lines),
        _markdown_table(comparison, shown[:_MOST_SHOWN]),
        folded(
            f"{len(shown[_MOST_SHOWN:])} more that did not pass", [_markdown_table(comparison, shown[_MOST_SHOWN:])]
        ),
        folded(f"{len(passed)} that passed", [_markdown_table(comparison, passed)]),
        "\n".join(f"> {_plain(note)}" for note in comparison.notes),
        folded("How it was compared", [method]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _markdown_table(comparison: Comparison, cells: Sequence[MetricVerdict]) -> str:
    """Write rows as a table, what did not pass in bold; "" for none."""
    if not cells:
        return ""
    names = RowNames(comparison.cells)
    lines = [
        f"| {' | '.join(_COLUMNS).replace('B / A', _between(comparison))} |",
        "|---|---|---:|---:|---:|---:|---|",
    ]
    for row in cells:
        marked = row.outcome is not Outcome.PASSED
        verdict_ = f"**{_plain(_verdict(row, comparison))}**" if marked else _plain(_verdict(row, comparison))
        lines.append(f"| {' | '.join((*map(_plain, _row(row, names)), verdict_))} |")
    return "\n".join(lines)


def opening(comparison: Comparison) -> Opening:
    """Return its answer in words; the cells that did not pass stand first."""
    order = sorted(comparison.cells, key=lambda row: row.outcome is Outcome.PASSED)
    sheet = _sheet(comparison, order)
    return opening_of(
        verdict(comparison), _results(comparison), [Section("comparison", "Comparison", "", sheets=[sheet])]
    )


def _results(comparison: Comparison) -> list[str]:
    # The last of the sentences is the outcome, which the title begins with.
    return [f"{text}." for text in (headline(comparison), *sentences(comparison)[:-1])]


def _sheet(comparison: Comparison, cells: Sequence[MetricVerdict]) -> Sheet:
    names = [name if name != "B / A" else _between(comparison) for name in _COLUMNS]
    rows = RowNames(comparison.cells)
    return Sheet("Comparison", names, [(*_row(row, rows), _verdict(row, comparison)) for row in cells])


def _charts(comparison: Comparison) -> list[Chart]:
    """Draw the ratios, those that did not pass first."""
    names = RowNames(comparison.cells)
    several = len({row.figures.cell for row in comparison.cells}) > 1
    rows = [(row, ratio) for row in comparison.cells if (ratio := row.ratio) is not None]
    rows.sort(key=lambda pair: pair[0].outcome is Outcome.PASSED)
    marks = []
    for row, ratio in rows[:_MOST_CHARTED]:
        name = f"{names.of(row)} {row.figures.metric}" if several else str(row.figures.metric)
        known = ratio.half_width is None or tells(ratio.half_width)
        text = figure(ratio.middle, ratio.half_width) if known else "hardly known"
        marks.append(RatioMark(name, ratio, text, row.outcome is Outcome.PASSED))
    about = f"With {(1 - comparison.rule.level) * 100:.4g} % intervals."
    if len(rows) > len(marks):
        about += f" {len(rows) - len(marks)} more rows are in the table."
    about += cut_text([mark.ratio for mark in marks], [1.0])
    drawn = chart("comparison-ratios", "B beside A", about, ratios(marks, "B / A, logarithmic"), _SOURCE)
    return [drawn] if drawn else []


def report(comparison: Comparison, run: Record) -> RecordReport:
    """Return the report of a stored comparison. As Markdown and JSON, it has forms of its own."""
    about = f"A: {comparison.a}. B: {comparison.b}. {comparison.method}."
    results = _results(comparison)
    sheet = _sheet(comparison, comparison.cells)
    about_rows = "A row for each cell and metric."
    section = Section("comparison", "Comparison", about_rows, comparison.notes, [sheet], _charts(comparison))
    own = {
        "md": lambda _: markdown(comparison),
        "json": lambda _: json.dumps(record(comparison), indent=1, ensure_ascii=False) + "\n",
    }
    return RecordReport(run, about, results, [section], record(comparison), formats=own, verdict=verdict(comparison))


class RowNames:
    """What the rows of a comparison are called: by their cells, and by their stacks where these differ."""

    def __init__(self, cells: Sequence[MetricVerdict]) -> None:
        """Look at all rows."""
        self._several = len({row.figures.stacks for row in cells}) > 1

    def of(self, row: MetricVerdict) -> str:
        """Name a row. A and B are named once, above the table."""
        a, b = row.figures.stacks
        if not self._several:
            return row.figures.name
        same = a.partition("/")[2] == b.partition("/")[2]
        stacks = a if a == b else a.partition("/")[2] if same else f"{a} → {b}"
        return f"{stacks} {row.figures.name}"


def _verdict(row: MetricVerdict, comparison: Comparison) -> str:
    """Write a verdict with what a gate makes of it."""
    if row.why:
        return f"{row.verdict}: {row.why}"
    if row.regression:
        return f"{row.verdict}, a regression"
    decided = row.decided
    if decided is None:
        return row.verdict
    parts = [row.verdict]
    if decided.corrected_away:
        parts.append(f"not shown after the correction for {len(comparison.cells)} results")
    if decided.outcome is not Outcome.PASSED:
        metric = row.figures.metric
        parts.append(f"may be {_worse_text(_at_worst(decided, metric), metric)}")
    return "; ".join(parts)


def _detectable(judged: MetricVerdict) -> str:
    """Write the smallest difference that could have been detected."""
    if judged.decided is None:
        return ""
    detectable = judged.decided.detectable
    return f"± {_percent(detectable)}" if detectable < 1 else share(detectable)


def _value(metric: ComparedMetric, value: float | None) -> str:
    """Write a value with three digits: the ratio, not the value, is what a comparison knows well."""
    if value is None:
        return ""
    return f"{figure(value, 0.005)} {'µs' if metric is ComparedMetric.P99 else metric.unit}"


def _percent(part: float) -> str:
    """Write a share: `2 %`, `0.5 %`."""
    return f"{part * 100:.2g} %" if part < 0.995 else f"{part * 100:.0f} %"


def _unseen_text(part: float) -> str:
    """Write a regression that could be there, as a share of A: `9 %`, from twice on `4 times A's`."""
    if part < 1:
        return _percent(min(part, 0.99))
    return f"{figure(1 + part)} times A's" if part < _MOST_TIMES else f"over {_MOST_TIMES - 1} times A's"


def _between(comparison: Comparison) -> str:
    """Head the column of ratios."""
    return f"B / A ({(1 - comparison.rule.level) * 100:.4g} % interval)"


def _cells(count: int) -> str:
    """Write a number of cells."""
    return f"{count} cell" + ("" if count == 1 else "s")


def _plain(text: str) -> str:
    """Keep a text from being taken for markup."""
    return " ".join("".join(f"\\{char}" if char in "\\`*_|<>[]#" else char for char in text).split())


def _code(text: str) -> str:
    """Keep a text within its code marks."""
    return " ".join(text.replace("`", "'").split())
