"""What the network lab is asked to make for a link, as plans keep it."""

from collections.abc import Mapping, Sequence
from typing import Any


def ways(wire: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Both directions, to the server first. A bare cable has no link, and a link can have nothing to say of a way."""
    link = wire.get("link") or {}
    return [link.get(name) or {} for name in ("to_server", "to_client")]


def round_trip_ns(wire: Mapping[str, Any]) -> int:
    """By how much it delays what goes there and comes back, in nanoseconds."""
    return sum(int(way.get("delay_ns", 0)) for way in ways(wire))
