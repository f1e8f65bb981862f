"""Where client and server of a cell share processors: on this machine by their placement, on others by their host."""

from collections.abc import Mapping

from callbench.model.card import StackCard
from callbench.stats.wire.link import Wire


def placed_together(environment: Mapping[str, object]) -> bool:
    """Return whether this machine had no processor for each side."""
    placement = environment.get("placement")
    if not isinstance(placement, Mapping):
        return False
    return bool(set(placement.get("client") or []) & set(placement.get("server") or []))


def host_of_both(card: StackCard, wire: Wire) -> str:
    """Return the real host that has client and server, since the link lies between server and backend; "": none."""
    hosts: Mapping[str, str] = wire.get("hosts") or {}
    return hosts["client"] if hosts and "backend" not in hosts and card.get("backend") else ""
