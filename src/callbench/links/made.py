"""A link by its name: made for a visit, and gone after it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from callbench.links.host import LOOPBACK_HOSTS, Hosts
from callbench.links.pair import LinkFailure, Pair
from callbench.links.reach import LOOPBACK


@contextmanager
def made(link: str, wires: Mapping[str, Mapping[str, Any]]) -> Iterator[Hosts]:
    """Makes a link and gives its hosts, which end with the context.

    Args:
        link: its name.
        wires: what the lab is asked to make for each name, as the plan has it.

    Raises:
        LinkFailure: it cannot be made here.
    """
    if link == LOOPBACK:
        yield LOOPBACK_HOSTS
        return
    with Pair(**wires.get(link, {})) as pair:
        yield pair.hosts


def why_not(wire: Mapping[str, Any]) -> str | None:
    """Why a link cannot be made here, or None where it can: tried out, by making it once."""
    try:
        with Pair(**wire):
            return None
    except LinkFailure as failure:
        return str(failure)
