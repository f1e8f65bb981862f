"""What a ledger counted in one phase, as flat values that can be divided and taken from each other."""

from collections.abc import Sequence
from typing import Any

from callbench.store.columns import WIRE_FIGURES

# A phase in one direction: its name, its direction, and the figures of `lines.wire.AccountRow`.
Row = dict[str, Any]

SET_UP, FIRST, STEADY, TEAR_DOWN, LIFE = "set-up", "first call", "steady call", "tear-down", "life"
DIRECTIONS = ("to_server", "to_client")
KINDS = ("data", "retransmissions", "acknowledgements", "set_up", "tear_down")
PLAIN = ("packets", "link", "ip", "tcp", "tcp_options", "payload", "retransmitted", "turns")
TLS = ("records", "headers", "tags", "application", "handshake")
FIGURES = WIRE_FIGURES


def rows(phase: Row, name: str) -> list[Row]:
    """Flatten what the network lab says of a phase: a row a direction.

    Args:
        phase: as the lab's `marked` has it.
        name: what the phase is called in the run.
    """
    return [
        {"phase": name, "direction": way, "connections": phase["opened"], **_flat(phase[way])} for way in DIRECTIONS
    ]


def _flat(counts: Row) -> dict[str, float]:
    flat: dict[str, float] = {key: counts[key] for key in PLAIN}
    for kind in KINDS:
        flat[f"{kind}_packets"] = counts[kind]["packets"]
        flat[f"{kind}_headers"] = counts[kind]["header_bytes"]
    return flat | {f"tls_{key}": counts["tls"][key] for key in TLS}


def per_call(long: Sequence[Row], short: Sequence[Row], calls: int) -> list[Row]:
    """Take what `calls` calls more have cost: long less short, divided. What each drive costs but once drops out.

    Args:
        long: rows of a phase.
        short: rows of a phase that made `calls` fewer, in the same order.
        calls: how many fewer, at least 1.
    """
    figures = ("connections", *FIGURES)
    return [
        {**more, **{key: (more[key] - less[key]) / calls for key in figures}}
        for more, less in zip(long, short, strict=True)
    ]


def stream(phase: Sequence[Row]) -> float:
    """Add up the bytes of the streams, both ways: each byte once, nothing of TCP or IP."""
    return float(sum(row["payload"] for row in phase))


def wire(phase: Sequence[Row]) -> float:
    """Add up the IP packets, both ways: what a carrier counts."""
    return float(sum(row["ip"] + row["tcp"] + row["payload"] + row["retransmitted"] for row in phase))


PAYLOAD, ENCODING, FRAMING, MESSAGE = "payload", "encoding", "framing", "encoding and framing"
HANDSHAKE, RECORDS = "TLS handshake", "TLS records"
HEADERS, ACKNOWLEDGED = "TCP and IP headers", "acknowledgements"
SHARES = (
    PAYLOAD,
    ENCODING,
    FRAMING,
    MESSAGE,
    HANDSHAKE,
    RECORDS,
    HEADERS,
    ACKNOWLEDGED,
    "set-up and tear-down",
    "sent again",
)


def shares(phase: Sequence[Row], payload: int, message: float | None) -> dict[str, float]:
    """Describe what the bytes of a phase were for. The shares add up to `wire`, and none is below 0.

    Args:
        phase: rows of a call's phase.
        payload: bytes of data in the call, both ways.
        message: bytes of its two messages, as the stack's own sides write them; None if no one counted them.

    Returns:
        Bytes by share: `encoding` and `framing` where the size of the messages is known, else `encoding and framing`
        for both together. A size that is more than was sent is not of these messages, and not known. Where a message
        is shorter than its data, `payload` is what was sent of it; `saved` says how much that saves.
    """
    streams = stream(phase)
    shaken = min(streams, max(0, sum(row["tls_handshake"] for row in phase)))
    wrapped = min(streams - shaken, max(0, sum(row["tls_headers"] + row["tls_tags"] for row in phase)))
    body = streams - shaken - wrapped
    if message is None or message > body:
        sent = min(float(payload), body)
        parts = {PAYLOAD: sent, MESSAGE: body - sent}
    else:
        sent = min(float(payload), message)
        parts = {PAYLOAD: sent, ENCODING: message - sent, FRAMING: body - message}
    return parts | {HANDSHAKE: shaken, RECORDS: wrapped} | _headers(phase)


def saved(phase: Sequence[Row], payload: int, message: float | None) -> float:
    """Return the bytes of data that were not sent, as messages are shorter than their data: compressed, or named twice.

    At least that many where the size of the messages is not known.
    """
    return payload - shares(phase, payload, message)[PAYLOAD]


def _headers(phase: Sequence[Row]) -> dict[str, float]:
    """Describe what headers were for."""
    headers = {kind: sum(row[f"{kind}_headers"] for row in phase) for kind in KINDS}
    parts = {
        HEADERS: headers["data"],
        ACKNOWLEDGED: headers["acknowledgements"],
        "set-up and tear-down": headers["set_up"] + headers["tear_down"],
        "sent again": headers["retransmissions"] + sum(row["retransmitted"] for row in phase),
    }
    # A long drive can have fewer packets of a kind than a short one: then the kinds cannot be told apart.
    return parts if min(parts.values()) >= 0 else {**dict.fromkeys(parts, 0), HEADERS: sum(parts.values())}


def mean(counts: Sequence[Sequence[Row]]) -> list[Row]:
    """Take the mean of several counts of one phase: rows in the same order."""
    return [
        {**each[0], **{key: sum(row[key] for row in each) / len(each) for key in ("connections", *FIGURES)}}
        for each in zip(*counts, strict=True)
    ]


def whole(phase: Sequence[Row]) -> bool:
    """Return whether each direction has a whole number of bytes: a fraction is a mean of calls that differ."""
    return all(float(row["payload"]).is_integer() for row in phase)
