"""What a server ran out of first: its processors, a lock, its workers, the link; or whether the load driver did.

A pure function of what was seen at the loads around the knee. Whether processors, the link or the driver were used up
is decided by `bottleneck`. Where the processors were idle although calls waited, the queue itself says what they waited
for: by Little's law the calls that a server works on at once are its rate times the time of a call that waits for
nobody. Where that number stays the same while more clients come, there are so many places to be served at.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from callbench.stats.estimate.digits import figure, percent
from callbench.stats.load.bottleneck import DISTURBED, IDLE, NEIGHBOURS, SATURATED, Evidence, Limit, starved, verdict_of

# A call that takes so many times as long as alone waits in a queue.
_QUEUED = 1.5
# Fewer calls than that at once are one.
_ONE = 1.5
# A rate that grows by less with more load has come to its end.
_FLAT = 1.15
_ONE_CORE = (0.85, 1.15)
_REFUSED = ("refused", "closed", "reset", "connect", "timeout")
_LEAST_REFUSED = 0.5
# Where others took more of the server's processors, and nothing else is seen, they are what calls waited for.
_TAKEN = 0.5
# Answers that share a link come in bunches, and wait for each other long before all of its rate is used.
_LINK_PART = 0.5


class Resource(StrEnum):
    """What was used up first."""

    DRIVER = "load driver"
    LINK = "link"
    PROCESSOR = "processor"
    LOCK = "lock"
    POOL = "pool"
    OTHERS = "other programs"
    NOTHING = "nothing"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class LoadObservation:
    """What was seen of one load.

    Attributes:
        level: clients, or calls a second.
        met: whether it met the objective.
        per_s: calls answered rightly, a second.
        mean_us: of a call, microseconds, from its real start; None where none was answered.
        evidence: of the two sides; None where nothing could be driven.
        processors: how many the server may use; None where it cannot be seen.
        calls: answered rightly.
        errors: calls that failed, by kind.
    """

    level: float
    met: bool
    per_s: float
    mean_us: float | None
    evidence: Evidence | None
    processors: int | None
    calls: int
    errors: Mapping[str, int]


@dataclass(frozen=True)
class Saturation:
    """What was used up first, and the values that say so, in a sentence.

    Attributes:
        at_once: how many calls the server works on at the same time, where that limits it.
    """

    resource: Resource
    why: str
    at_once: float | None = None

    @property
    def invalid(self) -> bool:
        """Whether the capacity is only a lower bound: the driver, or other programs, were the limit."""
        return self.resource in (Resource.DRIVER, Resource.OTHERS)


def saturated(every: Sequence[LoadObservation], level: float, alone_us: float | None = None) -> Saturation:
    """Say what was used up around a level.

    Args:
        every: all loads that were tried.
        level: the capacity.
        alone_us: of calls of one client, the mean time; None: the loads of the lowest level say it.
    """
    beyond = [load for load in every if level < load.level <= level * 2.2 and not load.met]
    beyond = beyond or [load for load in every if load.level >= level]
    loaded = [load for load in beyond if load.evidence is not None]
    refused = _refused(beyond)
    if refused or not loaded:
        why = refused or "no load at or above the capacity could be driven to its end"
        return Saturation(Resource.POOL if refused else Resource.UNDECIDED, why)
    votes = [_by_processors(load.evidence, load.processors) for load in loaded if load.evidence is not None]
    named = [vote for vote in votes if vote is not None]
    best = max(named, key=lambda vote: [other.resource for other in named].count(vote.resource), default=None)
    if best is not None and [vote.resource for vote in named].count(best.resource) * 2 > len(loaded):
        return best
    return _by_the_queue(every, loaded, alone_us)


def _by_processors(evidence: Evidence, processors: int | None) -> Saturation | None:
    """Say what of link, driver and processors was used up; None where nothing was."""
    verdict = verdict_of(evidence)
    if verdict.limit is Limit.GENERATOR and _driver_taken(evidence):
        return Saturation(Resource.OTHERS, f"{_what_was_taken(evidence)}: {verdict.why}")
    if verdict.limit in (Limit.GENERATOR, Limit.LINK):
        return Saturation(Resource.DRIVER if verdict.limit is Limit.GENERATOR else Resource.LINK, verdict.why)
    server = evidence.server
    busy, count = server.busy or 0.0, processors or 1
    if busy >= SATURATED:
        its = "its one processor" if count == 1 else f"its {count} processors"
        return Saturation(Resource.PROCESSOR, f"the server used {percent(busy)} of {its}")
    if count > 1 and ((server.thread or 0.0) >= SATURATED or _ONE_CORE[0] <= busy * count <= _ONE_CORE[1]):
        why = f"the server kept one of its {count} processors busy and used {percent(busy)} of all"
        return Saturation(Resource.LOCK, f"{why}: one thread does the work, or a lock lets one do it at a time")
    others = server.neighbours or 0.0
    if busy + others >= SATURATED and others > DISTURBED and server.lost > DISTURBED and busy > IDLE / 2:
        return Saturation(Resource.OTHERS, f"other programs took {percent(others)} of the server's processors")
    return None


def _driver_taken(evidence: Evidence) -> bool:
    """Return whether the load driver was hardly busy itself, and others took the processors that it was to run on."""
    others = evidence.client.neighbours or 0.0
    idle = evidence.client.used < IDLE
    # What else runs on a host of clients is not seen from here: that host says what it lacked.
    return starved(evidence) or (idle and (bool(evidence.lacked) or others > NEIGHBOURS))


def _what_was_taken(evidence: Evidence) -> str:
    used = f"used {percent(evidence.client.used)}"
    if evidence.lacked:
        return f"the load drivers {used}"
    others = percent(evidence.client.neighbours or 0.0)
    return f"other programs took {others} of the load driver's processors, and it {used}"


def _by_the_queue(
    every: Sequence[LoadObservation], loaded: Sequence[LoadObservation], alone_us: float | None
) -> Saturation:
    """Say what calls waited for where no processor was used up."""
    times = [load for load in every if load.mean_us]
    lowest = min(times, key=lambda load: load.level, default=None)
    # Where calls take very different times, some wait at half of the capacity already.
    lone_us, lone = (alone_us, "alone") if alone_us else (lowest and lowest.mean_us, "at the lowest load")
    waits = [load.mean_us for load in loaded if load.mean_us]
    if not lone_us or not waits:
        return Saturation(Resource.UNDECIDED, "no call was answered")
    if median(waits) < _QUEUED * lone_us:
        short = f"a call took {figure(median(waits) / 1e3)} ms, and {figure(lone_us / 1e3)} ms {lone}"
        return _without_a_queue(loaded, f"calls hardly waited for each other: {short}")
    rate = median(load.per_s for load in loaded)
    most = max(load.per_s for load in every)
    at_once = rate * lone_us / 1e6
    seen = [load.evidence.server.busy for load in loaded if load.evidence is not None]
    known = [busy for busy in seen if busy is not None]
    if not known:
        why = f"calls waited, about {figure(at_once)} at once were answered, and the server's processors are not seen"
        return Saturation(Resource.UNDECIDED, f"{why}: name its process with --pid", at_once)
    busy = median(known)
    carried = _link_part(loaded)
    if busy > IDLE or most > _FLAT * rate or carried >= _LINK_PART:
        used = f"answers used {percent(carried)} of the link's rate, and the server " if carried >= _LINK_PART else ""
        why = f"calls waited, and {used or 'the server used '}{percent(busy)} of its processors"
        return Saturation(Resource.UNDECIDED, f"{why}: neither they nor a queue explains it alone", at_once)
    others = _others(loaded)
    idle = f"the server's processors were {percent(1 - busy)} idle"
    if others > DISTURBED:
        idle = f"the server used {percent(busy)} of its processors, and other programs {percent(others)},"
    idle = f"{idle} while calls waited"
    # A server that works on any number of calls at once, and never answers more a second, looks the same from outside.
    limit = f"a limit of the rate, about {figure(rate, 0.005)} calls/s"
    if at_once < _ONE:
        return Saturation(Resource.LOCK, f"{idle}, and it answered them one at a time: a lock, or {limit}", at_once)
    pool = f"it answered about {figure(at_once, 0.05)} at a time: so many workers or connections"
    return Saturation(
        Resource.POOL, f"{idle}, and {pool}, a lock that is held for a part of the call, or {limit}", at_once
    )


def _without_a_queue(loaded: Sequence[LoadObservation], hardly: str) -> Saturation:
    """Say what was the limit where calls hardly waited for each other."""
    failing = [load for load in loaded if load.errors and not load.met]
    if len(failing) * 2 > len(loaded):
        return _by_failures(failing)
    others = _others(loaded)
    if others > _TAKEN:
        took = f"other programs took {percent(others)} of the server's processors"
        return Saturation(Resource.OTHERS, f"{took}, and {hardly}")
    return Saturation(Resource.NOTHING, hardly)


def _by_failures(failing: Sequence[LoadObservation]) -> Saturation:
    """Say what is known where calls failed rather than waited, however few: clients rest after an error."""
    kinds = sorted({kind for load in failing for kind in load.errors})
    failed = f"calls failed ({', '.join(kinds)}) instead of waiting"
    if all(kind in _REFUSED for kind in kinds):
        return Saturation(Resource.POOL, f"{failed}: the server served no more connections")
    return Saturation(Resource.UNDECIDED, f"{failed}: the server refused them, or could not answer them")


def _others(loaded: Sequence[LoadObservation]) -> float:
    """Return the share of the server's processors that other programs took, the median over the loads."""
    taken = [load.evidence.server.neighbours for load in loaded if load.evidence is not None]
    return median(share or 0.0 for share in taken) if taken else 0.0


def _link_part(loaded: Sequence[LoadObservation]) -> float:
    """Return the share of a link's rate that answers used, the median over the loads; 0 where it has no limit."""
    used = [load.evidence.link for load in loaded if load.evidence is not None and load.evidence.link is not None]
    return median(used) if used else 0.0


def _refused(loaded: Sequence[LoadObservation]) -> str:
    """Say that calls failed rather than waited, where most loads failed so."""
    bad = [load for load in loaded if _share(load) > 0.01]
    if not loaded or len(bad) < _LEAST_REFUSED * len(loaded):
        return ""
    kinds = sorted({kind for load in bad for kind in load.errors if kind in _REFUSED})
    share = max(_share(load) for load in bad)
    failed = f"{percent(share)} of the calls failed ({', '.join(kinds)}) instead of waiting"
    return f"{failed}: the server served no more connections"


def _share(load: LoadObservation) -> float:
    failed = sum(count for kind, count in load.errors.items() if kind in _REFUSED)
    return failed / max(1, failed + load.calls)
