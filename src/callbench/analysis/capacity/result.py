"""The result of a capacity search, from its journal: the capacity, its interval, and the first saturated resource."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from statistics import median
from typing import Any

from callbench.analysis.load.endpoints import Endpoint, summed
from callbench.model import objective
from callbench.stats.decide.decision import Outcome
from callbench.stats.estimate.interval import Interval, geometric_mean
from callbench.stats.load.alone import Alone
from callbench.stats.load.bottleneck import Evidence, Side
from callbench.stats.load.capacity_plan import (
    COARSE,
    Capacity,
    FinishedCrossing,
    Trial,
    capacity,
    estimates,
    need_shown,
)
from callbench.stats.load.knee import KneeOutcome
from callbench.stats.load.saturation import LoadObservation, Saturation, saturated
from callbench.stats.load.settling import beyond_all, slack, too_high
from callbench.store.lines.capacity import (
    AloneLine,
    EvidenceRecord,
    LoadedRecord,
    LossLine,
    ProofLine,
    SideRecord,
    StepLine,
    TriedLoad,
)
from callbench.store.lines.of_kind import of_kind
from callbench.store.lines.slices import EndpointResult, LatencyFigures
from callbench.store.record import Record
from callbench.store.requested.capacity import RATE, CapacityRequest, RequestedCapacity

# Rounding of numbers.
_NEARLY = 1 - 1e-9


@dataclass(frozen=True)
class Proof:
    """What longer loads say of a level that the usual loads met.

    Attributes:
        level: a little below the lower end of the interval.
        seconds: how long each of them was.
        usual_s: how long a usual load was.
        met: whether one of them met the objective.
        loads: how many there were. A second one follows a first that misses, as the machine may have disturbed it.
        value_us: what the last one had of what the objective limits; None if that is not known.
        errors: failed calls of all of them, by kind.
    """

    level: float
    seconds: float
    usual_s: float
    met: bool
    loads: int
    value_us: float | None
    errors: Mapping[str, int]


@dataclass(frozen=True)
class CapacityResult:
    """A search that is over, or as far as it has come.

    Attributes:
        request: the options.
        steps: the journal's lines of loads.
        capacity: None if nothing was tried.
        estimates: the crossings.
        rate: successful calls per second of all loads at the capacity, as its row has it; None if it was not tried.
        saturation: the first saturated resource; None if no load failed the objective.
        death: why the server ended, if it did.
        took_s: seconds.
        endpoints: if clients call several: those of the loads at the capacity. If nothing was held, of the lowest load.
        endpoints_of: which loads these are: their levels, lowest first.
        proof: what longer loads say; None if there was none.
        by_need: what loads of the needed level alone show; undecided without a need.
        alone: along the rate, what calls of one client came to before all loads; None if that is not known.
    """

    request: CapacityRequest
    steps: Sequence[StepLine]
    capacity: Capacity | None
    estimates: Sequence[FinishedCrossing]
    rate: Interval | None
    saturation: Saturation | None
    death: str | None
    took_s: float
    endpoints: Sequence[Endpoint] = ()
    endpoints_of: Sequence[float] = ()
    proof: Proof | None = None
    by_need: Outcome = Outcome.UNDECIDED
    alone: Alone | None = None

    @property
    def invalid(self) -> bool:
        """Whether the capacity is only a lower bound, since something other than the server was the limit."""
        return self.saturation is not None and self.saturation.invalid

    @property
    def others(self) -> float | None:
        """The share of the server's processors that other programs took, the median over the loads."""
        sides = [line["evidence"]["server"] for line in self.steps if line["evidence"]]
        known = [side["neighbours"] for side in sides if side is not None and side["neighbours"] is not None]
        return median(known) if known else None

    @property
    def outcome(self) -> Outcome:
        """Passed if the needed load is held; without a need, if a capacity was found."""
        by_interval, by_need = self.by_interval, self.by_need
        if by_need is Outcome.PASSED and self.proof is not None and not self.proof.met:
            by_need = Outcome.UNDECIDED
        if by_need is Outcome.FAILED and self.invalid:
            by_need = Outcome.UNDECIDED
        if Outcome.UNDECIDED in (by_interval, by_need):
            return by_interval if by_need is Outcome.UNDECIDED else by_need
        return by_interval if by_interval is by_need else Outcome.UNDECIDED

    @property
    def by_interval(self) -> Outcome:
        """What the interval of the capacity shows, apart from loads of the needed level alone."""
        estimate, need = self.capacity, self.request.need
        if estimate is None or estimate.low is None:
            return Outcome.UNDECIDED
        low, high = estimate.low, estimate.high
        if estimate.end is KneeOutcome.BELOW:
            return Outcome.UNDECIDED if self.invalid else Outcome.FAILED
        if need is not None and high is not None and high < need and not self.invalid:
            return Outcome.FAILED
        if self.proof is not None and not self.proof.met:
            return Outcome.UNDECIDED
        if need is None and estimate.end is not KneeOutcome.AT_LEAST and (low <= 0 or self.invalid):
            return Outcome.UNDECIDED
        return Outcome.PASSED if need is None or low >= need else Outcome.UNDECIDED


