"""What a ledger counted in one phase, as flat figures that can be divided and taken from each other."""

from collections.abc import Mapping, Sequence
from typing import Any

Row = dict[str, Any]

SET_UP, FIRST, STEADY, TEAR_DOWN, LIFE = "set-up", "first call", "steady call", "tear-down", "life"
DIRECTIONS = ("to_server", "to_client")
KINDS = ("data", "retransmissions", "acknowledgements", "set_up", "tear_down")
PLAIN = ("packets", "link", "ip", "tcp", "tcp_options", "payload", "retransmitted", "turns")
TLS = ("records", "headers", "application", "handshake")
FIGURES = (
    *PLAIN,
    *(f"{kind}_packets" for kind in KINDS),
    *(f"{kind}_headers" for kind in KINDS),
    *(f"tls_{name}" for name in TLS),
)


def rows(phase: Mapping[str, Any], name: str) -> list[Row]:
    """Flatten what the network lab says of a phase: a row a direction.

    Args:
        phase: as the lab's `marked` has it.
        name: what the phase is called in the run.
    """
    return [
        {"phase": name, "direction": way, "connections": phase["opened"], **_flat(phase[way])} for way in DIRECTIONS
    ]


def _flat(counts: Mapping[str, Any]) -> dict[str, float]:
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


def shares(phase: Sequence[Row], payload: int, message: float | None) -> dict[str, float]:
    """Say what the bytes of a phase were for. The shares add up to `wire`.

    Args:
        phase: rows of a call's phase.
        payload: bytes of data in the call, both ways.
        message: bytes of its two messages; None where nobody counted them: encoding then holds framing too.

    Returns:
        Bytes by share. Encoding is below 0 where a message is shorter than its data, as compressed ones are.
    """
    streams, secret = stream(phase), sum(row["tls_headers"] + row["tls_handshake"] for row in phase)
    framed = streams - secret if message is None else message
    headers = {kind: sum(row[f"{kind}_headers"] for row in phase) for kind in KINDS}
    return {
        "payload": payload,
        "encoding": framed - payload,
        "framing": streams - secret - framed,
        "TLS": secret,
        "TCP and IP headers": headers["data"],
        "acknowledgements": headers["acknowledgements"],
        "set-up and tear-down": headers["set_up"] + headers["tear_down"],
        "sent again": headers["retransmissions"] + sum(row["retransmitted"] for row in phase),
    }
