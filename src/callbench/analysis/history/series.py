"""The series of a folder of records: what one cell had of one metric, record after record."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from callbench.analysis.history.order import SeriesOrder
from callbench.analysis.history.values import study_of, values
from callbench.model.errors import BadInput
from callbench.model.metrics.metric import Better
from callbench.model.metrics.registry import FOLLOWED, HELD
from callbench.store.record import Record
from callbench.store.shelf import Shelf, ShelvedRecord

METRICS = ("rate_per_s", "p50_us", "p99_us", *HELD)


@dataclass(frozen=True)
class SeriesName:
    """What makes values comparable with each other.

    Attributes:
        study: of a run, or the title of another record.
        cell: what was measured, for readers.
        metric: its name, as `FOLLOWED` has it.
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
        return f"{FOLLOWED[self.metric].title}, {FOLLOWED[self.metric].unit}"

    @property
    def higher_is_better(self) -> bool:
        """Which way is better."""
        return FOLLOWED[self.metric].better is Better.HIGHER


@dataclass(frozen=True)
class SeriesPoint:
    """A value of a series.

    Attributes:
        record: name of the record's folder.
        started: when it was begun, UTC.
        commit: of what was measured; "" if the record names none.
        low: lower end of the value's interval; None if it has none.
        high: upper end likewise.
    """

    record: str
    started: str
    commit: str
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Collected:
    """The series of a folder.

    Attributes:
        series: each in the order that was asked for.
        records: names of those that have values, in that order.
        left_out: those that have none, each with the reason.
        copies: of records that have values; each with the name of the one that is taken. They are no measurements.
    """

    series: Mapping[SeriesName, Sequence[SeriesPoint]]
    records: Sequence[str]
    left_out: Mapping[str, str]
    copies: Mapping[str, str]

    @property
    def read(self) -> int:
        """How many records have values."""
        return len(self.records)


def collected(shelf: Shelf, metrics: Sequence[str] = METRICS, order: SeriesOrder = SeriesOrder.TIME) -> Collected:
    """Read the records of a folder.

    Args:
        shelf: the records.
        metrics: names of metrics, as `FOLLOWED` has them.
        order: of the values of each series.

    Raises:
        BadInput: there is no such metric.
    """
    for metric in metrics:
        if metric not in FOLLOWED:
            raise BadInput(f"--metric {metric}: there is no such metric; docs/reference/metrics.md lists them")
    series: dict[SeriesName, list[SeriesPoint]] = {}
    left_out: dict[str, str] = {}
    copies: dict[str, str] = {}
    read: dict[str, str] = {}
    for entry in _ordered(shelf.entries(), order):
        if entry.id in read:
            copies[entry.name] = read[entry.id]
            continue
        try:
            found = _points(shelf, entry, metrics, order)
        except BadInput as failure:
            left_out[entry.name] = str(failure)
            continue
        read[entry.id] = entry.name
        for name, point in found:
            series.setdefault(name, []).append(point)
    return Collected(series, list(read.values()), left_out, copies)


def _ordered(entries: Sequence[ShelvedRecord], order: SeriesOrder) -> list[ShelvedRecord]:
    """Return records, the oldest first.

    By commit, those of one commit stand together. Commits follow each other by their own dates; one whose date is not
    known has that of its first record.
    """
    by_time = sorted(entries, key=lambda entry: entry.started)
    if order is SeriesOrder.TIME:
        return by_time
    dates: dict[str, str] = {}
    for entry in by_time:
        dates.setdefault(entry.commit, entry.committed or entry.started)
    return sorted(by_time, key=lambda entry: (dates[entry.commit], entry.commit))


def _points(
    shelf: Shelf, entry: ShelvedRecord, metrics: Sequence[str], order: SeriesOrder
) -> list[tuple[SeriesName, SeriesPoint]]:
    """Return what a record has.

    Raises:
        BadInput: nothing; the sentence says why.
    """
    if entry.trouble or entry.state != "finished":
        raise BadInput(entry.trouble or f"it is {entry.state}")
    if order is SeriesOrder.COMMIT and not entry.commit:
        raise BadInput("it names no commit: --commit of the command that measures does")
    record = Record(shelf.path(entry.name))
    study = study_of(record)
    return [
        (
            SeriesName(study, found.cell, found.metric, entry.machine, found.identity),
            SeriesPoint(
                record=entry.name,
                started=entry.started,
                commit=entry.commit,
                value=found.value.middle,
                low=found.value.low,
                high=found.value.high,
            ),
        )
        for found in values(record, metrics)
        if found.value.middle > 0 and math.isfinite(found.value.middle)
    ]
