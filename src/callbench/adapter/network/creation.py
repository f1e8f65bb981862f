"""Create links by name: for the start of a stack, or once to see whether it is possible."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from callbench.adapter.network.host import LOOPBACK_HOSTS, Hosts
from callbench.adapter.network.pair import HostPair, LinkFailure
from callbench.catalog.reach import HOSTS, LOOPBACK


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
    wire = wires.get(link, {})
    if HOSTS in wire:
        yield _remote_hosts(wire[HOSTS])
        return
    with HostPair(**wire) as pair:
        yield pair.hosts


def _remote_hosts(names: Mapping[str, str]) -> Hosts:
    """Return hosts on other machines, with nothing made between them.

    Raises:
        LinkFailure: one cannot be had.
    """
    # One machine needs nothing of this, and has not always what it needs.
    from callbench.adapter.network.remote import extra  # noqa: PLC0415
    from callbench.adapter.network.remote.host_failure import HostFailure  # noqa: PLC0415

    try:
        extra.require_extra()
        from callbench.adapter.network.remote.fleet import hosts_of  # noqa: PLC0415

        hosts = hosts_of(names)
    except HostFailure as failure:
        raise LinkFailure("hosts", str(failure)) from failure
    return Hosts(hosts["client"], hosts["server"], lambda: None)


def host_facts(wires: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the real hosts of links say of themselves, by side; empty if there are none.

    Raises:
        LinkFailure: one cannot be had.
    """
    names: dict[str, str] = {}
    for wire in wires.values():
        names |= wire.get(HOSTS, {})
    if not names:
        return {}
    found = _remote_hosts(names)
    return {side: {"name": names[side], **getattr(found, side).about()} for side in names}


@dataclass(frozen=True)
class LinkAttempt:
    """The result of creating a link once.

    Attributes:
        maker: `cable`, `kernel`, `emulator` or `real hosts`; None: it cannot be created here.
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
        if HOSTS in wire:
            _remote_hosts(wire[HOSTS])
            return LinkAttempt("real hosts", None)
        with HostPair(**wire) as pair:
            return LinkAttempt(pair.maker, pair.why_emulated)
    except LinkFailure as failure:
        return LinkAttempt(None, str(failure))


def why_not(wire: Mapping[str, Any]) -> str | None:
    """Return why a link cannot be created here, by trying it once; None if it can."""
    return try_link(wire).why_not
