"""A run's cells one by one: forks, slices and latencies behind each value, and the command that measures it again."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from markupsafe import Markup

from callbench.analysis.cells.results import Result
from callbench.analysis.metrics.latency_curves import LatencyCurve, latency_curves
from callbench.analysis.metrics.metric_values import by_fork
from callbench.analysis.run.subject import Subject, subject
from callbench.analysis.run.tables import table_cell
from callbench.analysis.wording.naming import conditions_of
from callbench.catalog.own.study import STUDY
from callbench.catalog.study import names
from callbench.model.cell import HELD
from callbench.report.charts.small_curve import small_curve
from callbench.report.export.file import write_report
from callbench.report.export.template import environment, flat, render, when
from callbench.stats.estimate.digits import figure
from callbench.stats.estimate.percentile_calls import percentile_name
from callbench.store.record import Record
from callbench.store.rows import grouped, rows_of

# What has to be named besides stack and group, where the two have several cells.
_MORE = ("clients", "arrivals", "rate", "link")
# A fork's value has no interval: about three digits.
_DIGITS = 0.01
# Few: a publication of 1,000 cells has to stay small.
_COLUMNS = ("fork", "calls/s", "p99 µs", "slices", "slowest", "fastest")
# What is written of a curve that is drawn.
_WRITTEN = (0.5, 0.9, 0.99, 0.999, 0.9999)
# The slices of a cell in a fork: how many, and the rates of the slowest and the fastest one.
SLICES_SQL = """
WITH pieces AS (
    SELECT trial,
           (calls - lag(calls, 1, 0) OVER so_far) * 1e9 / nullif(at_ns - lag(at_ns, 1, 0) OVER so_far, 0) AS per_s
    FROM intervals WINDOW so_far AS (PARTITION BY trial ORDER BY at_ns)),
rates AS (SELECT trial, min(per_s) AS slowest, max(per_s) AS fastest FROM pieces GROUP BY trial)
SELECT cell, fork, sum(slices)::BIGINT AS slices, min(slowest) AS slowest, max(fastest) AS fastest
FROM trials JOIN rates USING (trial) WHERE unsteady = '' GROUP BY cell, fork ORDER BY cell, fork"""


class _SlicesRow(TypedDict):
    """The slices of a cell in a fork; rates in calls/s."""

    cell: str
    fork: int
    slices: int
    slowest: float | None
    fastest: float | None


def write(path: Path, out: Path | None) -> Path:
    """Write the page of a run's cells. Return its file.

    Args:
        path: the run.
        out: the file; `report-cells.html` in the run's folder unless given.

    Raises:
        BadInput: it is no run, or damaged.
        CallbenchError: the file cannot be written.
    """
    run = Record(path)
    run.require_run()
    return write_report(subject(run), {"html": text}, path, "html", out or path / "report-cells.html")


def text(run: Subject) -> str:
    """Return the page."""
    template = environment().get_template("cells.html.j2")
    with run.run.connection() as connection:
        slices = {(row["cell"], row["fork"]): row for row in rows_of(connection, SLICES_SQL, _SlicesRow)}
    return render(
        template,
        {
            "title": f"{run.study.title}: every cell",
            "when": when(str(run.run.info["started"])),
            "info": run.run.info,
            "source": SLICES_SQL.strip(),
            "environment": list(flat(run.environment)),
            "cells": [cell for own in (run, *run.others.values()) for cell in _cells(own, slices)],
            "written": _study(run) == "study.toml",
        },
    )


def _cells(run: Subject, slices: Mapping[tuple[str, int], _SlicesRow]) -> list[Mapping[str, str]]:
    """Return what is shown of each cell of a run, in one condition of the machine's idle states."""
    cells = run.results.cells
    curves = latency_curves(run.run, cells, {cell.id for cell in cells})
    alike = grouped(cells, _stack_and_group)
    return [
        {
            **_shown(run, cell, alike[_stack_and_group(cell)], slices),
            "percentiles": _percentiles(curves.get(cell.id)),
            "curve": small_curve(curves[cell.id]) if cell.id in curves else Markup(),
        }
        for cell in cells
    ]


def _stack_and_group(cell: Result) -> tuple[str, str]:
    return cell.attributes["stack"], cell.attributes["group"]


def _shown(
    run: Subject, cell: Result, alike: Sequence[Result], slices: Mapping[tuple[str, int], _SlicesRow]
) -> dict[str, str]:
    rate = table_cell(cell, "rate_per_s").text
    return {
        "id": cell.id,
        "name": f"{cell.attributes['stack']}, {conditions_of(cell)}{run.condition}",
        "value": f"{rate} calls/s" if cell.rate else rate or "no value",
        "forks": _forks(cell, slices),
        "command": shlex.join(again(run, cell, alike)),
    }


def _forks(cell: Result, slices: Mapping[tuple[str, int], _SlicesRow]) -> str:
    """Return what each fork had, as lines of one width."""
    rates = by_fork(cell, "rate_per_s")
    times = by_fork(cell, "p99_us")
    rows: list[Sequence[str]] = [_COLUMNS]
    for fork in sorted(rates):
        row = slices.get((cell.id, fork))
        count, *seen = (f"{row['slices']:,}", row["slowest"], row["fastest"]) if row else ("", None, None)
        rows.append((str(fork), *map(_figure, (rates[fork], times.get(fork))), count, *map(_figure, seen)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(word.rjust(width) for word, width in zip(row, widths, strict=True)) for row in rows)


def _percentiles(curve: LatencyCurve | None) -> str:
    """Return what some percentiles have, as far as the calls are enough: `p50 18.2, p99 25.1 µs`."""
    known = {share: curve.points[share] for share in _WRITTEN if share in curve.points} if curve else {}
    said = [f"{percentile_name(share)} {figure(value.middle, value.half_width)}" for share, value in known.items()]
    return f"{', '.join(said)} µs" if said else ""


def _figure(value: float | None) -> str:
    return "" if value is None else figure(value, _DIGITS)


def again(run: Subject, cell: Result, alike: Sequence[Result]) -> list[str]:
    """Return the command that measures a cell again, and no other.

    Args:
        run: of the cell.
        cell: that is meant.
        alike: all cells of its stack and group.
    """
    own, asked = cell.attributes, run.requested
    keys = [key for key in _MORE if len({other.attributes[key] for other in alike}) > 1 and own[key]]
    words = ["callbench", "run", _study(run)]
    # Without a study of its own, a service is measured in Rust alone unless more is asked for.
    usual = asked.service is not None and not (Path(asked.service) / STUDY).exists()
    words += [f"--languages={own['adapter']}"] if usual and own["adapter"] != "native" else []
    words += [f"--select={own['stack']}", *(f"--select={key}={own[key]}" for key in ("group", *keys))]
    words += [f"--set={name}={value}" for name, value in asked.settings.items()]
    words += [f"--link={asked.link}"] if asked.link else []
    # A study that asks for both conditions needs no option.
    words += ["--hold-idle"] if asked.idle == (HELD,) else []
    return [*words, *(["--quick"] if asked.quick else [])]


def _study(run: Subject) -> str:
    """Return how its study is named.

    One that comes with the program by its name, an imported service by its folder, which has what code is made from;
    any other by the record's copy.
    """
    asked = run.requested
    return asked.study if asked.study in names() else asked.service or "study.toml"
