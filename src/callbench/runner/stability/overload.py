"""An overload: what a server holds, what becomes of it under twice and ten times as much, and when it is well again."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from callbench.adapter.stack.target import Target
from callbench.model.cell import Cell, Load
from callbench.model.errors import AdapterFailure, CallbenchError
from callbench.runner.knees import RATES, held
from callbench.runner.schedules import Schedules
from callbench.runner.stability import record
from callbench.runner.stability.machine import Machine
from callbench.runner.stability.slices import failed, reckoned, slice_of, times
from callbench.runner.stability.vitals import Vitals
from callbench.stats.knee import Span, Step, knee, next_level
from callbench.stats.rate import window_of
from callbench.stats.recovery import IN_A_ROW, Slice, recovery, slow_above
from callbench.store.writer import RunWriter

HALF = 0.5
_BEFORE = 5
# The place of the slices before all overloads, among the factors.
_BEFORE_ALL = 0.0
_SLICE_S = 1.0
_GUESS_S = 0.5
# A capacity that is known to a tenth is enough to double it.
_PRECISION = 0.1

Say = Callable[[str], None]


@dataclass(frozen=True)
class Wish:
    """What was asked for.

    Attributes:
        objective: the capacity is the highest rate that meets it.
        factors: of the capacity: each is an overload.
        clients: the most calls under way at once.
        seconds: of each overload.
        patience_s: how long it may take until all is well again.
        within: a median call of more than so many times what it took before is slow.
        rest_s: alone, in the end.
        rate: the capacity where it is known; None: it is searched for.
    """

    objective: str
    factors: tuple[float, ...] = (2.0, 10.0)
    clients: int = 200
    seconds: float = 10.0
    patience_s: float = 60.0
    within: float = 2.0
    rest_s: float = 10.0
    rate: float | None = None


@dataclass
class _Past:
    """What the journal has already.

    Attributes:
        steps: of the search.
        limit_us: above which a slice is slow; None: that is not known yet.
        begun: factors that something was seen of.
        passed: those that are over, with what came after them.
        over: whether it has come to its end.
    """

    steps: list[Step] = field(default_factory=list)
    capacity: float | None = None
    limit_us: float | None = None
    begun: set[float] = field(default_factory=set)
    passed: set[float] = field(default_factory=set)
    over: bool = False


class Overload:
    """An overload under way."""

    def __init__(self, run: RunWriter, target: Target, wish: Wish, folder: Path, say: Say) -> None:
        """Takes up an overload where its journal ends.

        Args:
            run: the folder.
            target: open, its client with an open loop.
            wish: what was asked for.
            folder: for schedules.
            say: told what is being done.
        """
        self._run = run
        self._target = target
        self._wish = wish
        self._schedules = Schedules(folder, seed=0)
        self._say = say
        self._past = _past(run)
        self._began = time.monotonic() - record.until_s(run.lines())
        self._vitals: Vitals | None = None
        self._machine = Machine(target.pids)

    def go(self) -> None:
        """Does what is left to do; a server that dies ends it.

        Raises:
            CallbenchError: it holds no rate at all, or the folder cannot be written.
        """
        if self._past.over:
            return
        self._target.connect(self._wish.clients)
        self._vitals = Vitals(self._target.pids)
        try:
            self._stages(self._past.capacity or self._found())
        finally:
            self._vitals.close()

    def _found(self) -> float:
        capacity = self._wish.rate or self._capacity()
        self._run.append({"kind": "capacity", "rate_per_s": capacity, "at_s": self._at_s()})
        return capacity

    def _stages(self, capacity: float) -> None:
        # What a server that was started afresh has before anything is its own.
        self._moment("begin")
        limit_us = self._past.limit_us or self._before(capacity)
        for factor in self._wish.factors:
            if factor in self._past.passed:
                continue
            self._anew(factor)
            until_s = self._over(capacity, factor)
            if self._dead() or not self._recovers(capacity, factor, limit_us, until_s):
                return
            self._run.append({"kind": "passed", "factor": factor, "at_s": self._at_s()})
        self._say("at rest")
        self._moment("end")
        self._target.alone()
        time.sleep(self._wish.rest_s)
        self._moment("rested")

    def _anew(self, factor: float) -> None:
        """What was cut off is begun anew: what was seen of it counts no more."""
        if factor in self._past.begun:
            self._run.append({"kind": "again", "factor": factor})

    def _before(self, capacity: float) -> float:
        """How it is at half of the capacity. Gives the time above which a median call is slow, in microseconds."""
        self._anew(_BEFORE_ALL)
        self._say(f"half of {capacity:,.0f} calls/s")
        self._machine.taken()
        before = [self._half(capacity, "before", _BEFORE_ALL) for _ in range(_BEFORE)]
        speeds = [one.latency_us for one in before if one.latency_us is not None]
        if not speeds:
            raise CallbenchError(f"nothing was answered at half of {capacity:,.0f} calls/s: it cannot be overloaded")
        before_us = median(speeds)
        limit_us = slow_above(before_us, self._wish.within)
        self._run.append({"kind": "before", "before_us": before_us, "limit_us": limit_us, "at_s": self._at_s()})
        return limit_us

    def _at_s(self) -> float:
        return round(time.monotonic() - self._began, 4)

    def _moment(self, moment: str) -> None:
        if self._vitals is not None:
            line = {"moment": moment, "at_s": self._at_s(), "sides": self._vitals.exact()}
            self._run.append({"kind": "moment", **line})

    def _capacity(self) -> float:
        """Searches as a study's knees do, from half of what the clients reach in a closed loop."""
        aim = self._target.aim
        closed = self._target.client.drive(
            aim.call, aim.arguments, calls=1, seconds=_GUESS_S, limit_seconds=_GUESS_S, timing="each"
        )
        start = max(1.0, window_of(closed).per_s / 2)
        span, steps = Span(*RATES, _PRECISION), list(self._past.steps)
        while (level := next_level(steps, start, span)) is not None:
            self._say(f"searching: {level:,.0f} calls/s")
            done = self._drive(level, _SLICE_S)
            found = held(done, self._wish.objective, level)
            steps.append(Step(level, bool(found["holds"])))
            self._run.append({"kind": "step", "level": level, "at_s": self._at_s(), **found})
        found_knee = knee(steps, span)
        if found_knee is None or not any(step.met for step in steps):
            raise CallbenchError(f"it does not even hold {steps[-1].level:g} calls/s with {self._wish.objective}")
        return found_knee.level

    def _drive(self, rate: float, seconds: float) -> Mapping[str, Any]:
        aim = self._target.aim
        load = Load(self._wish.clients, 1, seconds, "constant", rate)
        cell = Cell("overload", "overload", aim.name, aim.call, aim.arguments, load)
        schedule = self._schedules.of(cell, 0)
        return self._target.client.drive(
            aim.call,
            aim.arguments,
            calls=1,
            seconds=seconds,
            limit_seconds=seconds,
            timing="each",
            schedule=schedule,
        )

    def _half(self, capacity: float, phase: str, factor: float) -> Slice:
        """A slice at half of the capacity."""
        at_s, began = self._at_s(), time.monotonic()
        try:
            made = reckoned(self._drive(capacity * HALF, _SLICE_S))
        except AdapterFailure as failure:
            if self._target.client.broken:
                raise
            made = failed(failure, time.monotonic() - began)
        made.pop("buckets", None)
        line = {"kind": "slice", "phase": phase, "factor": factor, "at_s": at_s, **made}
        line |= {"dead": self._target.lost() is not None, "sides": self._seen(), "machine": self._machine.taken()}
        self._run.append(line)
        return slice_of(line)

    def _seen(self) -> dict[str, Any]:
        return {} if self._vitals is None else self._vitals.taken()

    def _over(self, capacity: float, factor: float) -> float:
        """One overload: a single drive, so that what is late stays late. Gives when no more calls came."""
        self._say(f"{factor:g} times {capacity:,.0f} calls/s")
        at_s = self._at_s()
        done = self._drive(capacity * factor, self._wish.seconds)
        made = reckoned(done)
        made.pop("buckets", None)
        until_s = round(at_s + self._wish.seconds, 4)
        place = {"factor": factor, "rate_asked_per_s": capacity * factor, "at_s": at_s, "until_s": until_s}
        said = {"service_us": _service(done), "intervals": done["intervals"], "sides": self._seen()}
        said["machine"] = self._machine.taken()
        self._run.append({"kind": "over", **place, **made, **said})
        return until_s

    def _recovers(self, capacity: float, factor: float, limit_us: float, until_s: float) -> bool:
        """Looks at half of the capacity until all is well; whether the server lives."""
        self._say(f"after {factor:g} times")
        began = self._at_s()
        seen: list[Slice] = []
        while self._at_s() - began < self._wish.patience_s or len(seen) < IN_A_ROW:
            seen.append(self._half(capacity, "after", factor))
            if recovery(seen, until_s, limit_us) is not None:
                return True
            if self._dead():
                return False
        return True

    def _dead(self) -> bool:
        loss = self._target.lost()
        if loss is not None:
            line = {"at_s": self._at_s(), "calls": self._target.answered, "how": loss.how, "why": loss.why}
            self._run.append({"kind": "death", **line})
        return loss is not None


def _service(done: Mapping[str, Any]) -> dict[str, float]:
    """From the real start of each call: what the server made of those that were let in."""
    histogram = done["service"]
    if not histogram or not histogram["count"]:
        return {}
    return times(dict(histogram["buckets"]), histogram["min_ns"], histogram["max_ns"])


def _past(run: RunWriter) -> _Past:
    past = _Past()
    for line in run.lines():
        match line["kind"]:
            case "step":
                past.steps.append(Step(line["level"], bool(line["holds"])))
            case "capacity":
                past.capacity = line["rate_per_s"]
            case "before":
                past.limit_us = line["limit_us"]
            case "slice" | "over":
                past.begun.add(line["factor"])
            case "passed":
                past.passed.add(line["factor"])
            case "death":
                past.over = True
            case "moment":
                past.over = past.over or line["moment"] == "rested"
            case _:
                pass
    return past
