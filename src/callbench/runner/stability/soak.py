"""A soak: steps of concurrency with long load, measured in slices, and a rest after each step."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from callbench.adapter.stack.target import ServerEnd, Target
from callbench.analysis.load.endpoints import added
from callbench.analysis.stability.lines import until_s
from callbench.analysis.stability.slices import failed_slice
from callbench.model.errors import AdapterFailure, CallbenchError
from callbench.runner.stability.machine_usage import MachineUsage
from callbench.runner.stability.process_usage import ProcessUsage
from callbench.runner.stability.slice_drive import drive_slice
from callbench.stats.estimate.histogram import merged
from callbench.store.lines.overload import Moment
from callbench.store.lines.sides import SideUse
from callbench.store.lines.slices import EndpointCounts, SliceFigures
from callbench.store.lines.soak import (
    SOAK_LINES,
    EndpointsLine,
    HistogramLine,
    RestLine,
    SoakDeathLine,
    SoakMomentLine,
    SoakOverLine,
    SoakSliceLine,
    SoakStartLine,
)
from callbench.store.record_writer import RecordWriter
from callbench.store.requested.soak import SoakRequest

# After so many deaths in a row without a successful call, the server is not restarted again.
MOST_FAILED_STARTS = 3
# A journal line has the histogram of so many slices.
_HISTOGRAM_EVERY = 60
_PAUSE_S = 1.0

# Slices take a second, or less if a step would have too few for a slope. A slice below the minimum has too few calls.
# The number includes a reserve of one half, because the time between slices counts too.
_SLICE_S = 1.0
_LEAST_SLICE_S = 0.25
_SLICES = 100

OnSlice = Callable[[SoakSliceLine | RestLine], None]


def slice_s(seconds: float, every_s: float | None) -> float:
    """Return the length of a slice in seconds: as requested, but never longer than the step."""
    own = max(_LEAST_SLICE_S, min(_SLICE_S, seconds / _SLICES))
    return min(seconds, own if every_s is None else every_s)


@dataclass
class _Progress:
    """What the journal already contains.

    Attributes:
        driven_s: by step.
        rested_s: by step.
        over: whether the soak ended early.
    """

    starts: int = 0
    driven_s: dict[int, float] = field(default_factory=dict)
    rested_s: dict[int, float] = field(default_factory=dict)
    over: bool = False


class Soak:
    """A soak in progress."""

    def __init__(self, run: RecordWriter, target: Target, request: SoakRequest, on_slice: OnSlice) -> None:
        """Continue a soak at the end of its journal."""
        self._run = run
        self._target = target
        self._request = request
        self._on_slice = on_slice
        self._progress = _read_progress(run)
        self._began = time.monotonic() - until_s(run.lines())
        self._start = self._progress.starts
        self._failed_starts = 0
        self._over = self._progress.over
        self._process_usage: ProcessUsage | None = None
        self._machine = MachineUsage(target.pids)
        self._buckets: list[dict[int, int]] = []
        self._extremes: list[int] = []
        self._endpoints: list[list[EndpointCounts]] = []

    def run(self) -> None:
        """Do the remaining work.

        Raises:
            CallbenchError: the server cannot be started at all, or the folder cannot be written.
        """
        if self._over:
            return
        self._open_server()
        self._machine.read()
        try:
            for step, clients in enumerate(self._request.clients):
                self._step(step, clients)
        finally:
            if self._process_usage is not None:
                self._process_usage.close()
            self._target.close(at_once=True)

    def _at_s(self) -> float:
        return round(time.monotonic() - self._began, 4)

    def _open_server(self) -> None:
        """Start or find the server, unless it is open already, and start to watch it."""
        if not self._target.is_open:
            self._target.open()
        self._process_usage = ProcessUsage(self._target.pids)
        at_s, took_s = self._at_s(), round(self._target.started_s, 4)
        self._run.append(SoakStartLine(kind="start", start=self._start, at_s=at_s, took_s=took_s))

    def _step(self, step: int, clients: int) -> None:
        left = self._request.seconds - self._progress.driven_s.get(step, 0.0)
        if left > 0 and not self._over:
            self._moment(step, clients, "begin")
            self._drive(step, clients, left)
            self._moment(step, clients, "end")
        left = self._request.rest_s - self._progress.rested_s.get(step, 0.0)
        if left > 0 and not self._over:
            self._rest(step, clients, left)
            self._moment(step, clients, "rested")

    def _moment(self, step: int, clients: int, moment: Moment) -> None:
        if self._process_usage is not None and not self._over:
            self._run.append(
                SoakMomentLine(
                    kind="moment",
                    step=step,
                    clients=clients,
                    start=self._start,
                    moment=moment,
                    at_s=self._at_s(),
                    sides=self._process_usage.exact(),
                )
            )

    def _drive(self, step: int, clients: int, seconds: float) -> None:
        end = time.monotonic() + seconds
        connected = False
        number = 0
        while (left := end - time.monotonic()) > 0 and not self._over:
            # The rest of a step that is too short for a slice is part of the slice before it.
            length = left if left < 1.5 * self._request.every_s else self._request.every_s
            at_s, start = self._at_s(), self._start
            slice_, connected = self._slice(clients, length, connected=connected)
            loss = self._target.lost()
            self._collect_histogram(slice_)
            line = SoakSliceLine(
                kind="slice",
                step=step,
                clients=clients,
                start=start,
                at_s=at_s,
                **slice_,
                dead=loss is not None,
                sides=self._usage_so_far(),
                machine=self._machine.read(),
            )
            self._run.append(line)
            self._on_slice(line)
            number += 1
            if number % _HISTOGRAM_EVERY == 0:
                self._write_histogram(step)
            if loss is not None:
                connected = False
                self._process_died("server", loss, step)
        self._write_histogram(step)

    def _slice(self, clients: int, seconds: float, *, connected: bool) -> tuple[SliceFigures, bool]:
        """Drive one slice. Return it, and whether the clients are connected. A client that is refused tries again."""
        began = time.monotonic()
        try:
            if not connected:
                self._target.connect(clients)
            think_ns = round(self._request.think_ms * 1e6)
            return drive_slice(self._target.client, self._target.spec, seconds, think_ns=think_ns), True
        except AdapterFailure as failure:
            if self._target.client.broken and self._target.lost() is None:
                self._client_died(failure)
            else:
                time.sleep(max(0.0, began + seconds - time.monotonic()))
            return failed_slice(failure, time.monotonic() - began), False

    def _client_died(self, failure: AdapterFailure) -> None:
        """Handle a dead client: it is restarted with the server, as often as the server itself."""
        self._process_died("client", ServerEnd(failure.ending or "exit", str(failure)), None)

    def _process_died(self, side: Literal["server", "client"], loss: ServerEnd, step: int | None) -> None:
        """Write that a process ended, and restart it if requested."""
        self._run.append(
            SoakDeathLine(
                kind="death",
                side=side,
                start=self._start,
                step=step,
                at_s=self._at_s(),
                calls=self._target.answered,
                how=loss.how,
                why=loss.why,
            )
        )
        # The first call is always made by the start itself.
        self._failed_starts = 0 if self._target.answered > 1 else self._failed_starts + 1
        if not (self._request.restart and self._target.ours):
            self._finish("it died, and --restart was not given")
        elif self._failed_starts >= MOST_FAILED_STARTS:
            self._finish(f"it died {MOST_FAILED_STARTS} times in a row without a successful call")
        else:
            self._restart()

    def _restart(self) -> None:
        if self._process_usage is not None:
            self._process_usage.close()
        self._target.close(at_once=True)
        self._start += 1
        why = ""
        for _ in range(MOST_FAILED_STARTS):
            try:
                self._open_server()
            except CallbenchError as failure:
                why = str(failure)
                time.sleep(_PAUSE_S)
            else:
                return
        self._process_usage = None
        self._finish(f"it could not be restarted: {why}")

    def _finish(self, why: str) -> None:
        self._over = True
        self._run.append(SoakOverLine(kind="over", at_s=self._at_s(), why=why))

    def _rest(self, step: int, clients: int, seconds: float) -> None:
        """Disconnect the clients and leave the server alone, to see what memory it returns."""
        self._target.disconnect_clients()
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self._over:
            at_s = self._at_s()
            length = left if left < 1.5 * self._request.every_s else self._request.every_s
            time.sleep(length)
            loss = self._target.lost()
            line = RestLine(
                kind="rest",
                step=step,
                clients=clients,
                start=self._start,
                at_s=at_s,
                seconds=round(length, 4),
                sides=self._usage_so_far(),
                machine=self._machine.read(),
            )
            self._run.append(line)
            self._on_slice(line)
            if loss is not None:
                self._process_died("server", loss, step)

    def _usage_so_far(self) -> dict[str, SideUse]:
        return {} if self._process_usage is None else self._process_usage.read()

    def _collect_histogram(self, slice_: SliceFigures) -> None:
        """Take the histograms out of a slice's line, also those of endpoints; many of them share one line."""
        buckets = slice_.pop("buckets", None)
        if buckets:
            self._buckets.append(dict(buckets))
            self._extremes += [slice_["min_ns"], slice_["max_ns"]]
        if endpoints := slice_.pop("endpoints", None):
            self._endpoints.append(endpoints)

    def _write_histogram(self, step: int) -> None:
        if self._buckets:
            least, most, buckets = min(self._extremes), max(self._extremes), list(merged(self._buckets).items())
            self._run.append(HistogramLine(kind="histogram", step=step, min_ns=least, max_ns=most, buckets=buckets))
            self._buckets, self._extremes = [], []
        if self._endpoints:
            self._run.append(EndpointsLine(kind="endpoints", step=step, endpoints=added(self._endpoints)))
            self._endpoints = []


def _read_progress(run: RecordWriter) -> _Progress:
    progress = _Progress()
    for line in SOAK_LINES.read(run.lines(), run.journal_file):
        match line["kind"]:
            case "slice" | "rest":
                total_s = progress.driven_s if line["kind"] == "slice" else progress.rested_s
                total_s[line["step"]] = total_s.get(line["step"], 0.0) + line["seconds"]
            case "start":
                progress.starts = line["start"] + 1
            case "over":
                progress.over = True
            case _:
                pass
    return progress
