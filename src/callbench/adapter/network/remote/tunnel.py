"""A profile between real hosts: each has a host of the network lab within it, and frames travel by UDP between them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from callbench.adapter.network.host import Hosts
from callbench.adapter.network.lab_process import LabProcess, LinkFailure, link_failure
from callbench.adapter.network.remote.session_host import JOINED
from callbench.model.errors import AdapterFailure
from callbench.stats.wire.link import Wire, round_trip_ns

if TYPE_CHECKING:
    from callbench.adapter.network.remote.fleet import RemoteHost

# How long the other host may take to answer, beyond the link's own delay.
_PATIENCE_MS = 5_000
# The client's half does what the profile asks, in both directions.
LAYS = "to-server"


@contextmanager
def joined_hosts(server: "RemoteHost", client: "RemoteHost", wire: Wire) -> Iterator[Hosts]:
    """Make a host within each machine, and the link between them; all of it ends with the context.

    Raises:
        LinkFailure: a machine may not make one, or datagrams do not get through.
    """
    with ExitStack() as stack:
        at_server, at_client = (_Half(host, stack) for host in (server, client))
        at_server.join("to-client", at_client, wire)
        at_client.join("to-server", at_server, wire)
        patience_ms = _PATIENCE_MS + 2 * round_trip_ns(wire) // 1_000_000
        if not at_client.lab.ask("reach", "reached", 30.0 + patience_ms / 1e3, patience_ms=patience_ms)["passes"]:
            raise LinkFailure(
                "kernel",
                f"UDP does not get through between the hosts {client.name} and {server.name}, for which a profile there"
                " needs it: let their firewalls pass it, or measure over the link real",
            )
        yield Hosts(at_client.made, at_server.made, at_client.lab.carried)


class _Half:
    """The network lab of a machine, and the host that it has made there."""

    def __init__(self, machine: "RemoteHost", stack: ExitStack) -> None:
        """Start it; it ends with `stack`."""
        self.name, self.made = machine.name, machine
        self._machine = machine
        with self._named():
            try:
                self._process = machine.start_lab()
            except AdapterFailure as failure:
                raise link_failure(failure) from failure
            self.lab = stack.enter_context(LabProcess(self._process))
            port = self.lab.ask("listen", "listening", address=machine.address)["port"]
        self.port: int = port

    def join(self, sends: str, other: "_Half", wire: Wire) -> None:
        """Make the host, whose frames go to the other half. What the profile does to both directions is done here."""
        link = wire["link"] if sends == LAYS else None
        with self._named():
            there = f"{other._machine.address}:{other.port}"  # noqa: SLF001 - of the same class
            said = self.lab.ask("join", JOINED, sends=sends, other=there, mtu=wire["mtu"], link=link)
        self.made = replace(self._machine, address=said["address"], within=self._process.session)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Say of which machine a refusal is."""
        try:
            yield
        except LinkFailure as failure:
            refused = LinkFailure(failure.kind, f"host {self.name}: {failure}")
            refused.exit_code = failure.exit_code
            raise refused from failure
