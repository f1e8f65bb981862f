"""An overload test: find the capacity, apply multiples of it, and watch the recovery."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

from callbench.adapter.contract import Done
from callbench.adapter.stack.target import Target
from callbench.analysis.stability.lines import until_s
from callbench.analysis.stability.slices import failed_slice, slice_of, slice_record, times
from callbench.model.cell import Cell, Load
from callbench.model.errors import AdapterFailure, CallbenchError
from callbench.runner.drive.knees import RATES, objective_result
from callbench.runner.drive.schedules import Schedules
from callbench.runner.stability.machine_usage import MachineUsage
from callbench.runner.stability.process_usage import ProcessUsage
from callbench.stats.estimate.digits import figure
from callbench.stats.load.knee import LevelTrial, SearchRange, knee, next_level
from callbench.stats.load.rate import window_of
from callbench.stats.load.recovery import IN_A_ROW, Slice, recovery, slow_above
from callbench.store.lines.overload import (
    OVERLOAD_LINES,
    BeforeLine,
    CapacityLine,
    HalfLine,
    Moment,
    OverloadAgainLine,
    OverloadDeathLine,
    OverloadLine,
    OverloadMomentLine,
    PassedLine,
    Phase,
    SearchedLine,
)
from callbench.store.lines.sides import SideUse
from callbench.store.lines.slices import Percentiles
from callbench.store.record_writer import RecordWriter
from callbench.store.requested.overload import OverloadRequest

HALF = 0.5
_BEFORE = 5
# The factor of the slices before all overloads.
_BEFORE_ALL = 0.0
_SLICE_S = 1.0
_GUESS_S = 0.5
# A capacity with a precision of 10 % is enough to multiply it.
_PRECISION = 0.1

Announce = Callable[[str], None]
OnLine = Callable[[BeforeLine | HalfLine | OverloadLine], None]


@dataclass
class _Progress:
    """What the journal already contains.

    Attributes:
        steps: of the search.
        limit_us: slices above this duration are slow; None: unknown so far.
        started: factors with at least one slice.
        finished: factors that are finished, including the recovery.
        over: whether the test has ended.
    """

    steps: list[LevelTrial] = field(default_factory=list)
    capacity: float | None = None
    limit_us: float | None = None
    started: set[float] = field(default_factory=set)
    finished: set[float] = field(default_factory=set)
    over: bool = False


class Overload:
    """An overload test in progress."""

    def __init__(
        self,
        run: RecordWriter,
        target: Target,
        request: OverloadRequest,
        announce: Announce,
        on_line: OnLine,
    ) -> None:
        """Continue a test at the end of its journal.

        Args:
            run: the folder.
            target: the open target; its client has an open loop.
            request: the options.
            announce: shows what is done next.
            on_line: is given the journal's line of each slice, and of what is slow.
        """
        self._on_line = on_line
        self._run = run
        self._target = target
        self._request = request
        self._schedules = Schedules(run.path / "schedules", seed=0)
        self._announce = announce
        self._progress = _read_progress(run)
        self._began = time.monotonic() - until_s(run.lines())
        self._process_usage: ProcessUsage | None = None
        self._machine = MachineUsage(target.pids)

    def run(self) -> None:
        """Do the remaining work. A server that dies ends the test.

        Raises:
            CallbenchError: the server holds no rate at all, or the folder cannot be written.
        """
        if self._progress.over:
            return
        self._target.connect(self._request.clients)
        self._process_usage = ProcessUsage(self._target.pids)
        try:
            self._run_stages(self._progress.capacity or self._find_capacity())
        finally:
            self._process_usage.close()

    def _find_capacity(self) -> float:
        capacity = self._request.rate or self._search_capacity()
        self._run.append(CapacityLine(kind="capacity", rate_per_s=capacity, at_s=self._at_s()))
        return capacity

    def _run_stages(self, capacity: float) -> None:
        # Read the restarted server before any load.
        self._moment("begin")
        limit_us = self._progress.limit_us or self._measure_before(capacity)
        for factor in self._request.factors:
            if factor in self._progress.finished:
                continue
            self._discard_interrupted(factor)
            end_s = self._overload(capacity, factor)
            if self._server_died() or not self._watch_recovery(capacity, factor, limit_us, end_s):
                return
            self._run.append(PassedLine(kind="passed", factor=factor, at_s=self._at_s()))
        self._announce("at rest")
        self._moment("end")
        self._target.disconnect_clients()
        time.sleep(self._request.rest_s)
        self._moment("rested")

    def _discard_interrupted(self, factor: float) -> None:
        """Mark an interrupted overload as repeated: its slices no longer count."""
        if factor in self._progress.started:
            self._run.append(OverloadAgainLine(kind="again", factor=factor))

    def _measure_before(self, capacity: float) -> float:
        """Drive at half of the capacity. Return the duration in microseconds above which a median call is slow."""
        self._discard_interrupted(_BEFORE_ALL)
        self._announce(f"half of {capacity:,.0f} calls/s")
        self._machine.read()
        before = [self._half_load_slice(capacity, "before", _BEFORE_ALL) for _ in range(_BEFORE)]
        speeds = [measured.latency_us for measured in before if measured.latency_us is not None]
        if not speeds:
            raise CallbenchError(f"no call succeeded at half of {capacity:,.0f} calls/s: it cannot be overloaded")
        before_us = median(speeds)
        limit_us = slow_above(before_us, self._request.within)
        line = BeforeLine(kind="before", before_us=before_us, limit_us=limit_us, at_s=self._at_s())
        self._run.append(line)
        self._on_line(line)
        return limit_us

    def _at_s(self) -> float:
        return round(time.monotonic() - self._began, 4)

    def _moment(self, moment: Moment) -> None:
        if self._process_usage is not None:
            at_s, sides = self._at_s(), self._process_usage.exact()
            self._run.append(OverloadMomentLine(kind="moment", moment=moment, at_s=at_s, sides=sides))

    def _search_capacity(self) -> float:
        """Search the capacity like the knee of a study, starting from half of a closed loop's rate."""
        spec = self._target.spec
        closed = self._target.client.drive(
            spec.call, spec.arguments, calls=1, seconds=_GUESS_S, limit_seconds=_GUESS_S, timing="each"
        )
        start = max(1.0, window_of(closed).per_s / 2)
        span, steps = SearchRange(*RATES, _PRECISION), list(self._progress.steps)
        while (level := next_level(steps, start, span)) is not None:
            # A second in which something else held the machine up is no limit of the server: a miss is seen twice.
            steps.append(LevelTrial(level, self._meets(level) or self._meets(level)))
        found_knee = knee(steps, span)
        if found_knee is None or not any(step.met for step in steps):
            raise CallbenchError(
                f"it does not hold even {figure(steps[-1].level, 0.0)} calls/s with {self._request.objective}"
            )
        return found_knee.level

    def _meets(self, level: float) -> bool:
        """Drive a level of the search once, and return whether it met the objective."""
        self._announce(f"searching: {level:,.0f} calls/s")
        done = self._drive(level, _SLICE_S)
        met = objective_result(done, self._request.objective, level)
        line = SearchedLine(
            kind="step", level=level, at_s=self._at_s(),
            value_us=met["value_us"], reached_per_s=met["reached_per_s"], holds=met["holds"],
        )  # fmt: skip
        if starved := slice_record(done).get("starved"):
            line["starved"] = starved
        self._run.append(line)
        return met["holds"]

    def _drive(self, rate: float, seconds: float) -> Done:
        spec = self._target.spec
        load = Load(self._request.clients, 1, seconds, "constant", rate)
        cell = Cell("overload", "overload", spec.name, spec.call, spec.arguments, load)
        schedule = self._schedules.of(cell, 0)
        return self._target.client.drive(
            spec.call,
            spec.arguments,
            calls=1,
            seconds=seconds,
            limit_seconds=seconds,
            timing="each",
            schedule=schedule,
        )

    def _half_load_slice(self, capacity: float, phase: Phase, factor: float) -> Slice:
        """Drive one slice at half of the capacity."""
        at_s, began = self._at_s(), time.monotonic()
        try:
            done = self._drive(capacity * HALF, _SLICE_S)
            slice_ = slice_record(done)
            holds = objective_result(done, self._request.objective, capacity * HALF)["holds"]
        except AdapterFailure as failure:
            if self._target.client.broken:
                raise
            slice_, holds = failed_slice(failure, time.monotonic() - began), False
        slice_.pop("buckets", None)
        slice_.pop("endpoints", None)
        line = HalfLine(
            kind="slice",
            phase=phase,
            factor=factor,
            holds=holds,
            at_s=at_s,
            **slice_,
            dead=self._target.lost() is not None,
            sides=self._usage_so_far(),
            machine=self._machine.read(),
        )
        self._run.append(line)
        self._on_line(line)
        return slice_of(line)

    def _usage_so_far(self) -> dict[str, SideUse]:
        return {} if self._process_usage is None else self._process_usage.read()

    def _overload(self, capacity: float, factor: float) -> float:
        """Drive one overload in a single drive, so that delays accumulate. Return when the arrivals ended."""
        self._announce(f"{factor:g} times {capacity:,.0f} calls/s")
        at_s = self._at_s()
        done = self._drive(capacity * factor, self._request.seconds)
        slice_ = slice_record(done)
        slice_.pop("buckets", None)
        end_s = round(at_s + self._request.seconds, 4)
        over = OverloadLine(
            kind="over",
            factor=factor,
            holds=objective_result(done, self._request.objective, capacity * factor)["holds"],
            rate_asked_per_s=capacity * factor,
            at_s=at_s,
            until_s=end_s,
            **slice_,
            service_us=_service_times(done),
            intervals=done["intervals"],
            sides=self._usage_so_far(),
            machine=self._machine.read(),
        )
        self._run.append(over)
        self._on_line(over)
        return end_s

    def _watch_recovery(self, capacity: float, factor: float, limit_us: float, end_s: float) -> bool:
        """Drive at half of the capacity until the server has recovered. Return whether it lives."""
        self._announce(f"after {factor:g} times")
        began = self._at_s()
        slices: list[Slice] = []
        while self._at_s() - began < self._request.patience_s or len(slices) < IN_A_ROW:
            slices.append(self._half_load_slice(capacity, "after", factor))
            if recovery(slices, end_s, limit_us) is not None:
                return True
            if self._server_died():
                return False
        return True

    def _server_died(self) -> bool:
        loss = self._target.lost()
        if loss is not None:
            at_s, calls = self._at_s(), self._target.answered
            self._run.append(OverloadDeathLine(kind="death", at_s=at_s, calls=calls, how=loss.how, why=loss.why))
        return loss is not None