def read(run: Record) -> CapacityResult:
    """Read a record.

    Raises:
        BadInput: the folder is damaged.
    """
    request = run.requested(RequestedCapacity).search
    lines = list(run.lines())
    steps = list(of_kind(lines, StepLine, run.journal_file))
    trials = [trial_of(line) for line in steps]
    estimate = capacity(trials, request.span)
    death = next((line["why"] for line in of_kind(lines, LossLine, run.journal_file)), None)
    proofs = list(of_kind(lines, ProofLine, run.journal_file))
    took_s = max((line["at_s"] + line["seconds"] for line in (*steps, *proofs)), default=0.0)
    at_capacity = _at_capacity(steps, trials, estimate)
    chosen = _with_endpoints(at_capacity, steps)
    alone = alone_of(lines, run)
    proven = proof_level(estimate, request, alone)
    return CapacityResult(
        request=request,
        steps=steps,
        capacity=allowing_for_the_start(estimate, request, alone),
        estimates=estimates(trials, request.span),
        rate=rate_of(at_capacity),
        # The load in which a server died says nothing of what was used up.
        saturation=saturation_of(steps[:-1] if death is not None and not proofs else steps, estimate, alone),
        death=death,
        took_s=took_s,
        endpoints=summed([endpoints_of(line) for line in chosen]),
        endpoints_of=sorted(line["level"] for line in chosen),
        proof=proof_of([line for line in proofs if line["level"] == proven], steps),
        by_need=shown_by_need(trials, request, alone),
        alone=alone,
    )


def saturation_of(steps: Sequence[StepLine], estimate: Capacity | None, alone: Alone | None) -> Saturation | None:
    """Say what was used up first; None if no load missed the objective."""
    if estimate is None or all(line["holds"] for line in steps):
        return None
    level = 0.0 if estimate.end is KneeOutcome.BELOW else estimate.level
    return saturated([_seen(line) for line in steps], level, alone.mean_us if alone else None)


def alone_of(lines: Sequence[Mapping[str, object]], run: Record) -> Alone | None:
    """Return what the journal says of calls that waited for nobody; None if it does not."""
    found = next(iter(of_kind(lines, AloneLine, run.journal_file)), None)
    return None if found is None else Alone(found["calls"], found["mean_us"], found["variation"])


def shown_by_need(trials: Sequence[Trial], request: CapacityRequest, alone: Alone | None = None) -> Outcome:
    """Say what loads of the needed level alone show; undecided without a need."""
    need = request.need
    if need is None:
        return Outcome.UNDECIDED
    return need_shown(trials, need, held_from(request, alone) or need)


def held_from(request: CapacityRequest, alone: Alone | None = None) -> float | None:
    """Return the least level whose loads can show that the needed one is held; None without a need.

    Where a rate is met by loads that are too short for its queue, more is to be met than is needed.
    """
    need = request.need
    if need is None or request.along != RATE:
        return need
    level, aim = need, objective.parse(request.objective)
    limit_s = aim.limit_us / 1e6
    # What is higher has shorter loads, so its own part counts.
    queues = queues_of(alone)
    while level * (1 - _too_high(level, request, alone)) < need * _NEARLY:
        beyond = beyond_all(level, request.load_s(level, coarse=False), limit_s, aim.share, queues)
        level = need * (1 + beyond) + level * slack(level, limit_s, aim.share, queues)
    return level


def proof_level(estimate: Capacity | None, request: CapacityRequest, alone: Alone | None = None) -> float | None:
    """Return the level that a longer load is to show to be held; None where there is none."""
    allowed = allowing_for_the_start(estimate, request, alone)
    if allowed is None or allowed.end is KneeOutcome.BELOW:
        return None
    # With too few crossings there is no interval, but a level is named all the same.
    shown = rate_of_loads(allowed, request)
    low = shown * (1 - start_allowance(estimate, request, alone)) if allowed.low is None else allowed.low
    return request.proof_level(low) if low > 0 else None


def proof_of(proofs: Sequence[TriedLoad], steps: Sequence[TriedLoad]) -> Proof | None:
    """Sum up the longer loads of one level; None if there are none."""
    if not proofs or not steps:
        return None
    longer_s, usual_s = (median(line["seconds"] for line in lines) for lines in (proofs, steps))
    met = any(line["holds"] for line in proofs)
    errors = dict(sum((Counter(line["errors"]) for line in proofs), Counter()))
    return Proof(proofs[-1]["level"], longer_s, usual_s, met, len(proofs), proofs[-1]["value_us"], errors=errors)


def broken_from(steps: Sequence[StepLine]) -> StepLine | None:
    """Return the first load from which on no call was answered rightly, though fewer clients were served before.

    None if there is none: then what was answered depends on the load.
    """
    count = sum(1 for _ in takewhile(lambda line: not (line["load"] and line["load"]["calls"]), reversed(steps)))
    before, since = steps[: len(steps) - count], steps[len(steps) - count :]
    least = min((line["level"] for line in since), default=0.0)
    held = any(line["holds"] and line["level"] >= least for line in before)
    return since[0] if len(since) > 1 and held else None


