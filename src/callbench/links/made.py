"""A link by its name: made for a visit, and gone after it."""

from collections.abc import Iterator
from contextlib import contextmanager

from callbench.links.host import LOOPBACK_HOSTS, Hosts
from callbench.links.pair import LinkFailure, Pair
from callbench.links.reach import LOOPBACK, PAIR


@contextmanager
def made(link: str) -> Iterator[Hosts]:
    """Makes a link and gives its hosts, which end with the context.

    Raises:
        LinkFailure: it cannot be made here.
    """
    if link == LOOPBACK:
        yield LOOPBACK_HOSTS
        return
    with Pair() as pair:
        yield pair.hosts


def why_not(link: str) -> str | None:
    """Why a link cannot be made here, or None where it can: tried out, by making it once."""
    if link == LOOPBACK:
        return None
    if link != PAIR:
        return "there is no such link"
    try:
        with Pair():
            return None
    except LinkFailure as failure:
        return str(failure)
