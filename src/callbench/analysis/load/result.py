"""The result of a load: rate, latencies, errors, and what limited the rate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from callbench.adapter.contract import Done, Histogram
from callbench.analysis.judge.neighbours import readings_of
from callbench.analysis.load.plateau import plateau_sentence
from callbench.analysis.load.request import LoadRequest
from callbench.analysis.load.threshold_values import error_share, evaluate
from callbench.analysis.load.thresholds import ThresholdResult, undecided_sentence
from callbench.analysis.load.times import LatencyStatistics, times_of
from callbench.analysis.load.usage import Observations, ServerUsage
from callbench.stats.estimate.digits import given, percent
from callbench.stats.estimate.histogram import Buckets, index_of
from callbench.stats.load.backlog import Backlog, growing
from callbench.stats.load.bottleneck import SATURATED, Evidence, Limit, LimitVerdict, Side, verdict_of
from callbench.stats.load.errors_over_time import Sums
from callbench.stats.load.latency_over_time import Stretch
from callbench.stats.load.pace import REACHED, reached_per_s
from callbench.stats.load.processor_use import processor_used_ns
from callbench.stats.load.rate import Window, window_of
from callbench.stats.load.side_shares import side_of
from callbench.store.lines.load import LoadGenerator
from callbench.store.lines.sides import ProcessorsSeen, SideTimes

# Arrivals later than this count as late.
_LATE_NS = 1_000_000
# Of the 99th percentile of the calls' time, a part of the driver's lateness that says nothing against the server.
_SMALL_PART = 0.1


@dataclass(frozen=True)
class LoadResult:
    """A finished load.

    Attributes:
        window: the calls within the time of the load. All rates refer to it.
        latency: from the intended start of each call to its end; None if no call succeeded.
        service: in an open loop: from the real start of each call.
        lateness: in an open loop: how late the driver was.
        errors: failed calls by kind of error, most frequent first.
        error_messages: the first message of each kind of error.
        client_us: processor time of the driver per call, in microseconds; None without calls.
        verdict: what limited the rate.
        evidence: what the verdict rests on.
        processors: the data behind the verdict: how driver, server and others used the processors.
        folder: the record; None until it is stored.
        stopped: the signal with which a user ended it early; None if it came to its end.
        unseen: which processes of the server were not visible, in a sentence; "" if all were.
        latency_over_time: percentiles by name, if the driver reported latencies each second.
        errors_over_time: errors since the start by kind, if the driver reported kinds meanwhile.
        death: how the server ended during the load; None if it lives, or is not seen.
        backlog: the calls that waited at the end of an open loop, if they became more and more; None if they did not.
    """

    request: LoadRequest
    done: Done
    connections: int
    window: Window
    latency: LatencyStatistics | None
    service: LatencyStatistics | None
    lateness: LatencyStatistics | None
    errors: Mapping[str, int]
    error_messages: Mapping[str, str]
    client_us: float | None
    server: ServerUsage | None
    verdict: LimitVerdict
    evidence: Evidence
    processors: ProcessorsSeen
    unseen: str
    backlog: Backlog | None = None
    folder: Path | None = None
    stopped: int | None = None
    death: str | None = None
    latency_over_time: Mapping[str, Sequence[Stretch]] = field(default_factory=dict)
    errors_over_time: Mapping[str, Sums] = field(default_factory=dict)

    @property
    def rate_per_s(self) -> float:
        """Successful calls per second within the window."""
        return self.window.per_s

    @property
    def seconds(self) -> float:
        """Duration of the window."""
        return self.window.ns / 1e9

    @property
    def stop_sentence(self) -> str | None:
        """When a user ended it, in a sentence; None if it came to its end."""
        if self.stopped is None:
            return None
        whole = self.request.load.seconds
        of_calls = f", with {self.done['calls']:,} of {self.request.calls:,} calls" if self.request.calls else ""
        return f"Stopped after {self.seconds:.1f} s{f' of {given(whole)}' if whole else ''}{of_calls}."

    @property
    def waited_s(self) -> float:
        """Seconds from the end of the window to the last answer; 0 if no call was in flight at its end."""
        return max(0.0, self.done["elapsed_ns"] / 1e9 - self.seconds) if self.window.in_flight else 0.0

    @property
    def error_share(self) -> float:
        """The share of calls that failed."""
        return error_share(self.done)

    @property
    def threshold_results(self) -> tuple[ThresholdResult, ...]:
        """The results of all thresholds."""
        # In an open loop a client is a connection: which of them calls is chance.
        clients = self.request.clients if self.request.rate is None else None
        return evaluate(self.request.fail_if, self.done, self.rate_per_s, clients)

    @property
    def failure(self) -> str | None:
        """Why the load failed, in a sentence; None if it passed.

        Any error makes it fail, unless errors are expected or a threshold allows some. So does a server that died: its
        clients rest after an error, so the calls that it did not answer are few.
        """
        if self.death:
            return f"Failed: {self.death}."
        if not self.done["calls"]:
            return "Failed: no call succeeded."
        failed = [checked.threshold.text for checked in self.threshold_results if checked.failed]
        if failed:
            return f"Failed: {' and '.join(failed)}."
        allowed = self.request.expect_errors or any(threshold.metric == "errors" for threshold in self.request.fail_if)
        if self.errors and not allowed:
            return "Failed: calls failed. --expect-errors or --fail-if 'errors > 1%' allows that."
        return None

    @property
    def undecided(self) -> str | None:
        """What the calls leave undecided, in a sentence; None if it failed, or nothing is."""
        why = [checked.undecided for checked in self.threshold_results if checked.undecided]
        return None if self.failure or not why else undecided_sentence(why)

    @property
    def driver_processors(self) -> list[int]:
        """The processors that the driver's threads may use."""
        return [cpu for side in self.processors["sides"] if side["side"] == "client" for cpu in side["cpus"]]

    @property
    def generators(self) -> Sequence[LoadGenerator]:
        """What each host of clients did and lacked; empty on this machine alone."""
        return self.done.get("generators", ())

    @property
    def rate_missed(self) -> bool:
        """Whether an open loop did not reach the requested rate, by what was begun, or was not answered at it.

        A call that failed was begun too.
        """
        if self.request.rate is None:
            return False
        if self.backlog is not None:
            return True
        # What ended early has no calls that are still to be due.
        due = self.request.due if self.stopped is None else 0.0
        return _begun_per_s(self.done, self.window, due) < REACHED * self.request.rate


