"""A torture test: one misbehaviour after the other, while an observer calls before, during and after it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from callbench.adapter.stack.target import Target
from callbench.analysis.stability.lines import until_s
from callbench.analysis.stability.slices import slice_of
from callbench.model.errors import AdapterFailure, CallbenchError
from callbench.runner.stability import request_recorder
from callbench.runner.stability.machine_usage import MachineUsage
from callbench.runner.stability.misbehaviour import Misbehaviour, RecordedRequest, select_tests
from callbench.runner.stability.observer import LENGTH_S, Observer
from callbench.runner.stability.process_usage import ProcessUsage
from callbench.runner.stability.torture_connections import TortureConnections
from callbench.stats.load.recovery import IN_A_ROW, Slice, recovery, slow_above
from callbench.store.lines.torture import (
    TORTURE_LINES,
    AttackAgainLine,
    AttackedLine,
    AttackLine,
    ConnectionsLine,
    ConnectionTotals,
    HowEnded,
    LeftOutTestLine,
    ObservedLine,
    Phase,
)
from callbench.store.record_writer import RecordWriter
from callbench.store.requested.torture import TortureRequest

_BEFORE = 4
# Leftover connections are counted after the kernel had time to close them.
_SETTLE_S = 1.0

Announce = Callable[[str], None]


@dataclass
class _Progress:
    """What the journal already contains: finished or excluded tests, and those that were begun."""

    done: set[str] = field(default_factory=set)
    started: set[str] = field(default_factory=set)


class Torture:
    """A torture test in progress."""

    def __init__(  # noqa: PLR0913, PLR0917 - what is done to which server, and who is notified
        self,
        run: RecordWriter,
        target: Target,
        request: TortureRequest,
        recorded_request: RecordedRequest,
        processors: Sequence[int],
        announce: Announce,
    ) -> None:
        """Continue a test at the end of its journal.

        Args:
            run: the folder.
            target: the open target.
            request: the options.
            recorded_request: how the server is called.
            processors: the processors of the misbehaving connections; empty: any.
            announce: shows what is done next.

        Raises:
            BadInput: a test does not exist.
        """
        self._run = run
        self._target = target
        self._request = request
        self._recorded_request = recorded_request
        self._processors = processors
        self._announce = announce
        self._tests = select_tests(request.tests)
        self._progress = _read_progress(run)
        self._began = time.monotonic() - until_s(run.lines())

    def run(self) -> None:
        """Do the remaining work. Every test has a restarted server, if it is ours to start.

        Raises:
            CallbenchError: the server cannot be started, or the folder cannot be written.
        """
        fresh = True
        for test in self._tests:
            if test.name in self._progress.done:
                continue
            why_not = test.why_not(self._recorded_request)
            if why_not:
                self._leave_out(test, why_not)
                continue
            if not fresh and not self._restart_server(test):
                continue
            fresh = False
            if test.name in self._progress.started:
                # The test was interrupted, so its slices no longer count.
                self._run.append(AttackAgainLine(kind="again", test=test.name))
            self._test(test)

    def _at_s(self) -> float:
        return round(time.monotonic() - self._began, 4)

    def _restart_server(self, test: Misbehaviour) -> bool:
        """Restart the server. An external server is not restarted; return whether it is still alive."""
        if self._target.ours:
            self._target.close()
            self._target.open()
            return True
        if self._target.lost() is None:
            return True
        self._leave_out(test, "the server has died and is not ours to start")
        return False

    def _leave_out(self, test: Misbehaviour, why: str) -> None:
        self._run.append(LeftOutTestLine(kind="left-out", test=test.name, why=why))

    def _test(self, test: Misbehaviour) -> None:
        self._announce(f"{test.name}: before")
        # Disconnect the target's own client: the server's counts must not include it.
        self._target.disconnect_clients()
        observer = Observer(self._target)
        process_usage = ProcessUsage(self._target.pids)
        self._machine = MachineUsage(self._target.pids)
        try:
            slices = [self._observe(test, "before", observer) for _ in range(_BEFORE)]
            begin = process_usage.exact()
            speeds = [measured.latency_us for measured in slices if measured.latency_us is not None]
            if not speeds:
                self._leave_out(test, "the observer was not answered even before it")
                return
            before_us = median(speeds)
            limit_us = slow_above(before_us, self._request.within)
            self._run.append(
                AttackLine(
                    kind="test",
                    test=test.name,
                    about=test.about,
                    at_s=self._at_s(),
                    begin=begin,
                    before_us=before_us,
                    limit_us=limit_us,
                )
            )
            done, ended_s = self._attack(test, observer)
            self._watch_recovery(test, observer, ended_s, limit_us)
            time.sleep(_SETTLE_S)
            loss = self._target.lost()
            self._run.append(
                AttackedLine(
                    kind="tested",
                    test=test.name,
                    ended_s=ended_s,
                    connections=done,
                    end=process_usage.exact(),
                    sides=process_usage.read(),
                    loss=None if loss is None else HowEnded(how=loss.how, why=loss.why),
                )
            )
        finally:
            process_usage.close()
            observer.close()

    def _attack(self, test: Misbehaviour, observer: Observer) -> tuple[ConnectionTotals, float]:
        """Run the misbehaving connections, and observe meanwhile. Return their report, and when they ended."""
        host, port = request_recorder.address(self._target.endpoint)
        connections = min(test.most, self._request.connections)
        request = {
            "address": request_recorder.numeric(host, port),
            "connections": connections,
            "seconds": self._request.seconds,
            "connects_per_s": self._request.pace_per_s,
            **test.actions(self._recorded_request),
        }
        self._announce(f"{test.name}: {connections} connections, each {test.about}")
        with TortureConnections(request, self._processors, self._target.hosts.client) as misbehaving:
            while misbehaving.is_running:
                self._observe(test, "during", observer)
            ended_s = self._at_s()
            for interval in misbehaving.intervals[::5]:
                self._run.append(ConnectionsLine(kind="connections", test=test.name, **interval))
            if misbehaving.done is None:
                raise misbehaving.failure or CallbenchError("the engine's torture program ended without a report")
            return misbehaving.done, ended_s

    def _watch_recovery(self, test: Misbehaviour, observer: Observer, ended_s: float, limit_us: float) -> None:
        """Observe until the server has recovered, or the longest wait is over."""
        self._announce(f"{test.name}: after")
        slices: list[Slice] = []
        while self._at_s() - ended_s < self._request.patience_s or len(slices) < IN_A_ROW:
            slices.append(self._observe(test, "after", observer))
            if recovery(slices, ended_s, limit_us) is not None or (slices[-1].dead and not slices[-1].calls):
                return

    def _observe(self, test: Misbehaviour, phase: Phase, observer: Observer) -> Slice:
        at_s = self._at_s()
        try:
            slice_ = observer.observe(LENGTH_S)
        except AdapterFailure as failure:
            raise CallbenchError(f"the observer cannot be started: {failure}") from failure
        line = ObservedLine(
            kind="slice",
            test=test.name,
            phase=phase,
            at_s=at_s,
            **slice_,
            dead=self._target.lost() is not None,
            machine=self._machine.read(),
        )
        self._run.append(line)
        return slice_of(line)


def _read_progress(run: RecordWriter) -> _Progress:
    progress = _Progress()
    for line in TORTURE_LINES.read(run.lines(), run.journal_file):
        if line["kind"] == "slice":
            progress.started.add(line["test"])
        elif line["kind"] == "tested" or line["kind"] == "left-out":
            progress.done.add(line["test"])
    progress.started -= progress.done
    return progress