def start_allowance(estimate: Capacity | None, request: CapacityRequest, alone: Alone | None = None) -> float:
    """Return by what part a rate may be too high because each load begins with an empty queue; 0 along the clients.

    Whether the capacity allows for it already makes no difference.
    """
    if estimate is None or request.along != RATE or estimate.end is KneeOutcome.BELOW:
        return 0.0
    return _too_high(rate_of_loads(estimate, request), request, alone)


def _too_high(rate: float, request: CapacityRequest, alone: Alone | None) -> float:
    aim = objective.parse(request.objective)
    return too_high(rate, request.load_s(rate, coarse=False), aim.limit_us / 1e6, aim.share, queues_of(alone))


def queues_of(alone: Alone | None) -> float:
    """Return how many times as long queues are as those of exponential times; 1 where that is not known."""
    return 1.0 if alone is None else alone.queues


def rate_of_loads(estimate: Capacity, request: CapacityRequest) -> float:
    """Return the rate of the loads that the capacity rests on: the highest of all, if that ended the search."""
    if estimate.end is KneeOutcome.AT_LEAST:
        return request.span.high
    return estimate.level if estimate.shown is None else estimate.shown


def allowing_for_the_start(
    estimate: Capacity | None, request: CapacityRequest, alone: Alone | None = None
) -> Capacity | None:
    """Put a rate lower where its loads are too short for the queue to settle.

    The level is lower by what may be above all that the server answers, and the lower end by the slack besides.
    """
    part = start_allowance(estimate, request, alone)
    if estimate is None or not part:
        return estimate
    rate, aim = rate_of_loads(estimate, request), objective.parse(request.objective)
    load_s = request.load_s(rate, coarse=False)
    beyond = beyond_all(rate, load_s, aim.limit_us / 1e6, aim.share, queues_of(alone))
    level, low = estimate.level / (1 + beyond), None if estimate.low is None else estimate.low * (1 - part)
    if low is not None and estimate.end is KneeOutcome.AT_LEAST:
        level = low
    return replace(estimate, level=level, low=low, shown=estimate.level)


def rate_of(lines: Sequence[StepLine]) -> Interval | None:
    """Return what loads of one level answered a second: the geometric mean; None if none answered anything."""
    rates = [line["load"]["rate_per_s"] for line in lines if line["load"]]
    positive = [rate for rate in rates if rate > 0]
    return geometric_mean(positive) if positive else None


def _at_capacity(steps: Sequence[StepLine], trials: Sequence[Trial], estimate: Capacity | None) -> list[StepLine]:
    """Return all loads at the capacity, as its row has them. Where it was not tried, those in its interval that met."""
    if estimate is None:
        return []
    if at := [line for line in steps if line["load"] and line["level"] == estimate.level]:
        return at
    low, high = (estimate.low or estimate.level), (estimate.high or estimate.level)
    return [
        line
        for line, trial in zip(steps, trials, strict=True)
        if line["load"] and trial.met and trial.phase != COARSE and min(low, estimate.level) <= trial.level <= high
    ]


def endpoints_of(line: TriedLoad) -> Sequence[EndpointResult]:
    """Return what a load came to at each endpoint; nothing if its clients call one."""
    return (line["load"] and line["load"].get("endpoints")) or ()


def _with_endpoints(at_capacity: Sequence[StepLine], steps: Sequence[StepLine]) -> list[StepLine]:
    """Return the loads whose endpoints are shown: those at the capacity. Where nothing was held, the lowest loads."""
    known = [line for line in steps if endpoints_of(line)]
    least = min((line["level"] for line in known), default=0.0)
    return [line for line in at_capacity if endpoints_of(line)] or [line for line in known if line["level"] == least]


def _seen(line: StepLine) -> LoadObservation:
    load = line["load"]
    times = times_of_load(load)
    return LoadObservation(
        level=line["level"],
        met=line["holds"],
        per_s=load["rate_per_s"] if load else 0.0,
        mean_us=times["mean"] if times else None,
        evidence=evidence_of(line["evidence"]) if line["evidence"] else None,
        processors=line.get("processors"),
        calls=load["calls"] if load else 0,
        errors=dict(line["errors"]),
    )


def times_of_load(load: LoadedRecord | None) -> LatencyFigures | None:
    """Return the times of a load's calls, from where the client began each; None if no call was answered."""
    return None if load is None else load.get("service_us") or load.get("latency_us")


def evidence_of(kept: EvidenceRecord) -> Evidence:
    """What was seen of both sides, as the journal has it."""
    known: dict[str, Any] = {name: value for name, value in kept.items() if name in EvidenceRecord.__annotations__}
    backend = kept["backend"]
    sides = {"client": _side_of(kept["client"]), "server": _side_of(kept["server"])}
    return Evidence(**{**known, **sides, "backend": None if backend is None else _side_of(backend)})


def _side_of(kept: SideRecord | None) -> Side:
    return Side() if kept is None else Side(kept["busy"], kept["thread"], kept["waited"], kept["neighbours"])


def trial_of(line: StepLine) -> Trial:
    """A line of the journal as the search has it."""
    return Trial(line["phase"], line["level"], line["holds"])
