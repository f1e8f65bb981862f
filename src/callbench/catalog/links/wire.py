"""The definition of a link for the network lab, as stored in plans."""

from collections.abc import Mapping, Sequence
from typing import Any


def ways(wire: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return both directions, to the server first. A plain cable has none, and a direction can be empty."""
    link = wire.get("link") or {}
    return [link.get(name) or {} for name in ("to_server", "to_client")]


def round_trip_ns(wire: Mapping[str, Any]) -> int:
    """Return the delay of a round trip in nanoseconds."""
    return sum(int(way.get("delay_ns", 0)) for way in ways(wire))