def _service_times(done: Done) -> Percentiles:
    """Return the percentiles from the real start of each call, in microseconds."""
    histogram = done["service"]
    if not histogram or not histogram["count"]:
        return {}
    return times(dict(histogram["buckets"]), histogram["min_ns"], histogram["max_ns"])


def _read_progress(run: RecordWriter) -> _Progress:
    progress = _Progress()
    for line in OVERLOAD_LINES.read(run.lines(), run.journal_file):
        match line["kind"]:
            case "step":
                progress.steps = _with(progress.steps, LevelTrial(line["level"], line["holds"]))
            case "capacity":
                progress.capacity = line["rate_per_s"]
            case "before":
                progress.limit_us = line["limit_us"]
            case "slice" | "over":
                progress.started.add(line["factor"])
            case "passed":
                progress.finished.add(line["factor"])
            case "death":
                progress.over = True
            case "moment":
                progress.over = progress.over or line["moment"] == "rested"
            case _:
                pass
    return progress


def _with(steps: list[LevelTrial], trial: LevelTrial) -> list[LevelTrial]:
    """Return the levels with one more trial: a level that was tried twice met if either trial did."""
    others = [step for step in steps if step.level != trial.level]
    met = trial.met or any(step.met for step in steps if step.level == trial.level)
    return [*others, LevelTrial(trial.level, met)]
