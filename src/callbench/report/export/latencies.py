"""The latencies of chosen cells of a run: as a page with whole distributions laid over each other, or as JSON."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from callbench.analysis.cells.results import Result
from callbench.analysis.metrics.latency_curves import LatencyCurve, latency_curves
from callbench.analysis.run.subject import Subject, subject
from callbench.analysis.wording.naming import named
from callbench.model.errors import BadInput
from callbench.report.charts.distributions import distributions
from callbench.report.charts.latency_curve import MOST_CURVES
from callbench.report.export.file import write_report
from callbench.report.export.latency_document import CellLatency, LatencyDocument, LatencyPoint
from callbench.report.export.template import environment, render, when
from callbench.store.record import Record

TITLE = "Latency by percentile"
FORMATS = ("html", "json")


def write(path: Path, chosen: Sequence[str], form: str, out: Path | None) -> Path:
    """Write them. Return the file.

    Args:
        path: the run.
        chosen: the ids of the cells: `c001`.
        form: `html` or `json`.
        out: the file; `report-latency.FORMAT` in the run's folder unless given.

    Raises:
        BadInput: it is no run, or damaged; or it has no such cell, or none of them has percentiles; or there is no
            such format.
        CallbenchError: the file cannot be written.
    """
    run = Record(path)
    run.require_run()
    made = subject(run)
    cells = _cells(made, chosen)
    formats = {"html": partial(text, cells=cells), "json": partial(document, cells=cells)}
    return write_report(made, formats, path, form, out or path / f"report-latency.{form}")


def _cells(run: Subject, chosen: Sequence[str]) -> list[Result]:
    """Return the chosen cells, in the order in which they were named."""
    known = {cell.id: cell for cell in run.results.cells}
    names = list(dict.fromkeys(filter(None, chosen)))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise BadInput(f"--latency: the run has no cell {unknown[0]}: `callbench report RUN --cells` names them all")
    if not 0 < len(names) <= MOST_CURVES:
        raise BadInput(f"--latency takes 1 to {MOST_CURVES} cells, for as many colours: {len(names)} were named")
    return [known[name] for name in names]


def text(run: Subject, cells: Sequence[Result]) -> str:
    """Return the page.

    Raises:
        BadInput: none of the cells has percentiles.
    """
    chart = distributions("latency", TITLE, cells, _curves(run, cells))
    if chart is None:
        raise _no_percentiles(cells)
    return render(
        environment().get_template("latencies.html.j2"),
        {
            "title": f"{run.study.title}: latency",
            "chart": chart,
            "when": when(str(run.run.info["started"])),
            "info": run.run.info,
        },
    )


def document(run: Subject, cells: Sequence[Result]) -> str:
    """Return what the curves show as JSON: a `LatencyDocument`.

    Raises:
        BadInput: none of the cells has percentiles.
    """
    curves = _curves(run, cells)
    if not any(curve.points for curve in curves.values()):
        raise _no_percentiles(cells)
    return LatencyDocument(cells=[_cell(cell, curves.get(cell.id)) for cell in cells]).model_dump_json()


def _cell(cell: Result, curve: LatencyCurve | None) -> CellLatency:
    points = curve.points.items() if curve else ()
    return CellLatency(
        cell=cell.id,
        stack=cell.attributes["stack"],
        name=named(cell),
        calls=list(curve.calls) if curve else [],
        points=[LatencyPoint(share=share, us=it.middle, low_us=it.low, high_us=it.high) for share, it in points],
    )


def _curves(run: Subject, cells: Sequence[Result]) -> dict[str, LatencyCurve]:
    return latency_curves(run.run, run.results.cells, {cell.id for cell in cells})


def _no_percentiles(cells: Sequence[Result]) -> BadInput:
    return BadInput(
        f"no percentiles of {', '.join(cell.id for cell in cells)}: calls are too few, or too short to be timed"
        " one by one; choose other cells"
    )
