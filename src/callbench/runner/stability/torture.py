"""A torture: one mischief after the other, with somebody who calls as ever before, meanwhile and after."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from callbench.adapter.stack.target import Target
from callbench.model.errors import AdapterFailure, CallbenchError
from callbench.runner.stability import overheard, record
from callbench.runner.stability.machine import Machine
from callbench.runner.stability.mischief import Known, Mischief, chosen
from callbench.runner.stability.observer import LENGTH_S, Observer
from callbench.runner.stability.slices import slice_of
from callbench.runner.stability.storm import Storm
from callbench.runner.stability.vitals import Vitals
from callbench.stats.recovery import IN_A_ROW, Slice, recovery, slow_above
from callbench.store.writer import RunWriter

_BEFORE = 4
# What is left over is looked at when the kernel has had time to end what was closed.
_SETTLE_S = 1.0

Say = Callable[[str], None]


@dataclass(frozen=True)
class Wish:
    """What was asked for.

    Attributes:
        tests: names; empty: all.
        connections: so many bad ones at once, or as many as a test allows.
        pace_per_s: so many new ones a second at most.
        seconds: of each mischief.
        patience_s: how long it may take until all is well again.
        within: a median call of more than so many times what it took before is slow.
    """

    tests: tuple[str, ...] = ()
    connections: int = 1000
    pace_per_s: float = 2000.0
    seconds: float = 10.0
    patience_s: float = 30.0
    within: float = 3.0


@dataclass(frozen=True)
class _Past:
    """What the journal has already: tests that are done or left out, and those that were begun."""

    done: frozenset[str]
    begun: frozenset[str]


class Torture:
    """A torture under way."""

    def __init__(  # noqa: PLR0913, PLR0917 - what is done to whom, and who is told
        self, run: RunWriter, target: Target, wish: Wish, known: Known, processors: Sequence[int], say: Say
    ) -> None:
        """Takes up a torture where its journal ends.

        Args:
            run: the folder.
            target: open.
            wish: what was asked for.
            known: how the server is called.
            processors: those that the storm may run on; empty: any.
            say: told what is being done.

        Raises:
            BadInput: there is no such test.
        """
        self._run = run
        self._target = target
        self._wish = wish
        self._known = known
        self._processors = processors
        self._say = say
        self._tests = chosen(wish.tests)
        self._past = _past(run)
        self._began = time.monotonic() - record.until_s(run.lines())

    def go(self) -> None:
        """Does what is left to do. Every test has a fresh server where it is ours to start.

        Raises:
            CallbenchError: the server cannot be started, or the folder cannot be written.
        """
        fresh = True
        for test in self._tests:
            if test.name in self._past.done:
                continue
            why_not = test.why_not(self._known)
            if why_not:
                self._run.append({"kind": "left-out", "test": test.name, "why": why_not})
                continue
            if not fresh and not self._fresh(test):
                continue
            fresh = False
            if test.name in self._past.begun:
                # Cut off in its midst: what was seen of it is not what will be seen now.
                self._run.append({"kind": "again", "test": test.name})
            self._test(test)

    def _at_s(self) -> float:
        return round(time.monotonic() - self._began, 4)

    def _fresh(self, test: Mischief) -> bool:
        """Starts the server again; one that is not ours goes on as it is, if it does."""
        if self._target.ours:
            self._target.close()
            self._target.open()
            return True
        if self._target.lost() is None:
            return True
        self._run.append({"kind": "left-out", "test": test.name, "why": "the server has died and is not ours to start"})
        return False

    def _test(self, test: Mischief) -> None:
        self._say(f"{test.name}: before")
        # Its own client is not needed, and is not to be in the server's books.
        self._target.alone()
        observer = Observer(self._target)
        vitals = Vitals(self._target.pids)
        self._machine = Machine(self._target.pids)
        try:
            seen = [self._look(test, "before", observer) for _ in range(_BEFORE)]
            begin = vitals.exact()
            speeds = [one.latency_us for one in seen if one.latency_us is not None]
            if not speeds:
                why = "the observer was not answered even before it"
                self._run.append({"kind": "left-out", "test": test.name, "why": why})
                return
            before_us = median(speeds)
            limit_us = slow_above(before_us, self._wish.within)
            line = {"kind": "test", "test": test.name, "about": test.about, "at_s": self._at_s(), "begin": begin}
            self._run.append({**line, "before_us": before_us, "limit_us": limit_us})
            done, ended_s = self._rage(test, observer)
            self._recovers(test, observer, ended_s, limit_us)
            time.sleep(_SETTLE_S)
            loss = self._target.lost()
            ending = None if loss is None else {"how": loss.how, "why": loss.why}
            self._run.append(
                {"kind": "tested", "test": test.name, "ended_s": ended_s, "storm": done, "end": vitals.exact(),
                 "sides": vitals.taken(), "loss": ending}
            )  # fmt: skip
        finally:
            vitals.close()
            observer.close()

    def _rage(self, test: Mischief, observer: Observer) -> tuple[Mapping[str, Any], float]:
        """Lets the storm rage, and looks meanwhile. Gives what came of it, and when it was over."""
        host, port = overheard.address(self._target.endpoint)
        connections = min(test.most, self._wish.connections)
        wish = {
            "address": overheard.numeric(host, port),
            "connections": connections,
            "seconds": self._wish.seconds,
            "pace_per_s": self._wish.pace_per_s,
            **test.does(self._known),
        }
        self._say(f"{test.name}: {connections} connections, each {test.about}")
        with Storm(wish, self._processors, self._target.hosts.client) as storm:
            while storm.rages:
                self._look(test, "during", observer)
            ended_s = self._at_s()
            for interval in storm.intervals[::5]:
                self._run.append({"kind": "storm", "test": test.name, **interval})
            if storm.done is None:
                raise storm.failure or CallbenchError("the storm ended without a word")
            return {name: value for name, value in storm.done.items() if name != "is"}, ended_s

    def _recovers(self, test: Mischief, observer: Observer, ended_s: float, limit_us: float) -> None:
        """Looks until all is well again, or patience is at an end."""
        self._say(f"{test.name}: after")
        seen: list[Slice] = []
        while self._at_s() - ended_s < self._wish.patience_s or len(seen) < IN_A_ROW:
            seen.append(self._look(test, "after", observer))
            if recovery(seen, ended_s, limit_us) is not None or (seen[-1].dead and not seen[-1].calls):
                return

    def _look(self, test: Mischief, phase: str, observer: Observer) -> Slice:
        at_s = self._at_s()
        try:
            made = observer.looks(LENGTH_S)
        except AdapterFailure as failure:
            raise CallbenchError(f"the observer cannot be started: {failure}") from failure
        line = {"kind": "slice", "test": test.name, "phase": phase, "at_s": at_s, **made}
        line |= {"dead": self._target.lost() is not None, "machine": self._machine.taken()}
        self._run.append(line)
        return slice_of(line)


def _past(run: RunWriter) -> _Past:
    by_kind: dict[str, set[str]] = {}
    for line in run.lines():
        by_kind.setdefault(line["kind"], set()).add(line.get("test", ""))
    done = by_kind.get("tested", set()) | by_kind.get("left-out", set())
    return _Past(frozenset(done), frozenset(by_kind.get("slice", set()) - done))
