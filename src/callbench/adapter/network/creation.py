"""Create links by name: for the start of a stack, or once to see whether it is possible."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from callbench.adapter.network.host import LOOPBACK_HOSTS, Host, Hosts
from callbench.adapter.network.lab_process import LinkFailure
from callbench.adapter.network.pair import HostPair
from callbench.catalog.reach import LOOPBACK
from callbench.stats.wire.link import Wire, Wires

if TYPE_CHECKING:
    from callbench.adapter.network.remote.fleet import RemoteHost


@contextmanager
def link_hosts(link: str, wires: Wires) -> Iterator[Hosts]:
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
    if "hosts" in wire:
        with _between_machines(wire) as hosts:
            yield hosts
        return
    with HostPair(**wire) as pair:
        yield pair.hosts


def generator_hosts(names: Sequence[str]) -> Hosts:
    """Return the hosts of many clients; a server that is started here serves where they reach this machine.

    Raises:
        LinkFailure: one cannot be had.
    """
    taken = _taken({name: name for name in names})
    generators = tuple(taken[name] for name in names)
    return Hosts(generators[0], Host(generators[0].core_address), lambda: None, generators)


@contextmanager
def _between_machines(wire: Wire) -> Iterator[Hosts]:
    """Yield hosts on other machines: those as they are, or some made within them if there is a profile.

    Raises:
        LinkFailure: one cannot be had, or may not make a host within it.
    """
    taken = _taken(wire["hosts"])
    if wire.get("link") is None:
        clients = tuple(host for side, host in taken.items() if side.startswith("client"))
        several = clients if len(clients) > 1 else ()
        yield Hosts(clients[0], taken["server"], generators=several, backend=taken.get("backend"))
        return
    from callbench.adapter.network.remote.tunnel import joined_hosts  # noqa: PLC0415

    with joined_hosts(taken["server"], taken["client"], wire) as hosts:
        yield hosts


def _taken(names: Mapping[str, str]) -> "dict[str, RemoteHost]":
    """Return taken hosts by side, from their names.

    Raises:
        LinkFailure: one cannot be had.
    """
    with _remote_failures():
        from callbench.adapter.network.remote.fleet import hosts_of  # noqa: PLC0415

        return hosts_of(names)


def about_connected_hosts() -> dict[str, dict[str, Any]]:
    """Return what each host says of itself whose agent is connected, by name. None of them is taken.

    Raises:
        LinkFailure: the scheduler or a host cannot be reached.
    """
    with _remote_failures():
        from callbench.adapter.network.remote.fleet import about_connected  # noqa: PLC0415

        return about_connected()


def stream_between(sender: str, receiver: str) -> float | None:
    """Return what a stream from a connected host to another one carries, in Mbit/s; None: there is none.

    Raises:
        LinkFailure: one cannot be had.
    """
    with _remote_failures():
        from callbench.adapter.network.remote import host_check  # noqa: PLC0415

        return host_check.stream_between(sender, receiver)


@contextmanager
def _remote_failures() -> Iterator[None]:
    """Let other machines be used within, and say what is wrong with them as with any link.

    Raises:
        LinkFailure: a host cannot be had.
    """
    # One machine needs nothing of this, and has not always what it needs.
    from callbench.adapter.network.remote import extra  # noqa: PLC0415
    from callbench.adapter.network.remote.host_failure import HostFailure  # noqa: PLC0415

    try:
        extra.require_extra()
        yield
    except HostFailure as failure:
        refused = LinkFailure("hosts", str(failure))
        # What was asked for is wrong, whoever asked.
        refused.exit_code = failure.exit_code
        raise refused from failure


def host_facts(names: Mapping[str, str]) -> dict[str, Any]:
    """Return what real hosts say of themselves, by side as their names are.

    Raises:
        LinkFailure: one cannot be had.
    """
    with _remote_failures():
        return {side: {"name": names[side], "host": host.name, **host.about()} for side, host in _taken(names).items()}


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


def try_link(wire: Wire) -> LinkAttempt:
    """Create a link once, and remove it."""
    try:
        if "hosts" in wire:
            with _between_machines(wire):
                return LinkAttempt("emulator" if wire.get("link") else "real hosts", None)
        with HostPair(**wire) as pair:
            return LinkAttempt(pair.maker, pair.why_emulated)
    except LinkFailure as failure:
        return LinkAttempt(None, str(failure))


def why_not(wire: Wire) -> str | None:
    """Return why a link cannot be created here, by trying it once; None if it can."""
    return try_link(wire).why_not
