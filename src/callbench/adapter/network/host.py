"""A host for one side: the address to serve on, and how to start an adapter there."""

import ipaddress
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from callbench.adapter.network.host_usage import HostUsage, usage_here
from callbench.adapter.process import AdapterProcess
from callbench.adapter.running_process import RunningProcess
from callbench.catalog.manifest import Manifest
from callbench.stats.estimate.clock_offset import ClockOffset

# By direction, `to_server` and `to_client`: bytes and frames that the link has carried so far.
LinkCounts = Mapping[str, tuple[int, int]]

_IPV4 = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")


@dataclass(frozen=True)
class Host:
    """One host.

    Attributes:
        address: the address on which a server listens there.
        netns: the path of its network namespace; None: that of this machine.
        user: the path of the user namespace to enter first, if the lab was created without root.
    """

    address: str
    netns: str | None = None
    user: str | None = None

    def start(self, who: str, manifest: Manifest, processors: Sequence[int]) -> RunningProcess:
        """Start an adapter on the host.

        Args:
            who: its name in messages.
            manifest: what to start.
            processors: the processors that it may use; empty: any.

        Raises:
            AdapterFailure: it cannot be started.
            MachineFailure: the machine has no room, files, threads or memory for it.
        """
        folder = manifest.file.parent
        return AdapterProcess(who, manifest.program, folder, processors, host_options=self.enter_options())

    @property
    def name(self) -> str:
        """How messages name it."""
        return self.address

    def clock(self) -> ClockOffset:
        """Return its monotonic clock less that of this process."""
        return ClockOffset(0.0, 0.0, 0)

    def usage(self) -> HostUsage:
        """Return how busy its processors are."""
        return usage_here()

    @property
    def elsewhere(self) -> bool:
        """Whether it is a host with an agent, and not of this machine."""
        return False

    def enter_options(self) -> list[str]:
        """Return the supervisor's options that start an adapter on the host."""
        user = ["--user", self.user] if self.user else []
        return [*user, "--netns", self.netns] if self.netns else []


@dataclass(frozen=True)
class Hosts:
    """The hosts of a link: two, or a third one for a backend.

    Attributes:
        carried: returns what the link has carried so far; None for a plain cable.
        generators: all hosts of clients, if there are several; the first one is `client`.
        backend: of what stands behind servers, if it has a host of its own.
    """

    client: Host
    server: Host
    carried: Callable[[], LinkCounts | None] = lambda: None
    generators: tuple[Host, ...] = ()
    backend: Host | None = None


THIS_HOST = Host("127.0.0.1")
LOOPBACK_HOSTS = Hosts(THIS_HOST, THIS_HOST)


def why_unreachable(endpoint: str, host: Host) -> str | None:
    """Return why a remote client would not find an endpoint: it names another address. None if it would.

    An endpoint without an address (a path, an object reference) cannot be checked here. Connecting shows it.
    """
    named = [text for text in _IPV4.findall(endpoint) if _is_address(text)]
    if not named or host.address in named:
        return None
    return (
        f"serves on {named[0]} instead of {host.address}, the server's host:"
        " a client on another host would not reach it"
    )


def _is_address(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True
