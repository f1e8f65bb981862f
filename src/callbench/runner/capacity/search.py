"""A search for a capacity under way: one load after the other, each in the journal before the next begins."""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import cast

from callbench.adapter.contract import Done
from callbench.adapter.stack.target import Target
from callbench.analysis.capacity.result import alone_of, held_from, proof_level, times_of_load, trial_of
from callbench.analysis.load.record import record as load_record
from callbench.analysis.load.request import LoadRequest
from callbench.analysis.load.result import LoadResult
from callbench.analysis.stability.lines import until_s
from callbench.catalog.links import profile
from callbench.catalog.reach import LOOPBACK
from callbench.model.errors import AdapterFailure
from callbench.runner.drive.knees import objective_result
from callbench.runner.load import driving
from callbench.stats.estimate.digits import figure, given
from callbench.stats.load.alone import CALLS, Alone
from callbench.stats.load.capacity_plan import COARSE, NextLoad, Trial, capacity, next_place
from callbench.stats.wire.link import Wire, round_trip_ns, ways
from callbench.store.lines.capacity import (
    AloneLine,
    EvidenceRecord,
    LoadedRecord,
    LoadOutcome,
    LossLine,
    ProofLine,
    StepLine,
    TriedLine,
    TriedLoad,
)
from callbench.store.lines.of_kind import of_kind
from callbench.store.record_writer import RecordWriter
from callbench.store.requested.capacity import CLIENTS, CapacityRequest

_WARM_UP = 0.2
# The phase of the loads that are longer than the others, and how many of them there may be: a machine may disturb one.
_PROOF = -1
_PROOFS = 2
_GUESS_S = 0.5
# Calls of one client take no more of the search than this.
_ALONE_TIME = 1 / 20
# What frames and headers add to the bytes of an answer, roughly.
_OVERHEAD = 1.04
# Of a load's record, what stays out of the journal: it is large, and nothing rests on it.
_LEFT_OUT = (
    "histogram_ns",
    "intervals",
    "latency_over_time",
    "errors_over_time",
    "thresholds",
    "failure",
    "target",
    "processors",
    "server",
)

Say = Callable[[str], None]
OnLine = Callable[[TriedLine], None]


