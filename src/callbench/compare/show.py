"""A comparison, shown: in the terminal, as JSON for programs, as Markdown for a pull request."""

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from callbench.compare.comparison import Comparison, least_told
from callbench.compare.verdicts import Judged, Verdict
from callbench.report.words import ratio_text
from callbench.stats.digits import figure

_STYLES = {Verdict.FASTER: "green", Verdict.SLOWER: "red", Verdict.SAME: "dim", Verdict.OPEN: "yellow"}


def headline(found: Comparison) -> str:
    """Say in a line what came out."""
    tally = {verdict: sum(one.verdict is verdict for one in found.cells) for verdict in Verdict}
    parts = [f"{count} {verdict}" for verdict, count in tally.items() if count]
    beyond = len(found.regressions)
    gate = f"{beyond or 'no'} regression{'s' * (beyond > 1)} beyond {_percent(found.rule.threshold)}"
    return f"{_cells(len(found.cells))}: B is {', '.join(parts)}; {gate}"


def record(found: Comparison) -> dict[str, Any]:
    """Give everything for programs: sealed by comparison.schema.json. Rates are in calls a second."""
    return {
        "format": 1,
        "a": found.a,
        "b": found.b,
        "how": found.how,
        "level": found.rule.level,
        "threshold": found.rule.threshold,
        "shift": found.rule.shift,
        "passes": found.passes,
        "regressions": len(found.regressions),
        "cells": [_record(one) for one in found.cells],
        "notes": list(found.notes),
        "folder": found.folder or None,
    }


def _record(one: Judged) -> dict[str, Any]:
    """Write one cell out."""
    ratio = one.ratio
    return {
        "cell": one.figures.cell,
        "name": one.figures.name,
        "stacks": list(one.figures.stacks),
        "rates_per_s": list(one.rates),
        "figures": [len(rates) for rates in one.figures.rates],
        "errors": list(one.figures.errors),
        "ratio": None if ratio is None else ratio.middle,
        "low": None if ratio is None else ratio.low,
        "high": None if ratio is None else ratio.high,
        "doubt": one.doubt,
        "verdict": str(one.verdict),
        "regression": one.regression,
        "why": one.why,
    }


def print_comparison(found: Comparison, console: Console) -> None:
    """Print it."""
    console.print(Text(f"A: {found.a}\nB: {found.b}\n{found.how}."), soft_wrap=True)
    grid = Table(box=box.SIMPLE_HEAD)
    grid.add_column("cell")
    for name in ("A calls/s", "B calls/s", f"B / A ({_coverage(found)} interval)", "could tell"):
        grid.add_column(name, justify="right")
    grid.add_column("verdict")
    for one in found.cells:
        verdict = Text(_verdict(one), style=_STYLES[one.verdict])
        grid.add_row(Text(_name(one)), *map(_rate, one.rates), ratio_text(one.ratio), _least(one), verdict)
    console.print(grid)
    for note in found.notes:
        console.print(Text(f"! {note}", style="yellow"), soft_wrap=True)
    console.print(Text(f"{headline(found)}."), soft_wrap=True)


def markdown(found: Comparison) -> str:
    """Write it for a pull request."""
    mark = "✅" if found.passes else "❌"
    lines = [
        f"### {mark} callbench: {headline(found)}",
        "",
        f"A: `{_code(found.a)}` · B: `{_code(found.b)}`",
        "",
        f"| cell | A calls/s | B calls/s | B / A ({_coverage(found)} interval) | could tell | verdict |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for one in found.cells:
        verdict = f"**{_plain(_verdict(one))}**" if one.regression or one.ratio is None else _plain(_verdict(one))
        cells = (_plain(_name(one)), *map(_rate, one.rates), ratio_text(one.ratio), _least(one), verdict)
        lines.append(f"| {' | '.join(cells)} |")
    level = _percent(found.rule.level)
    lines += [
        "",
        f"{found.how}. Of the cells called faster or slower, at most {level} are expected to be so by chance.",
    ]
    lines += [f"> {_plain(note)}" for note in found.notes]
    return "\n".join(lines) + "\n"


def _name(one: Judged) -> str:
    """Name a cell with its stacks."""
    a, b = one.figures.stacks
    return f"{a} {one.figures.name}" if a == b else f"{a} → {b} {one.figures.name}"


def _verdict(one: Judged) -> str:
    """Write a verdict with what a gate makes of it."""
    if one.why:
        return f"{one.verdict}: {one.why}"
    return f"{one.verdict}, a regression" if one.regression else str(one.verdict)


def _least(one: Judged) -> str:
    """Write the least difference that could have been told."""
    least = least_told(one)
    return "" if least is None else f"± {_percent(least)}"


def _rate(rate: float | None) -> str:
    """Write a rate with three digits: the ratio, not the rate, is what a comparison knows well."""
    return "" if rate is None else figure(rate, 0.005)


def _percent(share: float) -> str:
    """Write a share: `2 %`, `0.5 %`."""
    return f"{share * 100:.2g} %" if share < 1 else f"{share * 100:.0f} %"


def _coverage(found: Comparison) -> str:
    """Write the intervals' coverage."""
    return f"{(1 - found.rule.level) * 100:.4g} %"


def _cells(count: int) -> str:
    """Write a number of cells."""
    return f"{count} cell" + ("" if count == 1 else "s")


def _plain(text: str) -> str:
    """Keep a text from being taken for markup."""
    return " ".join("".join(f"\\{char}" if char in "\\`*_|<>[]#" else char for char in text).split())


def _code(text: str) -> str:
    """Keep a text within its code marks."""
    return " ".join(text.replace("`", "'").split())