def _begun_per_s(done: Done, window: Window, due: float) -> float:
    """Return the rate at which calls of an open loop were begun, whether they succeeded or failed."""
    service, failed = done["service"], sum(done["errors"].values())
    mean_ns = int(service["sum_ns"]) / service["count"] if service and service["count"] else 0.0
    every = replace(window, calls=window.calls + failed)
    return reached_per_s(done["calls"] + failed, done["elapsed_ns"], mean_ns, every, due)


def compute_result(request: LoadRequest, done: Done, connections: int, observations: Observations) -> LoadResult:
    """Compute the result from the driver's report.

    Args:
        request: the options.
        done: the driver's report.
        connections: open connections at the start.
        observations: the usage within the window.
    """
    window = window_of(done)
    used_ns = processor_used_ns(done)
    # The driver reports its processor time for the whole drive; the window's part is in proportion to the calls.
    share = window.calls / done["calls"] if done["calls"] else 1.0
    errors: dict[str, int] = dict(sorted(done["errors"].items(), key=lambda it: -it[1]))
    backlog = _backlog(request, done)
    evidence = _evidence(request, done, round(used_ns * share), observations, keeps_up=backlog is None)
    return LoadResult(
        request=request,
        done=done,
        connections=connections,
        window=window,
        latency=times_of(done["latency"]),
        service=times_of(done["service"]),
        lateness=times_of(done["lateness"]),
        errors=errors,
        error_messages=done.get("error_messages", {}),
        client_us=used_ns / 1e3 / done["calls"] if done["calls"] else None,
        server=observations.server,
        verdict=_verdict(request, done, round(used_ns * share), evidence, _server_ns(observations.server, window)),
        evidence=evidence,
        processors=observations.processors,
        unseen=observations.unseen,
        backlog=backlog,
    )


