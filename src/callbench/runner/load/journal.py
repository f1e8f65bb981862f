"""Writes the record of a load: a folder like every other one, with the driver's intervals as they come."""

from pathlib import Path

from callbench.adapter.contract import DriveInterval
from callbench.adapter.placement import Placement
from callbench.analysis.load.request import LoadRequest
from callbench.runner.machine import environment
from callbench.store.head import LOAD, as_file, folder, head
from callbench.store.lines.load import IntervalsLine, LoadRecord, LoadResultLine
from callbench.store.record_writer import RecordWriter

_WRITE_EVERY_NS = 10**9


class LoadJournal:
    """Writes a load's intervals, about once a second: the disk must not be busy while calls are timed."""

    def __init__(self, writer: RecordWriter) -> None:
        """Write to a record."""
        self._writer = writer
        self._waiting: list[tuple[int, int, int]] = []

    def interval(self, interval: DriveInterval) -> None:
        """Take an interval.

        Raises:
            CallbenchError: the disk is full or fails.
        """
        self._waiting.append(interval[:3])
        if interval.at_ns - self._waiting[0][0] >= _WRITE_EVERY_NS:
            self._write()

    def result(self, result: LoadRecord) -> None:
        """Write what the load resulted in.

        Raises:
            CallbenchError: the disk is full or fails.
        """
        self._write()
        self._writer.append(LoadResultLine(kind="result", **result))

    def _write(self) -> None:
        if self._waiting:
            self._writer.append(IntervalsLine(kind="intervals", intervals=self._waiting))
            self._waiting = []


def create(request: LoadRequest, out: Path | None, where: Placement) -> RecordWriter:
    """Make the folder of a load, before anything is driven.

    Args:
        request: the load.
        out: the folder; None: `runs/load-TIME`.
        where: the processors of each side.

    Raises:
        BadInput: there is something already.
        CallbenchError: it cannot be written.
    """
    info = head(LOAD, f"load of {request.target}", request.record())
    files = {"environment.json": as_file(environment.record(where, generators=request.hosts))}
    return RecordWriter.create(folder(out, LOAD), info, files)
