"""What a record of each kind adds to series: its values, each with what makes it comparable with others."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from callbench.analysis.capacity import result as capacity_result
from callbench.analysis.cells.read_results import read as read_run
from callbench.analysis.load.stored import read_result
from callbench.analysis.metrics.metric_values import value_of
from callbench.analysis.peer.agreement import PEER, GeneratorRound, steady_rounds
from callbench.analysis.peer.stored import cell_name
from callbench.analysis.peer.stored import read_result as read_peer
from callbench.analysis.stability import overload_result, soak_result
from callbench.analysis.wording.words import counted
from callbench.catalog.reach import LOOPBACK
from callbench.model.errors import BadInput
from callbench.model.metrics.registry import VALUES
from callbench.stats.estimate.digits import given
from callbench.stats.estimate.interval import Interval, geometric_mean
from callbench.stats.load.knee import KneeOutcome
from callbench.store import head
from callbench.store.record import Record
from callbench.store.requested.capacity import CLIENTS
from callbench.store.requested.peer import RequestedPeer
from callbench.store.requested.run import RequestedRun

RATE, P50, P99 = "rate_per_s", "p50_us", "p99_us"
# What was asked for that does not change what is measured.
_OTHER_RECORDS_DIFFER = frozenset({
    "url", "protocol", "out", "fail_if", "expect_errors", "pid", "any_host", "notes", "need", "seed", "restart",
})  # fmt: skip


@dataclass(frozen=True)
class SeriesValue:
    """A value of a record.

    Attributes:
        cell: what was measured, for readers.
        metric: its name, as `FOLLOWED` has it.
        value: with its interval, if it has one.
        identity: all that makes the cell the same in another record.
    """

    cell: str
    metric: str
    value: Interval
    identity: str


def values(record: Record, metrics: Sequence[str]) -> Iterator[SeriesValue]:
    """Return what a record has of these metrics.

    Raises:
        BadInput: nothing; the sentence says why.
    """
    if record.kind == head.RUN:
        yield from _of_run(record, metrics)
    elif record.kind in _KINDS:
        yield from (found for found in _KINDS[record.kind](record) if found.metric in metrics)
    else:
        raise BadInput(f"records of the kind {record.kind} have no series")


def study_of(record: Record) -> str:
    """Return what the series of a record stand under: its study, or its title."""
    study = record.request.get("study")
    return study if record.kind in {head.RUN, head.PEER} and isinstance(study, str) else str(record.info["title"])


def _asked(record: Record, *more: object) -> str:
    """Return what was asked for, as far as it matters. What is empty is as if it had not been there to ask for."""

    def kept(value: object) -> object:
        if not isinstance(value, Mapping):
            return value
        return {
            name: inner
            for name, member in value.items()
            if name not in _OTHER_RECORDS_DIFFER and (inner := kept(member))
        }

    return json.dumps([kept(record.request), *more], sort_keys=True)


def _plain(value: float) -> Interval:
    """Return a value without an interval."""
    return Interval(value, None, None, 1)


def _of_run(record: Record, metrics: Sequence[str]) -> Iterator[SeriesValue]:
    requested = record.requested(RequestedRun)
    for result in read_run(record).cells:
        what = result.attributes
        parts = (
            what["group"],
            what["stack"],
            f"{what['clients']} clients" if what["clients"] != "1" else "",
            what["link"] if what["link"] != LOOPBACK else "",
        )
        identity = json.dumps([*result.identity, requested.quick, record.condition])
        for metric in (name for name in metrics if name in VALUES):
            value = value_of(result, metric)
            if value is not None:
                yield SeriesValue(", ".join(filter(None, parts)), metric, value, identity)


def _of_load(record: Record) -> Iterator[SeriesValue]:
    result = read_result(record)
    asked = result.get("rate_asked_per_s")
    cell = counted(result["clients"], "client") + (f", {given(asked)}/s asked" if asked else "")
    latency = result["latency_us"]
    p50, p99 = (latency.get("p50"), latency.get("p99")) if latency else (None, None)
    for metric, value in ((RATE, result["rate_per_s"]), (P50, p50), (P99, p99)):
        if value is not None:
            yield SeriesValue(cell, metric, _plain(float(value)), _asked(record))


def _of_capacity(record: Record) -> Iterator[SeriesValue]:
    result = capacity_result.read(record)
    held, request = result.capacity, result.request
    if held is None:
        raise BadInput("no load was tried")
    if held.end is KneeOutcome.BELOW:
        raise BadInput("the lowest load did not meet the objective, so there is no capacity")
    if result.invalid:
        raise BadInput("something else than the server was the limit, so its capacity is not known")
    clients = request.along == CLIENTS
    metric = "capacity_clients" if clients else "capacity_per_s"
    yield SeriesValue(
        request.objective, metric, Interval(held.level, held.low, held.high, held.crossings), _asked(record)
    )
    if clients and result.rate is not None:
        yield SeriesValue(f"{request.objective}, at the capacity", RATE, result.rate, _asked(record))


def _of_soak(record: Record) -> Iterator[SeriesValue]:
    for number, step in enumerate(soak_result.read(record).steps):
        yield from _driven(step.title, step.rate_per_s, step.latency, _asked(record, number))


def _of_overload(record: Record) -> Iterator[SeriesValue]:
    result = overload_result.read(record)
    if result.capacity_doubt is not None:
        raise BadInput(f"its capacity is doubtful: {result.capacity_doubt}")
    if result.capacity_per_s is not None and record.request.get("rate") is None:
        cell = result.objective.text
        yield SeriesValue(cell, "capacity_per_s", _plain(result.capacity_per_s), _asked(record))
    for step in result.steps:
        cell = f"{given(step.factor)} times its capacity"
        yield from _driven(cell, step.answered_per_s, step.service, _asked(record, step.factor))


def _driven(cell: str, rate_per_s: float, times: Mapping[str, object], identity: str) -> Iterator[SeriesValue]:
    """Return what a step had: right answers a second, and percentiles."""
    for metric, value in ((RATE, rate_per_s), (P50, times.get(P50)), (P99, times.get(P99))):
        if isinstance(value, int | float):
            yield SeriesValue(cell, metric, _plain(float(value)), identity)


def _of_peer(record: Record) -> Iterator[SeriesValue]:
    requested = record.requested(RequestedPeer)
    for cell in read_peer(record).cells:
        rounds = steady_rounds(cell.rounds)
        if cell.failed or not rounds:
            continue
        load = cell.cell.load
        name = cell_name(", ".join(cell.groups), cell.cell.stack, load.clients)
        for who, driven in (("load driver", [each.ours for each in rounds]), (PEER, [each.peers for each in rounds])):
            own = (cell.cell.stack, cell.cell.call, cell.cell.arguments, load.clients, load.think_ns, load.ramp_up_ns)
            identity = json.dumps([who, *own, requested.seconds, requested.delay_us, requested.quick], sort_keys=True)
            yield from _of_generator(f"{name}, by {who}", driven, identity)


def _of_generator(cell: str, rounds: Sequence[GeneratorRound], identity: str) -> Iterator[SeriesValue]:
    yield SeriesValue(cell, RATE, geometric_mean([each.rate_per_s for each in rounds]), identity)
    medians = [each.median_ms * 1e3 for each in rounds]
    # The peer's clock has whole milliseconds: the median of a fast call is 0 there.
    if all(medians):
        yield SeriesValue(cell, P50, geometric_mean(medians), identity)


_KINDS: Mapping[str, Callable[[Record], Iterator[SeriesValue]]] = {
    head.LOAD: _of_load,
    head.PEER: _of_peer,
    "capacity": _of_capacity,
    "soak": _of_soak,
    "overload": _of_overload,
}
