"""A link by its name: made for a visit, and gone after it; or made once, to see whether and how it can be."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from callbench.adapter.network.host import LOOPBACK_HOSTS, Hosts
from callbench.adapter.network.pair import LinkFailure, Pair
from callbench.catalog.reach import LOOPBACK


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


@dataclass(frozen=True)
class Attempt:
    """What came of making a link once.

    Attributes:
        maker: `cable`, `kernel` or `emulator`; None: it cannot be made here.
        why: why it cannot be made, or why it is the emulator that makes it.
    """

    maker: str | None
    why: str | None

    @property
    def why_not(self) -> str | None:
        """Why it cannot be made, or None where it can."""
        return None if self.maker else self.why


def attempted(wire: Mapping[str, Any]) -> Attempt:
    """Makes a link once, and ends it."""
    try:
        with Pair(**wire) as pair:
            return Attempt(pair.maker, pair.why_emulated)
    except LinkFailure as failure:
        return Attempt(None, str(failure))


def why_not(wire: Mapping[str, Any]) -> str | None:
    """Why a link cannot be made here, or None where it can: tried out, by making it once."""
    return attempted(wire).why_not
