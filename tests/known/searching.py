"""A search for a capacity in virtual time, by the same steps as the command's."""

import random
from collections.abc import Callable
from typing import Any

from callbench.analysis.capacity.result import (
    CapacityResult,
    allowing_for_the_start,
    held_from,
    proof_level,
    proof_of,
    shown_by_need,
)
from callbench.runner.capacity.search import call_s, more_alone_s
from callbench.runner.drive.knees import objective_result
from callbench.stats.load.alone import Alone
from callbench.stats.load.capacity_plan import COARSE, Trial, capacity, estimates, next_place
from callbench.stats.load.rate import window_of
from callbench.store.requested.capacity import CLIENTS, RATE, CapacityRequest
from known.driving import closed, opened, poisson
from known.servers import SimulatedServer


def searched(server: Callable[[], SimulatedServer], request: CapacityRequest, seed: int) -> CapacityResult:
    """Search as the command does, in virtual time; each load begins with a server at rest, as after a pause."""
    dice = random.Random(seed)  # noqa: S311 - to be repeated
    trials: list[Trial] = []
    at_s, rate = 0.0, 0.0
    times_us: dict[float, float] = {}
    along_rate = request.along == RATE
    # Along the rate the search begins with half of what a lone client reaches.
    start, alone = (1.0, None) if request.along == CLIENTS else _alone(server(), request)

    def load(level: float, seconds: float) -> dict[str, Any]:
        nonlocal rate, at_s
        if along_rate:
            done = opened(server(), poisson(level, seconds, dice), request.clients, seconds, in_parts=False)
        else:
            done = closed(server(), int(level), seconds)
        rate = window_of(done).per_s
        if done["latency"]:
            times_us[level] = int(done["latency"]["sum_ns"]) / done["latency"]["count"] / 1e3
        # What an open loop has begun, it ends.
        at_s += done["elapsed_ns"] / 1e9 if along_rate else seconds
        due = level * seconds if along_rate else 0.0
        met = objective_result(done, request.objective, level if along_rate else None, due)
        line = {"level": level, "seconds": seconds, "errors": done["errors"]}
        return {**line, "holds": bool(met["holds"]), "value_us": met["value_us"]}

    def usual_s(level: float, *, coarse: bool) -> float:
        known_s = None if along_rate else call_s(times_us, level)
        return request.load_s(level if along_rate else rate, coarse=coarse, call_s=known_s)

    steps: list[Any] = []
    least = held_from(request, alone)
    while at_s < request.search_s and (place := next_place(trials, start, request.span, request.need, least)):
        steps.append(load(place.level, usual_s(place.level, coarse=place.phase == COARSE)))
        trials.append(Trial(place.phase, place.level, steps[-1]["holds"]))
    proofs: list[Any] = []
    found = capacity(trials, request.span)
    level = proof_level(found, request, alone)
    while level is not None and len(proofs) < 2 and not any(line["holds"] for line in proofs):
        proofs.append(load(level, max(request.proof_s, usual_s(level, coarse=False))))
    allowed, proof = allowing_for_the_start(found, request, alone), proof_of(proofs, steps)
    shown = shown_by_need(trials, request, alone)
    return CapacityResult(
        request,
        [],
        allowed,
        estimates(trials, request.span),
        None,
        None,
        None,
        at_s,
        proof=proof,
        by_need=shown,
        alone=alone,
    )


def _alone(server: SimulatedServer, request: CapacityRequest) -> tuple[float, Alone | None]:
    """Call with one client, and return half of its rate, and what its calls came to."""
    first = closed(server, 1, 0.5)
    per_s = window_of(first).per_s
    more_s = more_alone_s(first["calls"], per_s, request.seconds)
    dones = [first, *([closed(server, 1, more_s, begin_s=1.0)] if more_s else [])]
    return per_s / 2, Alone.of([dict(done["latency"]["buckets"]) for done in dones if done["latency"]])
