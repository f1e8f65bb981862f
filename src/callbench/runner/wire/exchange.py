"""The exchange of one call: each packet of a new client, and its content."""

import json
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from callbench.analysis.wire.counts import LIFE
from callbench.model.cell import DISSECTOR
from callbench.model.errors import BadInput
from callbench.runner.wire.capture import Packet, last_connections
from callbench.store.record import Record

_WIDTH = 100
_TEXT_LINES = 16
_HEX_LINES = 5
_PRINTABLE = frozenset(string.printable.encode()) - {0x0B, 0x0C}
# Data with at least this share of printable bytes is shown as text, with dots for the others.
_MOSTLY = 0.9
_CELLS_SQL = 'SELECT cell, stack, "group", call, arguments FROM cells ORDER BY cell'
_LIFE_SQL = "SELECT cell, max(connections) FROM wire WHERE phase = ? GROUP BY cell"


@dataclass(frozen=True)
class StackExchange:
    """The exchange of one stack.

    Attributes:
        arguments: of the call, as JSON text.
        packets: of the client's last connections, in the order of the capture.
    """

    stack: str
    group: str
    call: str
    arguments: str
    packets: Sequence[Packet]

    def text(self) -> str:
        """Return the exchange as text."""
        return "\n".join([f"{self.stack}, {self.call} {self.arguments}", "", *describe(self.packets)])

    def record(self) -> dict[str, object]:
        """Return the exchange as a JSON object: every packet, with its data in hexadecimal."""
        start = self.packets[0].at_ms if self.packets else 0.0
        return {
            "stack": self.stack,
            "group": self.group,
            "call": self.call,
            "arguments": json.loads(self.arguments),
            "packets": [packet.record(start) for packet in self.packets],
        }


def exchanges(run: Record, stacks: Sequence[str], group: str | None) -> Iterator[StackExchange]:
    """Yield the exchange of each stack whose capture a run stored.

    Args:
        run: a run with --pcap, of a study with `ledger = true`.
        stacks: only these stacks; empty: all.
        group: only this group; None: the first group of each stack.

    Raises:
        BadInput: the run has no such capture.
        CallbenchError: tshark is missing.
    """
    cells, lives = _counted(run)
    requested = [cell for cell in cells if cell[0] in lives and group in {None, cell[2]}]
    for name in stacks:
        if name not in {cell[1] for cell in requested}:
            raise BadInput(
                f"{run.path} has counted no call of {name}{f' in {group}' if group else ''}: run with --pcap"
            )
    if not requested:
        raise BadInput(f"{run.path} has counted no call: a study asks for it by ledger = true")
    seen: set[str] = set()
    cards = {str(stack["id"]): stack.get("card") or {} for stack in run.plan().get("stacks", [])}
    for cell, stack, of, call, arguments in requested:
        if stack in seen or (stacks and stack not in stacks):
            continue
        seen.add(stack)
        packets = last_connections(_capture(run, cell), int(lives[cell]), cards.get(stack, {}).get(DISSECTOR))
        yield StackExchange(stack, of, call, arguments, packets)


def _counted(run: Record) -> tuple[list[tuple[Any, ...]], dict[str, int]]:
    """Return the cells of a run, and the connections in a life of those whose calls were counted."""
    with run.connection() as connection:
        return connection.execute(_CELLS_SQL).fetchall(), dict(connection.execute(_LIFE_SQL, [LIFE]).fetchall())


def _capture(run: Record, cell: str) -> Path:
    return run.path / "captures" / f"{cell}.pcap"


def describe(packets: Sequence[Packet]) -> list[str]:
    """Describe connections in the order of their first packets, one line per packet with its data below.

    Packets that only acknowledge are counted, not listed. Repeated packets are left out.
    """
    lines: list[str] = []
    start = packets[0].at_ms if packets else 0.0
    streams = list(dict.fromkeys(packet.stream for packet in packets))
    for number, stream in enumerate(streams, 1):
        own = [packet for packet in packets if packet.stream == stream]
        if len(streams) > 1:
            lines += [*([""] if lines else []), f"connection {number} of {len(streams)}, to port {own[0].port}"]
        lines += _connection(own, start)
    return lines


def _connection(packets: Sequence[Packet], start: float) -> list[str]:
    news = [packet for packet in _without_repeats(packets) if packet.data or packet.marks]
    lines = []
    for (_, with_data), turn in groupby(news, lambda packet: (packet.to_server, bool(packet.data))):
        sent = list(turn)
        lines += [_line(packet, start) for packet in sent]
        if with_data:
            lines += [f"{'':16}{line}".rstrip() for line in content(b"".join(packet.data for packet in sent))]
    alone = sum(1 for packet in packets if not packet.data and not packet.marks)
    return [*lines, f"{'':10}and {alone} packet{'s' if alone != 1 else ''} that only acknowledge"]


def _without_repeats(packets: Sequence[Packet]) -> Iterator[Packet]:
    """Yield the packets without those whose data came before."""
    seen: set[tuple[bool, int]] = set()
    for packet in packets:
        segment = (packet.to_server, packet.sequence)
        if packet.data and segment in seen:
            continue
        if packet.data:
            seen.add(segment)
        yield packet


def _line(packet: Packet, start: float) -> str:
    way = "client -> server" if packet.to_server else "client <- server"
    size = f"{len(packet.data)} bytes" if packet.data else ""
    description = ", ".join(part for part in (size, *packet.marks, packet.means) if part)
    return _shorten(f"{packet.at_ms - start:8.1f} ms  {way}  {description}")


def _shorten(line: str) -> str:
    return line if len(line) <= _WIDTH + 20 else line[: _WIDTH + 17] + "..."


def content(data: bytes) -> list[str]:
    """Return data as text if possible, otherwise in hexadecimal. An HTTP header is always text. Long data is cut."""
    head, gap, body = data.partition(b"\r\n\r\n")
    if gap and body and b"HTTP/1." in head and not _text(body):
        return [*_as_text(head), "", *_as_hex(body)]
    return _as_text(data) if _text(data) else _as_hex(data)


def _text(data: bytes) -> bool:
    return sum(byte in _PRINTABLE for byte in data) >= _MOSTLY * len(data)


def _as_text(data: bytes) -> list[str]:
    plain = "".join(chr(byte) if byte in _PRINTABLE else "." for byte in data).replace("\r\n", "\n")
    lines = []
    for line in plain.rstrip("\n").split("\n"):
        pieces = [line[at : at + _WIDTH] for at in range(0, len(line), _WIDTH)] or [""]
        lines += [pieces[0], *(f"  {piece}" for piece in pieces[1:])]
    shown = lines[:_TEXT_LINES]
    rest = sum(map(len, lines[_TEXT_LINES:]))
    return [*shown, f"... {rest} more characters"] if rest else shown


def _as_hex(data: bytes) -> list[str]:
    lines = []
    for at in range(0, len(data), 16):
        piece = data[at : at + 16]
        read = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in piece)
        lines.append(f"{at:04x}  {piece.hex(' '):47}  {read}")
    shown = lines[:_HEX_LINES]
    rest = len(data) - 16 * _HEX_LINES
    return [*shown, f"... {rest} more bytes"] if rest > 0 else shown
