"""Create links by name: for the start of a stack, or once to see whether it is possible."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from callbench.adapter.network.host import LOOPBACK_HOSTS, Hosts
from callbench.adapter.network.pair import LinkFailure, Pair
from callbench.catalog.reach import LOOPBACK


@contextmanager
def link_hosts(link: str, wires: Mapping[str, Mapping[str, Any]]) -> Iterator[Hosts]:
    """Create a link and yield its hosts, which end with the context.

    Args:
        link: the link's name.
        wires: the definition of each link, as in the plan.

    Raises:
        LinkFailure: the link cannot be created here.
    """
    if link == LOOPBACK:
        yield LOOPBACK_HOSTS
        return
    with Pair(**wires.get(link, {})) as pair:
        yield pair.hosts


@dataclass(frozen=True)
class LinkAttempt:
    """The result of creating a link once.

    Attributes:
        maker: `cable`, `kernel` or `emulator`; None: it cannot be created here.
        why: why it cannot be created, or why the emulator makes it.
    """

    maker: str | None
    why: str | None

    @property
    def why_not(self) -> str | None:
        """Why it cannot be created; None if it can."""
        return None if self.maker else self.why


def try_link(wire: Mapping[str, Any]) -> LinkAttempt:
    """Create a link once, and remove it."""
    try:
        with Pair(**wire) as pair:
            return LinkAttempt(pair.maker, pair.why_emulated)
    except LinkFailure as failure:
        return LinkAttempt(None, str(failure))


def why_not(wire: Mapping[str, Any]) -> str | None:
    """Return why a link cannot be created here, by trying it once; None if it can."""
    return try_link(wire).why_not