class CapacitySearch:
    """A search under way."""

    def __init__(self, run: RecordWriter, target: Target, request: CapacityRequest, say: Say, on_line: OnLine) -> None:
        """Continue a search at the end of its journal.

        Args:
            run: the folder.
            target: open; along the rate, its client has an open loop.
            request: the options.
            say: shows what is done next.
            on_line: is given the journal's line of each load.
        """
        self._on_line = on_line
        self._run, self._target, self._request, self._say = run, target, request, say
        lines = list(run.lines())
        steps = list(of_kind(lines, StepLine, run.journal_file))
        self._trials = [trial_of(line) for line in steps]
        self._rates = {line["level"]: line["load"]["rate_per_s"] for line in steps if line["load"]}
        # Mean times of a call, microseconds.
        self._times_us: dict[float, float] = {}
        for line in steps:
            self._times_us |= _mean_us(line["level"], line["load"])
        self._alone = alone_of(lines, run)
        self._proofs: list[TriedLoad] = list(of_kind(lines, ProofLine, run.journal_file))
        self._dead = any(of_kind(lines, LossLine, run.journal_file))
        self._spent_s = until_s(lines)
        self._began = time.monotonic() - self._spent_s
        self._connected = 0
        link = target.spec.link
        self._wire: Wire = {} if link == LOOPBACK else profile.find(link).wire

    def go(self) -> None:
        """Tries loads until the capacity is known well enough, the time is over, or the server has died.

        Raises:
            CallbenchError: the driver failed, or the folder cannot be written.
        """
        if self._request.along != CLIENTS:
            self._connect(self._request.clients)
        start = self._start()
        while not self._dead and self._at_s() < self._request.search_s:
            next_load = self._next(start)
            if next_load is None:
                break
            tried = self._try(next_load)
            self._trials.append(Trial(next_load.phase, tried["level"], tried["holds"]))
        while (next_load := self._proof()) is not None:
            self._proofs.append(self._try(next_load))

    def _next(self, start: float) -> NextLoad | None:
        """Return the next load of the search itself."""
        request = self._request
        return next_place(self._trials, start, request.span, request.need, held_from(request, self._alone))

    def _proof(self) -> NextLoad | None:
        """Return a longer load near the lower end. What is rarer than a usual load is long was seen by none of them."""
        level = proof_level(capacity(self._trials, self._request.span), self._request, self._alone)
        made = [line for line in self._proofs if line["level"] == level]
        if level is None or self._dead or len(made) >= _PROOFS or any(line["holds"] for line in made):
            return None
        return NextLoad(_PROOF, level)

    def over(self) -> str:
        """Say why no further load is tried; "" if one is."""
        if self._dead:
            return "the server died under load"
        planned = self._next(1.0)
        if self._trials and planned is None and self._proof() is None:
            return "more time would not make the answer clearer; begin anew with another --out"
        if self._at_s() >= self._request.seconds:
            seconds = given(self._request.seconds)
            return f"it has taken its {self._spent_s:.0f} s; give more than --seconds {seconds} to go on"
        return ""

    def _at_s(self) -> float:
        return round(time.monotonic() - self._began, 4)

    def _start(self) -> float:
        """Where to begin: with one client; along the rate with half of what a closed loop of few clients reaches."""
        if self._request.along == CLIENTS or self._trials:
            return 1.0
        first = self._drive_alone(_GUESS_S)
        per_s = first["calls"] / (first["elapsed_ns"] / 1e9)
        more_s = more_alone_s(first["calls"], per_s, self._request.seconds)
        dones = [first, *([self._drive_alone(more_s)] if more_s else [])]
        alone = Alone.of([dict(done["latency"]["buckets"]) for done in dones if done["latency"]])
        if alone is not None:
            self._alone = alone
            self._run.append(
                AloneLine(kind="alone", calls=alone.calls, mean_us=alone.mean_us, variation=alone.variation)
            )
        return max(1.0, per_s / 2)

    def _drive_alone(self, seconds: float) -> Done:
        aim = self._target.spec
        return self._target.client.drive(
            aim.call, aim.arguments, calls=1, seconds=seconds, limit_seconds=seconds + 60, timing="each", clients=1
        )

    def _try(self, next_load: NextLoad) -> TriedLine:
        self._say(f"{self._at_s():.0f} of {self._request.seconds:.0f} s: {self._text(next_load.level)}")
        at_s, began = self._at_s(), time.monotonic()
        try:
            outcome = self._load(next_load)
        except AdapterFailure as failure:
            if self._target.client.broken:
                raise
            outcome = LoadOutcome(
                holds=False, value_us=None, load=None, evidence=None,
                errors={failure.kind: 1}, error_messages=str(failure),
            )  # fmt: skip
        seconds = round(time.monotonic() - began, 4)
        line: TriedLine
        if next_load.phase == _PROOF:
            line = ProofLine(kind="proof", level=next_load.level, at_s=at_s, **outcome, seconds=seconds)
        else:
            line = StepLine(
                kind="step", phase=next_load.phase, level=next_load.level, at_s=at_s, **outcome, seconds=seconds
            )
        self._run.append(line)
        self._on_line(line)
        loss = self._target.lost()
        if loss is not None:
            self._run.append(LossLine(kind="death", level=next_load.level, how=loss.how, why=loss.why))
            self._dead = True
        return line

    def _text(self, level: float) -> str:
        return f"{level:,.0f} clients" if self._request.along == CLIENTS else f"{figure(level, 0.0)} calls/s"

    def _connect(self, clients: int) -> None:
        if clients != self._connected:
            self._connected = 0
            self._target.connect(clients)
            self._connected = clients

    def _load(self, next_load: NextLoad) -> LoadOutcome:
        """Apply a load, and return what it came to."""
        request, level = self._request, next_load.level
        seconds = self._seconds(next_load)
        if request.along == CLIENTS:
            self._connect(int(level))
            load = LoadRequest("", int(level), seconds, think_ms=request.think_ms, warm_up_s=seconds * _WARM_UP)
        else:
            load = LoadRequest("", request.clients, seconds, rate=level, poisson=True, seed=len(self._trials))
        load = replace(load, threads=request.threads if request.threads <= load.clients else 1)
        result = driving.drive_once(self._target, load, self._run.path / "schedules")
        shown = {name: value for name, value in load_record(result).items() if name not in _LEFT_OUT}
        kept = cast("LoadedRecord", shown)
        self._rates[level] = kept["rate_per_s"]
        self._times_us |= _mean_us(level, kept)
        met = objective_result(result.done, request.objective, load.rate, load.due)
        return LoadOutcome(
            holds=met["holds"],
            value_us=met["value_us"],
            errors=dict(result.errors),
            load=kept,
            evidence=self._evidence(result),
            processors=_processors(result),
        )

    def _seconds(self, next_load: NextLoad) -> float:
        """How long a load lasts, from what the nearest level made."""
        near = min(self._rates, key=lambda level: abs(level - next_load.level), default=None)
        known = self._rates[near] if near is not None else 0.0
        clients = self._request.along == CLIENTS
        rate, longest_s = (known, call_s(self._times_us, next_load.level)) if clients else (next_load.level, None)
        usual_s = self._request.load_s(rate, coarse=next_load.phase == COARSE, call_s=longest_s)
        return max(self._request.proof_s, usual_s) if next_load.phase == _PROOF else usual_s

    def _evidence(self, result: LoadResult) -> EvidenceRecord:
        """Return the observations, with the use of the link if it has a rate."""
        carried = (int(result.done.get("sent_bytes") or 0), int(result.done.get("received_bytes") or 0))
        seen = asdict(replace(result.evidence, link=link_use(self._wire, carried, int(result.done["elapsed_ns"]))))
        return cast("EvidenceRecord", seen)


