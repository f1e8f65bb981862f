"""Which native stacks are measured for an advice: those that the situation allows and that can win by their bytes.

The bytes of a message are known before anything is compiled. Over a slow link they decide: a stack whose bytes alone
take longer than those of another one over the same channel is listed with its bytes and not measured. It must be
longer by more than any processor time that the other one needs besides, and by more than what does not matter.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from callbench.analysis.advice.requirements import LeftOutStack, required, wants_tls
from callbench.catalog.callers import encrypts
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.encoders.byte_table import CallBytes, byte_table
from callbench.catalog.encoders.codings import GZIP, LEAST, PLAIN, coding_of, uncoded
from callbench.catalog.reach import why_not_over
from callbench.model.cell import ADVICE, USUAL_IN, Stack
from callbench.model.situation import Goal, Situation
from callbench.runner.plan import own_service
from callbench.stats.wire.link import round_trip_ns, ways

SLOWEST_NS_PER_BYTE = 100.0
"""Both sides together encode, compress, decompress and decode a byte of a message in less: 10 MB/s."""
SLACK_US = 200.0
"""What two stacks over one channel differ by besides, at most: envelopes, headers, wake-ups."""
NATIVE_GZIP = (0.85, 1.15)
"""Native stacks compress by zlib-rs, whose bodies have 0.9 to 1.1 times the bytes that zlib makes."""
SLACK_BYTES = 300
"""What envelopes and headers over one channel differ by, at most, both ways."""


@dataclass(frozen=True)
class Chosen:
    """What is measured.

    Attributes:
        stacks: names; empty: the usual ones of a service.
        not_measured: those that cannot win, with the reason.
    """

    stacks: Sequence[str] = ()
    not_measured: Sequence[LeftOutStack] = ()


def chosen(service: Path, known: Catalogue, situation: Situation) -> Chosen:
    """Choose the native stacks to measure for calls over a network.

    Args:
        service: the folder of the service.
        known: the stacks that there are.
        situation: of the advice.
    """
    far = [link for link in situation.links if link.wire.get("link")]
    if not far:
        return Chosen()
    there = [stack for stack in own_service.for_service(known).every if stack.adapter == own_service.NATIVE]
    stacks = [stack for stack in there if stack.id == situation.today or _fits(stack, situation, there, far[0].name)]
    if situation.goal not in (Goal.TIME, Goal.BYTES) or len(far) < len(situation.links):
        return Chosen([stack.id for stack in stacks])
    imported, _ = own_service.read(service)
    tables = list(byte_table(imported, {}))
    pruned = list(_pruned(stacks, tables, situation))
    names = {stack.stack for stack in pruned}
    return Chosen([stack.id for stack in stacks if stack.id not in names], pruned)


def _fits(stack: Stack, situation: Situation, there: Sequence[Stack], link: str) -> bool:
    """Whether the situation allows a stack over the channels that an advice chooses from."""
    if ADVICE not in stack.card.get(USUAL_IN, ()) or not stack.available or why_not_over(stack, link):
        return False
    cards = {stack.id: stack.card for stack in there}
    # Stacks of other languages have no TLS yet: then none is compared with them.
    encrypted = not situation.languages and wants_tls(situation, cards)
    return encrypts(stack.card) is encrypted and not required(stack.message, stack.channel, stack.card, situation)


def _pruned(stacks: Sequence[Stack], tables: Sequence[CallBytes], situation: Situation) -> Iterator[LeftOutStack]:
    """Find the stacks whose bytes alone are too many. What runs today and plain JSON over HTTP/1.1 stay."""
    by_channel: dict[str, list[Stack]] = {}
    for stack in stacks:
        by_channel.setdefault(uncoded(stack.channel, stack.card), []).append(stack)
    for channel, alike in by_channel.items():
        bodies = {stack.id: size for stack in alike if (size := _body(stack, tables)) is not None}
        if not bodies:
            continue
        best = min(bodies, key=lambda name: _at_most(bodies[name], situation))
        ordinary = f"{own_service.NATIVE}/json+{channel}" if channel.endswith("keepalive") else ""
        for name, size in bodies.items():
            if name in (situation.today, ordinary, best) or not _loses(size, bodies[best], situation):
                continue
            yield LeftOutStack(name, [_reason(size, best, bodies[best], situation)], required=False)


@dataclass(frozen=True)
class _Bytes:
    """Bytes of a call's messages without envelopes: to the server, back, and both before they are compressed."""

    request: float
    answer: float
    plain: float
    gzip: bool

    @property
    def both(self) -> float:
        return self.request + self.answer


def _body(stack: Stack, tables: Sequence[CallBytes]) -> _Bytes | None:
    """The mean over the calls; None if the table does not have the message, or it cannot carry a call."""
    coding = coding_of(stack.card)
    rows = [row for table in tables for row in table.formats if row.format == stack.message]
    if not tables or len(rows) < len(tables):
        return None
    request, answer = (fmean(_sent(side, coding) for side in sides) for sides in
                       ([row.request for row in rows], [row.answer for row in rows]))  # fmt: skip
    plain = fmean(row.request[PLAIN] + row.answer[PLAIN] for row in rows)
    return _Bytes(request, answer, plain, coding == GZIP)


def _sent(side: Mapping[str, float], coding: str) -> float:
    """Bytes of a body: a short one is not compressed."""
    return side[coding] if side[PLAIN] >= LEAST else side[PLAIN]


def _travel_us(size: _Bytes, situation: Situation) -> float:
    """The time that bytes take on the links, by their shares; delays are the same for all over one channel."""
    total = 0.0
    for link in situation.links:
        for amount, way in zip((size.request, size.answer), ways(link.wire), strict=True):
            rate = way.get("rate_bps")
            total += link.share * amount * 8e6 / rate if rate else 0.0
    return total


def _at_most(size: _Bytes, situation: Situation) -> float:
    if situation.goal is Goal.BYTES:
        return size.both
    return _travel_us(size, situation) + size.plain * SLOWEST_NS_PER_BYTE / 1e3


def _bounded(size: _Bytes, end: int) -> _Bytes:
    """The fewest bytes that a stack may send (end 0), or the most (end 1)."""
    factor = NATIVE_GZIP[end] if size.gzip else 1.0
    return replace(size, request=size.request * factor, answer=size.answer * factor)


def _loses(size: _Bytes, best: _Bytes, situation: Situation) -> bool:
    """Whether a stack is behind by more than the difference that does not matter, whatever processors do."""
    margin = 1 + situation.margin
    size, best = _bounded(size, 0), _bounded(best, 1)
    if situation.goal is Goal.BYTES:
        return size.both > (best.both + SLACK_BYTES) * margin
    trips_us = sum(link.share * round_trip_ns(link.wire) / 1e3 for link in situation.links)
    return trips_us + _travel_us(size, situation) > (trips_us + _at_most(best, situation) + SLACK_US) * margin


def _reason(size: _Bytes, best: str, least: _Bytes, situation: Situation) -> str:
    if situation.goal is Goal.BYTES:
        return f"not measured: its messages have {size.both:,.0f} bytes, those of {best} {least.both:,.0f}"
    links = ", ".join(link.name for link in situation.links)
    times = [f"{_travel_us(length, situation) / 1e3:,.2f} ms" for length in (size, least)]
    return (
        f"not measured: its {size.both:,.0f} bytes take {times[0]} over {links}, and the {least.both:,.0f} bytes of"
        f" {best} {times[1]}"
    )
