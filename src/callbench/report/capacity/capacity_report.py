"""A search for a capacity in sentences, a table and charts."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from statistics import median
from typing import Literal

from callbench.analysis.capacity.result import CapacityResult, rate_of, read, times_of_load
from callbench.analysis.load.endpoints import endpoint_record
from callbench.analysis.stability.findings import unfinished
from callbench.analysis.stability.formatting import errors_text, over_text
from callbench.analysis.stability.lines import notes
from callbench.model import objective
from callbench.report.capacity.answer import answer, level_text, title
from callbench.report.charts.chart import chart
from callbench.report.charts.knee import CrossedAt, KneeStep, ObjectiveMark, knee_chart
from callbench.report.load.endpoints_sheet import endpoints_sheet
from callbench.report.record_report import RecordReport
from callbench.report.text.section import Chart, Section, Sheet
from callbench.stats.estimate.digits import figure, given, percent
from callbench.stats.load.capacity_plan import Capacity
from callbench.stats.load.knee import KneeOutcome
from callbench.store.lines.capacity import StepLine
from callbench.store.record import Record
from callbench.store.requested.capacity import CLIENTS, RequestedCapacity

_SOURCE = "journal.jsonl: lines of kind step, proof and death (docs/reference/run-folder.md)"
_COLUMNS = ("loads", "met", "objective's value, ms", "calls/s", "mean, ms", "server busy", "driver busy", "errors")


def capacity_report(run: Record) -> RecordReport:
    """Describe a search.

    Raises:
        BadInput: the folder is damaged.
    """
    result, requested = read(run), run.requested(RequestedCapacity)
    search = result.request
    loop = (
        f"clients of a closed loop{_think(search.think_ms)}" if search.along == CLIENTS else "arrivals of an open loop"
    )
    about = f"{requested.name}{over_text(requested.link)}. The most {loop} with {search.objective} were searched."
    notes_ = notes(run, run.lines())
    findings = list(unfinished(run))
    return RecordReport(
        run, about, list(answer(result, notes_)), [_section(result)], _record(run, result), findings,
        verdict=title(result),
    )  # fmt: skip


def _think(think_ms: float) -> str:
    return f" that wait {given(think_ms)} ms before each call" if think_ms else ""


def _record(run: Record, result: CapacityResult) -> dict[str, object]:
    """For programs."""
    capacity, saturation = result.capacity, result.saturation
    return {
        "kind": "capacity",
        "folder": str(run.path),
        "of": run.request,
        "state": run.info["state"],
        "along": result.request.along,
        "objective": result.request.objective,
        "capacity": None if capacity is None else _found(capacity),
        "calls_per_s": None if result.rate is None else asdict(result.rate),
        "saturated": None if saturation is None else {**asdict(saturation), "resource": saturation.resource.value},
        "valid": not result.invalid,
        "outcome": result.outcome.value,
        "death": result.death,
        "proof": None if result.proof is None else asdict(result.proof),
        "seconds": result.took_s,
        "endpoints": [endpoint_record(endpoint) for endpoint in result.endpoints],
        "estimates": [
            {"met": each.met, "failed": None if math.isinf(each.failed) else each.failed} for each in result.estimates
        ],
        "steps": [
            {
                "phase": line["phase"],
                "level": line["level"],
                "holds": line["holds"],
                "value_us": line["value_us"],
                "errors": line["errors"],
                "at_s": line["at_s"],
                "seconds": line["seconds"],
                "rate_per_s": line["load"]["rate_per_s"] if line["load"] else None,
            }
            for line in result.steps
        ],
    }


def _found(capacity: Capacity) -> Mapping[str, object]:
    """Give what the search ended with, as the text says it: without what it was before it allowed for short loads."""
    return {**{name: value for name, value in asdict(capacity).items() if name != "shown"}, "end": capacity.end.value}


def _endpoints(result: CapacityResult) -> Sheet:
    """The table of the endpoints at the capacity; if nothing was held, at the lowest load."""
    along, levels = result.request.along, result.endpoints_of
    between = " to ".join(level_text(level, along) for level in sorted({levels[0], levels[-1]}))
    loads = "one load" if len(levels) == 1 else f"{len(levels)} loads"
    nothing = result.capacity is None or result.capacity.end is KneeOutcome.BELOW
    where = "the lowest load" if nothing else "the capacity"
    return endpoints_sheet(result.endpoints, f"The sum of {loads} at {where}, {between}.")


def _section(result: CapacityResult) -> Section:
    clients = result.request.along == CLIENTS
    first = "clients" if clients else "calls/s"
    rows = [_row(level, list(lines)) for level, lines in groupby(_sorted(result.steps), key=lambda line: line["level"])]
    columns = [first, *(_COLUMNS if clients else [name.replace("calls/s", "answered, calls/s") for name in _COLUMNS])]
    about = "Each row is one load. Several tries are summed up: calls/s by the geometric mean, all else by the median."
    charts = [drawn for drawn in (_chart(result, first), _rates(result)) if drawn is not None]
    sheets = [Sheet("Loads", columns, rows), *([_endpoints(result)] if result.endpoints else [])]
    return Section("capacity", "Loads", about, sheets=sheets, charts=charts, source=_SOURCE)


def _sorted(steps: Sequence[StepLine]) -> list[StepLine]:
    return sorted(steps, key=lambda line: float(line["level"]))


def _row(level: float, lines: Sequence[StepLine]) -> tuple[str, ...]:
    loads = [line["load"] for line in lines if line["load"]]
    values = [line["value_us"] / 1e3 for line in lines if line["value_us"] is not None]
    means = [times["mean"] / 1e3 for load in loads if (times := times_of_load(load))]
    rate = rate_of(lines)
    errors: dict[str, int] = {}
    for kind, count in ((kind, count) for line in lines for kind, count in line["errors"].items()):
        errors[kind] = errors.get(kind, 0) + count
    return (
        figure(level, 0.0),
        str(len(lines)),
        str(sum(line["holds"] for line in lines)),
        _middle(values) if len(values) == len(lines) else "none",
        figure(rate.middle, 0.005) if rate else "0" if loads else "",
        _middle(means),
        _busy(lines, "server"),
        _busy(lines, "client"),
        errors_text(errors),
    )


def _middle(values: Sequence[float]) -> str:
    return figure(median(values), 0.005) if values else ""


def _busy(lines: Sequence[StepLine], side: Literal["client", "server"]) -> str:
    sides = [line["evidence"][side] for line in lines if line["evidence"]]
    known = [seen["busy"] for seen in sides if seen is not None and seen["busy"] is not None]
    return percent(median(known)) if known else "unknown"


def _chart(result: CapacityResult, first: str) -> Chart | None:
    """The value that the objective limits, by load."""
    aim = objective.parse(result.request.objective)
    tried = [
        KneeStep("the server", float(line["level"]), float(line["value_us"]), bool(line["holds"]))
        for line in result.steps
        if line["value_us"] is not None
    ]
    capacity = result.capacity
    crossed = None
    about = "Each mark is one load: a dot if it met the objective, a cross if not."
    if capacity is not None and capacity.low is not None and capacity.high is not None:
        crossed = CrossedAt(
            capacity.level, capacity.low, capacity.high, level_text(capacity.level, result.request.along)
        )
        about += " The line from above to below is the capacity, in its 95 % interval."
    name = f"{result.request.objective.partition(' ')[0]}, ms, logarithmic"
    spec = knee_chart(tried, f"{first}, logarithmic", name, ObjectiveMark(aim.text, aim.limit_us), crossed)
    return chart("capacity-objective", "Objective by load", about, spec, _SOURCE)


def _rates(result: CapacityResult) -> Chart | None:
    """Calls a second by load: where the line is flat, something is used up."""
    from callbench.report.charts.marks import answering  # noqa: PLC0415 - as above
    from callbench.report.charts.palette import SERIES, WIDTH, logarithmic  # noqa: PLC0415 - beside what needs it

    points = [
        {"level": float(line["level"]), "rate": line["load"]["rate_per_s"]} for line in result.steps if line["load"]
    ]
    if result.request.along != CLIENTS or len({point["level"] for point in points}) < 2:
        return None
    x = logarithmic("level", "clients", [point["level"] for point in points])
    y = {"field": "rate", "type": "quantitative", "axis": {"title": "calls/s", "grid": True}}
    spec = {
        "width": WIDTH - 60,
        "height": 200,
        "data": {"values": points},
        "layer": [
            answering({"mark": {"type": "point", "filled": True, "color": SERIES[0]}, "encoding": {"x": x, "y": y}})
        ],
    }
    return chart("capacity-rate", "Calls per second by clients", "Each mark is one load.", spec, _SOURCE)