def _backlog(request: LoadRequest, done: Done) -> Backlog | None:
    """Find whether the calls of an open loop waited longer and longer."""
    if request.rate is None:
        return None
    ended = [(at_ns, calls + errors) for at_ns, calls, errors in done.get("intervals", ())]
    return growing(request.rate, window_of(done).ns, ended)


def _evidence(
    request: LoadRequest, done: Done, used_ns: int, observations: Observations, *, keeps_up: bool
) -> Evidence:
    """What was seen of both sides. Time of the driver within the window is `used_ns`."""
    processors = observations.processors
    # Threads that end within the time are in the time of their process alone.
    server_ns = None if observations.server is None else round(observations.server.processor_ms * 1e6)
    window_ns = window_of(done).ns
    time = processors["elapsed_ns"] * max(1, processors["processors"])
    return Evidence(
        clients=request.clients,
        in_process=False,
        client=side_of(readings_of(processors, "client"), used_ns, window_ns),
        server=side_of(readings_of(processors, "server"), server_ns, window_ns),
        # A server that does not keep up sets the pace itself.
        paced=(request.rate is not None and keeps_up) or request.think_ms > 0,
        lateness=_late_share(done),
        steal=processors["steal_ns"] / time if time else None,
        together=_share_processors(processors["sides"]),
        driver=True,
        lacked="; ".join(generator["starved"] for generator in done.get("generators", ()) if generator["starved"]),
    )


def _server_ns(server: ServerUsage | None, window: Window) -> float:
    """Return the server's processor time for a call; 0 where it is not known."""
    return server.processor_ms * 1e6 / window.calls if server is not None and window.calls else 0.0


def _verdict(request: LoadRequest, done: Done, used_ns: int, evidence: Evidence, server_ns: float) -> LimitVerdict:
    """The driver's thread is the generator, whatever the core's verdict would call it.

    `server_ns`: the server's processor time for a call.
    """
    if evidence.lacked:
        return LimitVerdict(Limit.GENERATOR, evidence.lacked)
    busy = used_ns / (window_of(done).ns * max(1, done["threads"]))
    if busy >= SATURATED:
        remedy = "give it more --threads" if request.threads == 1 else "it needs more processors"
        return LimitVerdict(Limit.GENERATOR, f"the driver was {percent(min(1.0, busy))} busy: {remedy}")
    verdict = verdict_of(evidence)
    if verdict.limit is Limit.UNKNOWN and evidence.server == Side():
        why = f"not the driver, which was {percent(busy)} busy; name the server's process with --pid to learn more"
        verdict = replace(verdict, why=why)
    said = plateau_sentence(request, done, server_ns)
    return verdict.beside_plateau(said) if said else verdict


def _share_processors(sides: Sequence[SideTimes]) -> bool:
    """Return whether two sides may run on the same processor."""
    sets = [set(side["cpus"]) for side in sides]
    return any(cpus & other for place, cpus in enumerate(sets) for other in sets[place + 1 :])


def _p99_ns(histogram: Histogram) -> float:
    buckets = Buckets.of(dict(histogram["buckets"]))
    return buckets.percentiles([0.99], histogram["min_ns"], histogram["max_ns"])[0]


def _late_share(done: Done) -> float | None:
    """Return the share of arrivals that the driver was late for; 0 if that is a small part of how long calls took."""
    lateness, latency = done["lateness"], done["latency"]
    if lateness is None or not lateness["count"]:
        return None
    if latency is not None and latency["count"] and _p99_ns(lateness) <= _SMALL_PART * _p99_ns(latency):
        return 0.0
    first = index_of(_LATE_NS)
    return sum(count for index, count in lateness["buckets"] if index >= first) / lateness["count"]
