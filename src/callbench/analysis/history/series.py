"""The series of a folder of records: what one cell had of one metric, record after record."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from callbench.analysis.cells.read_results import read
from callbench.analysis.load.stored import read_result
from callbench.analysis.metrics.metric_values import value_of
from callbench.catalog.reach import LOOPBACK
from callbench.model.errors import BadInput
from callbench.model.metrics.metric import Better
from callbench.model.metrics.registry import VALUES
from callbench.store.head import LOAD, RUN
from callbench.store.record import Record
from callbench.store.requested.run import RequestedRun
from callbench.store.shelf import Shelf, ShelvedRecord

METRICS = ("rate_per_s", "p50_us", "p99_us")
# Of a load, where its result has each metric.
_OF_LOADS: Mapping[str, tuple[str, ...]] = {
    "rate_per_s": ("rate_per_s",),
    "p50_us": ("latency_us", "p50"),
    "p99_us": ("latency_us", "p99"),
}
# What a load was asked for that does not change what is measured.
_OTHER_RUNS_DIFFER = frozenset({"url", "protocol", "out", "fail_if", "expect_errors"})


@dataclass(frozen=True)
class SeriesName:
    """What makes values comparable with each other.

    Attributes:
        study: of a run, or the title of a load.
        cell: what was measured, for readers.
        metric: its name, as `metrics` has it.
        machine: the processor's model and the system.
        identity: all that makes the cell the same in another record.
    """

    study: str
    cell: str
    metric: str
    machine: str
    identity: str

    @property
    def title(self) -> str:
        """What a reader calls the metric."""
        return f"{VALUES[self.metric].title}, {VALUES[self.metric].unit}"

    @property
    def higher_is_better(self) -> bool:
        """Which way is better."""
        return VALUES[self.metric].better is Better.HIGHER


@dataclass(frozen=True)
class SeriesPoint:
    """A value of a series.

    Attributes:
        record: name of the record's folder.
        started: when it was begun, UTC.
    """

    record: str
    started: str
    value: float


@dataclass(frozen=True)
class Collected:
    """The series of a folder.

    Attributes:
        series: each in the order of time.
        read: how many records have values.
        left_out: the others, each with the reason.
    """

    series: Mapping[SeriesName, Sequence[SeriesPoint]]
    read: int
    left_out: Mapping[str, str]


def collected(shelf: Shelf, metrics: Sequence[str] = METRICS) -> Collected:
    """Read the records of a folder.

    Args:
        shelf: the records.
        metrics: names of metrics, as `metrics` of a query has them.

    Raises:
        BadInput: there is no such metric.
    """
    for metric in metrics:
        if metric not in VALUES:
            raise BadInput(f"--metric {metric}: there is no such metric; docs/reference/metrics.md lists them")
    series: dict[SeriesName, list[SeriesPoint]] = {}
    left_out: dict[str, str] = {}
    count = 0
    for entry in sorted(shelf.entries(), key=lambda stored: stored.started):
        try:
            values = list(_values(shelf, entry, metrics))
        except BadInput as failure:
            left_out[entry.name] = str(failure)
            continue
        count += 1
        for name, value in values:
            if value > 0 and math.isfinite(value):
                series.setdefault(name, []).append(SeriesPoint(entry.name, entry.started, value))
    return Collected(series, count, left_out)


def _values(shelf: Shelf, entry: ShelvedRecord, metrics: Sequence[str]) -> Iterator[tuple[SeriesName, float]]:
    """Return what a record has.

    Raises:
        BadInput: nothing; the sentence says why.
    """
    if entry.trouble or entry.state != "finished":
        raise BadInput(entry.trouble or f"it is {entry.state}")
    if entry.kind not in _KINDS:
        raise BadInput(f"records of the kind {entry.kind} have no series yet")
    return _KINDS[entry.kind](Record(shelf.path(entry.name)), entry.machine, metrics)


def _of_run(run: Record, machine: str, metrics: Sequence[str]) -> Iterator[tuple[SeriesName, float]]:
    requested = run.requested(RequestedRun)
    for result in read(run).cells:
        what = result.attributes
        cell = ", ".join(
            part
            for part in (
                what["group"],
                what["stack"],
                f"{what['clients']} clients" if what["clients"] != "1" else "",
                what["link"] if what["link"] != LOOPBACK else "",
            )
            if part
        )
        identity = json.dumps([*result.identity, requested.quick, run.condition])
        for metric in metrics:
            value = value_of(result, metric)
            if value is not None:
                yield SeriesName(requested.study, cell, metric, machine, identity), value.middle


def _of_load(run: Record, machine: str, metrics: Sequence[str]) -> Iterator[tuple[SeriesName, float]]:
    result = read_result(run)
    title = str(run.info["title"])
    cell = f"{result['clients']} clients" + (
        f", {result['rate_asked_per_s']:g}/s asked" if result.get("rate_asked_per_s") else ""
    )
    asked = {name: value for name, value in run.request.items() if name not in _OTHER_RUNS_DIFFER}
    asked["server"] = {**run.request.get("server", {}), "pid": None}
    for metric in metrics:
        value: object = result
        for member in _OF_LOADS.get(metric, ("",)):
            value = value.get(member) if isinstance(value, Mapping) else None
        if isinstance(value, int | float):
            yield SeriesName(title, cell, metric, machine, json.dumps(asked, sort_keys=True)), float(value)


_KINDS: Mapping[str, Callable[[Record, str, Sequence[str]], Iterator[tuple[SeriesName, float]]]] = {
    RUN: _of_run,
    LOAD: _of_load,
}
