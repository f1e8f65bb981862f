"""Figures of a record as they would be with larger or smaller answers, or payloads.

The record of several sizes says what one call needs with each of them. What a stack needs more or less there is added
to what it needs in the record itself. Of stacks that have one message and one content coding, one was measured with
several sizes: another channel changes what a call costs by itself, and hardly what a byte costs. Where none was, the
stack of another message with the same coding stands in, by the ratio of their bytes.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from callbench.analysis.advice.figures import Every, Figures, OverLink
from callbench.catalog.encoders.codings import coding_of
from callbench.stats.estimate.contrast import ByBlock

_SIDES = ("server_us", "client_us")
_COUNTED = ("packets", "ip", "tcp", "payload", "retransmitted")
# A smaller payload takes a call's time down to this share of it at least: what is taken off was measured with noise.
_LEAST = 0.05
_Ends = tuple[float, float]
"""What a value is not below, and not above: the same twice where it is known."""


@dataclass(frozen=True)
class Ladder:
    """What calls of one stack need with payloads of several sizes, the smallest first.

    Attributes:
        figures: of the stack, with one of the sizes.
        payloads: bytes of data of a call, both ways.
        latency_us: by metric, with each of them.
        spent_us: processor time, by `server_us` and `client_us`, likewise: what it is not below, and not above.
        account: by direction and what was counted, likewise.
    """

    figures: Figures
    payloads: Sequence[float]
    latency_us: Mapping[str, Sequence[float]]
    spent_us: Mapping[str, Sequence[_Ends]]
    account: Sequence[Mapping[str, Sequence[float]]]


@dataclass(frozen=True)
class Scale:
    """How large messages are taken to be, as a multiple of what was measured.

    Attributes:
        calls: those whose messages are scaled.
        answers: the multiple of their answers.
        requests: that of their requests.
    """

    calls: Collection[str]
    answers: float = 1.0
    requests: float = 1.0


def ladders(sizes: Every) -> dict[str, Ladder]:
    """Read the record of several sizes, by stack; a stack that lacks its bytes, or has one size only, is left out."""
    found: dict[str, Ladder] = {}
    for stack in dict.fromkeys(stack for stack, _ in sizes):
        by_payload = {
            figures.payload: figures
            for (name, _), figures in sizes.items()
            if name == stack and figures.payload is not None and figures.account
        }
        if len(by_payload) > 1:
            found[stack] = _ladder(by_payload)
    return found


def _ladder(by_payload: Mapping[float, Figures]) -> Ladder:
    payloads = sorted(by_payload)
    steps = [by_payload[payload] for payload in payloads]
    names = set.intersection(*(set(step.here.latency_us) for step in steps))
    return Ladder(
        steps[0],
        payloads,
        {name: [_mean(step.here.latency_us[name]) for step in steps] for name in names},
        {side: [_ends(step.here, side) for step in steps] for side in _SIDES},
        [{name: [step.account[way][name] for step in steps] for name in _COUNTED} for way in (0, 1)],
    )


def scaled(every: Every, known: Mapping[str, Ladder], scale: Scale) -> Every | None:
    """Give the figures with messages of another size; None where nothing says what they would be.

    Args:
        every: the figures of the record.
        known: what is known of several sizes, by stack.
        scale: which messages, and how large they are.
    """
    found = {}
    for key, figures in every.items():
        if figures.call not in scale.calls:
            found[key] = figures
            continue
        ladder = _ladder_of(figures, known) if figures.payload is not None and figures.account else None
        if ladder is None:
            return None
        found[key] = _scaled(figures, *ladder, scale)
    return found


def _ladder_of(figures: Figures, known: Mapping[str, Ladder]) -> tuple[Ladder, float] | None:
    """Find the ladder of the same stack, else of one with the same message, or the nearest one; of the same coding.

    Content codings differ in how bytes grow, so a ladder of another coding says nothing.

    Returns:
        The ladder, and how many times as much as it a stack needs more: for another message, as its bytes are to those
        of the ladder's stack.
    """
    if figures.stack in known:
        return known[figures.stack], 1.0
    coding = coding_of(figures.card)
    alike = [ladder for ladder in known.values() if coding_of(ladder.figures.card) == coding]
    if not alike:
        return None
    own = _body(figures.account)

    def far(ladder: Ladder) -> tuple[bool, bool, float]:
        message, language = ladder.figures.message, ladder.figures.language
        return message != figures.message, language != figures.language, abs(math.log(_bytes(ladder, figures) / own))

    nearest = min(alike, key=far)
    return nearest, 1.0 if nearest.figures.message == figures.message else own / _bytes(nearest, figures)


def _body(account: Sequence[Mapping[str, float]]) -> float:
    return max(1.0, sum(row["payload"] for row in account))


def _bytes(ladder: Ladder, figures: Figures) -> float:
    """Give the bytes that the stack of a ladder sends for the payload of another stack."""
    return max(1.0, sum(_at(ladder.payloads, way["payload"], figures.payload or 0.0) for way in ladder.account))


def _scaled(figures: Figures, ladder: Ladder, ratio: float, scale: Scale) -> Figures:
    """Add to each figure what the ladder says that the other size needs more.

    Time and processor time follow the bytes of both ways, each as far as it is scaled; of bytes, each way is known.
    Turns and connections stay: how often sides wait is not known.
    """
    payload, bodies = figures.payload or 0.0, [row["payload"] for row in figures.account]
    shares = [body / sum(bodies) if sum(bodies) else 0.5 for body in bodies]
    ways = list(zip((scale.requests, scale.answers), shares, strict=True))

    def grown(values: Sequence[float], factor: float) -> float:
        return ratio * _difference(ladder.payloads, values, payload, factor * payload)

    def more(values: Sequence[float]) -> float:
        return sum(share * grown(values, factor) for factor, share in ways)

    account = [
        {**row, **{name: max(0.0, row[name] + grown(values, factor)) for name, values in counted.items()}}
        for row, counted, (factor, _) in zip(figures.account, ladder.account, ways, strict=True)
    ]  # fmt: skip
    latencies = {name: more(values) for name, values in ladder.latency_us.items()}

    def more_spent(ends: Sequence[_Ends]) -> _Ends:
        low, high = (
            sum(
                share * ratio * _grown_ends(ladder.payloads, ends, payload, factor * payload)[place]
                for factor, share in ways
            )
            for place in (0, 1)
        )
        return low, high

    sides = {side: more_spent(ends) for side, ends in ladder.spent_us.items()}
    moved = replace(figures, account=account, here=_moved(figures.here, latencies, sides))
    total = payload * sum(factor * share for factor, share in ways)
    return replace(moved, payload=total, over={})


def _moved(here: OverLink, latencies: Mapping[str, float], sides: Mapping[str, _Ends]) -> OverLink:
    least = {}
    for side, (low, high) in sides.items():
        values = getattr(here, side)
        if side in here.least_us or low < high:
            below = here.least_us.get(side, values)
            least[side] = {fork: max(0.0, value + low) for fork, value in below.items()}
    return OverLink(
        {name: _added(values, latencies.get(name, 0.0)) for name, values in here.latency_us.items()},
        _added(here.server_us, sides["server_us"][1]),
        _added(here.client_us, sides["client_us"][1]),
        least,
    )


def _added(values: ByBlock, more: float) -> ByBlock:
    return {fork: max(_LEAST * value, value + more) for fork, value in values.items()}


def _mean(values: ByBlock) -> float:
    positive = [math.log(value) for value in values.values() if value > 0]
    return math.exp(fmean(positive)) if positive else 0.0


def _ends(spent: OverLink, side: str) -> _Ends:
    most = _mean(getattr(spent, side))
    return _mean(spent.least_us[side]) if side in spent.least_us else most, most


def _grown_ends(payloads: Sequence[float], ends: Sequence[_Ends], before: float, after: float) -> _Ends:
    """Say how much more another size needs, at least and at most: no larger one needs less."""
    lows, highs = zip(*ends, strict=True)
    if lows == highs:
        known = _difference(payloads, highs, before, after)
        return known, known
    if before == after:
        return 0.0, 0.0
    (least, most), (least_after, most_after) = (_ends_at(payloads, lows, highs, size) for size in (before, after))
    low, high = least_after - most, most_after - least
    return (max(0.0, low), max(0.0, high)) if after > before else (min(low, 0.0), min(high, 0.0))


def _ends_at(payloads: Sequence[float], lows: Sequence[float], highs: Sequence[float], payload: float) -> _Ends:
    """Give both ends at a size. Beyond those that were measured, it grows as fast, or as slowly, as the ends allow."""
    low, high = (float(np.interp(payload, payloads, values)) for values in (lows, highs))
    if payload > payloads[-1]:
        far = (payload - payloads[-1]) / (payloads[-1] - payloads[-2])
        return low + max(0.0, lows[-1] - highs[-2]) * far, high + (highs[-1] - lows[-2]) * far
    if payload < payloads[0]:
        far = (payloads[0] - payload) / (payloads[1] - payloads[0])
        return max(0.0, low - (highs[1] - lows[0]) * far), high - max(0.0, lows[1] - highs[0]) * far
    return low, high


def _difference(payloads: Sequence[float], values: Sequence[float], before: float, after: float) -> float:
    return _at(payloads, values, after) - _at(payloads, values, before)


def _at(payloads: Sequence[float], values: Sequence[float], payload: float) -> float:
    """Follow straight lines between the sizes that were measured, and the first and the last of them beyond."""
    ends = {0: (0, 1)} if payload < payloads[0] else {-1: (-2, -1)} if payload > payloads[-1] else {}
    for end, (first, second) in ends.items():
        slope = (values[second] - values[first]) / (payloads[second] - payloads[first])
        return values[end] + max(0.0, slope) * (payload - payloads[end])
    return float(np.interp(payload, payloads, values))