def more_alone_s(calls: int, per_s: float, search_s: float) -> float:
    """Return how much longer one client calls, in seconds, to know how much its calls vary; 0 if it is known."""
    return min((CALLS - calls) / per_s, search_s * _ALONE_TIME) if 0 < calls < CALLS else 0.0


def call_s(times_us: Mapping[float, float], level: float) -> float:
    """Return how long a call of a closed loop takes at most with so many clients, in seconds, from other levels.

    Each client waits for all others at worst, so a time grows no faster than their number. One client waits for nobody.
    """
    near = min(times_us, key=lambda other: abs(other - level), default=None)
    return 0.0 if near is None else times_us[near] / 1e6 * max(1.0, level / near)


def _mean_us(level: float, load: LoadedRecord | None) -> dict[float, float]:
    """Return the mean time of a load's calls by its level; nothing if no call was answered."""
    times = times_of_load(load)
    return {level: float(times["mean"])} if times and times.get("mean") else {}


def _processors(result: LoadResult) -> int | None:
    """Return how many processors the server may use; None if it is not visible."""
    sides = [side for side in result.processors.get("sides", ()) if side["side"] == "server"]
    return len(sides[0]["cpus"]) if sides else None


def link_use(link: Wire, carried: tuple[int, int], elapsed_ns: int) -> float | None:
    """Return the share of a link's rate that was used, in the direction that was used more; None if it has no limit.

    Until the first answers come, a round trip after the start, the link towards the client has nothing to carry. That
    towards the server has nothing while the last answers come. So that time is left out.

    Args:
        link: its definition for the network lab; empty for the loopback device.
        carried: bytes to the server and to the client, without the headers of packets.
        elapsed_ns: from the start of the load to its last answer.
    """
    # A load that ended within two round trips has hardly used the link at all.
    carried_s = max(elapsed_ns - round_trip_ns(link), elapsed_ns / 2, 1) / 1e9
    shares = [
        size * 8 * _OVERHEAD / carried_s / rate
        for size, way in zip(carried, ways(link), strict=True)
        if (rate := way.get("rate_bps"))
    ]
    return max(shares, default=None)
