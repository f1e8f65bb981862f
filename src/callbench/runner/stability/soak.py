"""A soak: steps of concurrency, each for long, watched second by second, with a rest after each."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from callbench.adapter.stack.target import Loss, Target
from callbench.model.errors import AdapterFailure, BadInput, CallbenchError
from callbench.runner.stability import record
from callbench.runner.stability.machine import Machine
from callbench.runner.stability.slices import driven, failed
from callbench.runner.stability.vitals import Vitals
from callbench.stats.histogram import merged
from callbench.store.writer import RunWriter

# So many deaths in a row without one right answer between them, and starting it again is given up.
IN_VAIN = 3
# The histogram of so many slices is one line of the journal.
_HISTOGRAM_EVERY = 60
_PAUSE_S = 1.0

# Slices are a second long, or shorter where that would leave a step too few for a slope; a shorter one than the least
# has too little in it. Half as many again as a slope needs, since what lies between two takes its time too.
_SLICE_S = 1.0
_LEAST_SLICE_S = 0.25
_SLICES = 100

Tell = Callable[[Mapping[str, Any]], None]


def slice_s(seconds: float, every_s: float | None) -> float:
    """Choose how long a slice of a step is, in seconds: as was asked for, but never longer than the step."""
    own = max(_LEAST_SLICE_S, min(_SLICE_S, seconds / _SLICES))
    return min(seconds, own if every_s is None else every_s)


@dataclass(frozen=True)
class Wish:
    """What was asked for.

    Attributes:
        clients: of each step, one after the other.
        seconds: of each step.
        rest_s: after each step: the clients are taken away, and the server is left alone.
        every_s: of a slice: what is seen is told so often; `slice_s` chooses it.
        restart: whether a server that has died is started again.
        think_ms: how long each client waits between an answer and its next call.
    """

    clients: tuple[int, ...]
    seconds: float
    rest_s: float = 10.0
    every_s: float = 1.0
    restart: bool = False
    think_ms: float = 0.0

    def __post_init__(self) -> None:
        """Refuses what makes no sense together.

        Raises:
            BadInput: in one sentence.
        """
        if not self.clients:
            raise BadInput("--clients names no step: give for instance 1,10,50")
        if self.every_s > self.seconds:
            raise BadInput(f"--every {self.every_s:g} is longer than the {self.seconds:g} s of a step")


@dataclass
class _Past:
    """What the journal has already.

    Attributes:
        driven_s: by step.
        rested_s: by step.
        over: whether it came to an end before its time.
    """

    starts: int = 0
    driven_s: dict[int, float] = field(default_factory=dict)
    rested_s: dict[int, float] = field(default_factory=dict)
    over: bool = False


class Soak:
    """A soak under way."""

    def __init__(self, run: RunWriter, target: Target, wish: Wish, tell: Tell) -> None:
        """Takes up a soak where its journal ends."""
        self._run = run
        self._target = target
        self._wish = wish
        self._tell = tell
        self._past = _past(run)
        self._began = time.monotonic() - record.until_s(run.lines())
        self._start = self._past.starts
        self._in_vain = 0
        self._over = self._past.over
        self._vitals: Vitals | None = None
        self._machine = Machine(target.pids)
        self._buckets: list[dict[int, int]] = []
        self._extremes: list[int] = []

    def go(self) -> None:
        """Does what is left to do.

        Raises:
            CallbenchError: the server cannot be started at all, or the folder cannot be written.
        """
        if self._over:
            return
        self._opens()
        self._machine.taken()
        try:
            for step, clients in enumerate(self._wish.clients):
                self._step(step, clients)
        finally:
            if self._vitals is not None:
                self._vitals.close()
            self._target.close(at_once=True)

    def _at_s(self) -> float:
        return round(time.monotonic() - self._began, 4)

    def _opens(self) -> None:
        """Starts the server, or finds it, unless that is done, and begins to watch it."""
        if not self._target.is_open:
            self._target.open()
        self._vitals = Vitals(self._target.pids)
        line = {"start": self._start, "at_s": self._at_s(), "took_s": round(self._target.started_s, 4)}
        self._run.append({"kind": "start", **line})

    def _step(self, step: int, clients: int) -> None:
        left = self._wish.seconds - self._past.driven_s.get(step, 0.0)
        if left > 0 and not self._over:
            self._moment(step, clients, "begin")
            self._drive(step, clients, left)
            self._moment(step, clients, "end")
        left = self._wish.rest_s - self._past.rested_s.get(step, 0.0)
        if left > 0 and not self._over:
            self._rest(step, clients, left)
            self._moment(step, clients, "rested")

    def _moment(self, step: int, clients: int, moment: str) -> None:
        if self._vitals is not None and not self._over:
            line = {"step": step, "clients": clients, "start": self._start, "moment": moment, "at_s": self._at_s()}
            self._run.append({"kind": "moment", **line, "sides": self._vitals.exact()})

    def _drive(self, step: int, clients: int, seconds: float) -> None:
        end = time.monotonic() + seconds
        connected = False
        number = 0
        while (left := end - time.monotonic()) > 0 and not self._over:
            # What would be left of a last, short slice is driven with the one before it.
            length = left if left < 1.5 * self._wish.every_s else self._wish.every_s
            at_s, start = self._at_s(), self._start
            made, connected = self._slice(clients, length, connected=connected)
            loss = self._target.lost()
            place = {"step": step, "clients": clients, "start": start, "at_s": at_s}
            self._keep(made)
            line = {"kind": "slice", **place, **made, "dead": loss is not None, "sides": self._seen()}
            line["machine"] = self._machine.taken()
            self._run.append(line)
            self._tell(line)
            number += 1
            if number % _HISTOGRAM_EVERY == 0:
                self._histogram(step)
            if loss is not None:
                connected = False
                self._died("server", loss, step)
        self._histogram(step)

    def _slice(self, clients: int, seconds: float, *, connected: bool) -> tuple[dict[str, Any], bool]:
        """One slice, and whether the clients are connected after it. A client that is not let in tries again."""
        began = time.monotonic()
        try:
            if not connected:
                self._target.connect(clients)
            think_ns = round(self._wish.think_ms * 1e6)
            return driven(self._target.client, self._target.aim, seconds, think_ns=think_ns), True
        except AdapterFailure as failure:
            if self._target.client.broken and self._target.lost() is None:
                self._client_died(failure)
            else:
                time.sleep(max(0.0, began + seconds - time.monotonic()))
            return failed(failure, time.monotonic() - began), False

    def _client_died(self, failure: AdapterFailure) -> None:
        """Without its client a soak sees nothing: it is started again with the server, as often as the server is."""
        self._died("client", Loss(failure.ending or "exit", str(failure)), None)

    def _died(self, side: str, loss: Loss, step: int | None) -> None:
        """A process has ended: that is kept, and it is started again where that was asked for."""
        line = {"side": side, "start": self._start, "step": step, "at_s": self._at_s(), "calls": self._target.answered}
        self._run.append({"kind": "death", **line, "how": loss.how, "why": loss.why})
        # The first call is made before anything else, by whoever starts it.
        self._in_vain = 0 if self._target.answered > 1 else self._in_vain + 1
        if not (self._wish.restart and self._target.ours):
            self._ends("it died, and was not to be started again")
        elif self._in_vain >= IN_VAIN:
            self._ends(f"it died {IN_VAIN} times in a row without one right answer")
        else:
            self._restart()

    def _restart(self) -> None:
        if self._vitals is not None:
            self._vitals.close()
        self._target.close(at_once=True)
        self._start += 1
        why = ""
        for _ in range(IN_VAIN):
            try:
                self._opens()
            except CallbenchError as failure:
                why = str(failure)
                time.sleep(_PAUSE_S)
            else:
                return
        self._vitals = None
        self._ends(f"it could not be started again: {why}")

    def _ends(self, why: str) -> None:
        self._over = True
        self._run.append({"kind": "over", "at_s": self._at_s(), "why": why})

    def _rest(self, step: int, clients: int, seconds: float) -> None:
        """The clients go, and the server is left alone: what it gives back is seen."""
        self._target.alone()
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self._over:
            at_s = self._at_s()
            length = left if left < 1.5 * self._wish.every_s else self._wish.every_s
            time.sleep(length)
            loss = self._target.lost()
            place = {"step": step, "clients": clients, "start": self._start, "at_s": at_s}
            line = {"kind": "rest", **place, "seconds": round(length, 4), "sides": self._seen()}
            line["machine"] = self._machine.taken()
            self._run.append(line)
            self._tell(line)
            if loss is not None:
                self._died("server", loss, step)

    def _seen(self) -> dict[str, Any]:
        return {} if self._vitals is None else self._vitals.taken()

    def _keep(self, made: dict[str, Any]) -> None:
        """Takes a slice's histogram out of its line: a minute of them is one line."""
        buckets = made.pop("buckets", None)
        if buckets:
            self._buckets.append({int(index): int(count) for index, count in buckets})
            self._extremes += [made["min_ns"], made["max_ns"]]

    def _histogram(self, step: int) -> None:
        if self._buckets:
            line = {"step": step, "min_ns": min(self._extremes), "max_ns": max(self._extremes)}
            self._run.append({"kind": "histogram", **line, "buckets": list(merged(self._buckets).items())})
            self._buckets, self._extremes = [], []


def _past(run: RunWriter) -> _Past:
    past = _Past()
    for line in run.lines():
        match line["kind"]:
            case "slice" | "rest":
                kept = past.driven_s if line["kind"] == "slice" else past.rested_s
                kept[line["step"]] = kept.get(line["step"], 0.0) + line["seconds"]
            case "start":
                past.starts = line["start"] + 1
            case "over":
                past.over = True
            case _:
                pass
    return past
