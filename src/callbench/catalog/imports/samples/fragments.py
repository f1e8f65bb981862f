"""IP packets out of their fragments, in the order in which captures have them, which can be any."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TypeAlias

import dpkt

from callbench.catalog.imports.samples.left_out import LeftOut

_OPEN = 1024
"""Packets whose fragments wait for others. The oldest is given up if there are more."""
_LARGEST = 65_535
_FRAGMENT_HEADER = 44
_MISSING = "packet of which the capture has not all fragments (a filter by port drops them: capture by host)"
_OVERLAPPING = "packet whose fragments contradict each other"

Packet: TypeAlias = dpkt.ip.IP | dpkt.ip6.IP6


@dataclass(slots=True)
class _Parts:
    """The fragments of one packet.

    Attributes:
        found: bytes by their offset.
        size: bytes of the packet, once its last fragment was seen.
        given_up: it is counted already, so later fragments of it are not counted again.
        done: of a packet that was whole, the hashes of its fragments, since captures can have one twice.
    """

    found: dict[int, bytes] = field(default_factory=dict)
    size: int | None = None
    given_up: bool = False
    done: dict[int, int] = field(default_factory=dict)


class Fragments:
    """Puts the fragments of TCP's packets together. Its memory is bounded."""

    def __init__(self, left_out: LeftOut) -> None:
        """Begin.

        Args:
            left_out: counts packets that are never whole.
        """
        self._left_out = left_out
        self._open: OrderedDict[tuple[bytes, bytes, int], _Parts] = OrderedDict()

    def whole(self, packet: Packet) -> Packet | None:
        """The packet itself, or the packet that a fragment completes; None if it completes none.

        Only packets with TCP are put together: nothing else is read from a capture.
        """
        header = packet if isinstance(packet, dpkt.ip.IP) else packet.extension_hdrs.get(_FRAGMENT_HEADER)
        if header is None:
            return packet
        old = isinstance(packet, dpkt.ip.IP)
        offset, more = (header.offset, header.mf) if old else (header.frag_off, header.m_flag)
        if not offset and not more:
            return packet
        if packet.p != dpkt.ip.IP_PROTO_TCP:
            return None
        joined = self._joined((packet.src, packet.dst, header.id), offset * 8, bytes(packet.data), last=not more)
        if joined is None:
            return None
        try:
            packet.data = dpkt.tcp.TCP(joined)
        except (dpkt.Error, ValueError):
            self._left_out.count(_OVERLAPPING)
            return None
        return packet

    def end(self) -> None:
        """The capture is at its end: what waits is missing."""
        for parts in self._open.values():
            self._give_up(parts, _MISSING)
        self._open.clear()

    def _joined(self, key: tuple[bytes, bytes, int], start: int, data: bytes, *, last: bool) -> bytes | None:
        """The bytes of the packet that a fragment completes."""
        parts = self._parts(key, start, data)
        if parts is None:
            return None
        self._take(parts, start, data, last=last)
        joined = _joined(parts)
        if joined is not None:
            parts.done = {at: hash(part) for at, part in parts.found.items()}
            parts.found.clear()
        return joined

    def _parts(self, key: tuple[bytes, bytes, int], start: int, data: bytes) -> _Parts | None:
        """What a fragment belongs to; None if its packet is whole. Hosts use a number again after some time."""
        parts = self._open.get(key)
        if parts is not None and parts.done:
            if parts.done.get(start) == hash(data):
                return None
            del self._open[key]
            parts = None
        if parts is None:
            parts = self._open[key] = _Parts()
        if len(self._open) > _OPEN:
            _, oldest = self._open.popitem(last=False)
            self._give_up(oldest, _MISSING)
        return parts

    def _take(self, parts: _Parts, start: int, data: bytes, *, last: bool) -> None:
        if parts.given_up:
            return
        end = start + len(data)
        before = parts.found.get(start)
        # A host that sends a fragment again cuts it at the same places. All else is damage, or an attack on readers.
        overlaps = any(start < other + len(bytes_) and other < end for other, bytes_ in parts.found.items())
        beyond = end > (_LARGEST if parts.size is None else parts.size) or (last and parts.size not in {None, end})
        if before != data and (overlaps or beyond or (last and any(other >= end for other in parts.found))):
            self._give_up(parts, _OVERLAPPING)
            return
        parts.found[start] = data
        if last:
            parts.size = end

    def _give_up(self, parts: _Parts, why: str) -> None:
        if not parts.given_up and not parts.done:
            self._left_out.count(why)
        parts.given_up = True
        parts.found.clear()


def _joined(parts: _Parts) -> bytes | None:
    """The bytes of a packet if none are missing."""
    if parts.given_up or parts.size is None or sum(map(len, parts.found.values())) < parts.size:
        return None
    return b"".join(parts.found[start] for start in sorted(parts.found))
