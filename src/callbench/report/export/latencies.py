"""The latencies of chosen cells of a run, whole distributions laid over each other, as a page."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from callbench.analysis.cells.results import Result
from callbench.analysis.metrics.latency_curves import latency_curves
from callbench.analysis.run.subject import Subject, subject
from callbench.model.errors import BadInput
from callbench.report.charts.distributions import distributions
from callbench.report.charts.latency_curve import MOST_CURVES
from callbench.report.export.file import write_report
from callbench.report.export.template import environment, render, when
from callbench.store.record import Record

TITLE = "Latency by percentile"


def write(path: Path, chosen: Sequence[str], out: Path | None) -> Path:
    """Write the page. Return its file.

    Args:
        path: the run.
        chosen: the ids of the cells: `c001`.
        out: the file; `report-latency.html` in the run's folder unless given.

    Raises:
        BadInput: it is no run, or damaged; or it has no such cell, or none of them has percentiles.
        CallbenchError: the file cannot be written.
    """
    run = Record(path)
    run.require_run()
    made = subject(run)
    cells = _cells(made, chosen)
    return write_report(made, {"html": partial(text, cells=cells)}, path, "html", out or path / "report-latency.html")


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
    curves = latency_curves(run.run, run.results.cells, {cell.id for cell in cells})
    chart = distributions("latency", TITLE, cells, curves)
    if chart is None:
        raise BadInput(
            f"no percentiles of {', '.join(cell.id for cell in cells)}: calls are too few, or too short to be timed"
            " one by one; choose other cells"
        )
    return render(
        environment().get_template("latencies.html.j2"),
        {
            "title": f"{run.study.title}: latency",
            "chart": chart,
            "when": when(str(run.run.info["started"])),
            "info": run.run.info,
        },
    )
