"""A host that a side runs on: the address to serve on, and how an adapter is started there."""

import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

# By direction, `to_server` and `to_client`: octets and frames of the line that the link has carried so far.
Carried = Mapping[str, tuple[int, int]]

_IPV4 = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")


@dataclass(frozen=True)
class Host:
    """One host.

    Attributes:
        address: the one that a server listens on there.
        netns: the path of its network namespace; None: this machine's own.
        user: the path of the user namespace to enter before it, where the lab was made without root.
    """

    address: str
    netns: str | None = None
    user: str | None = None

    def entered(self) -> list[str]:
        """The keeper's options that start an adapter there."""
        user = ["--user", self.user] if self.user else []
        return [*user, "--netns", self.netns] if self.netns else []


@dataclass(frozen=True)
class Hosts:
    """The two hosts of a link.

    Attributes:
        carried: asks what the link has carried so far; gives None where nothing but a cable lies between the hosts.
    """

    client: Host
    server: Host
    carried: Callable[[], Carried | None] = lambda: None


LOOPBACK_HOSTS = Hosts(Host("127.0.0.1"), Host("127.0.0.1"))


def misplaced(endpoint: str, host: Host) -> str | None:
    """Why a client elsewhere would not find an endpoint: it names an address, not the host's. None where all is well.

    An endpoint without an address (a path, an object reference) cannot be judged so: the client's connecting tells.
    """
    named = [text for text in _IPV4.findall(endpoint) if _is_address(text)]
    if not named or host.address in named:
        return None
    return (
        f"serves on {named[0]} and was told to serve on {host.address}, the server's host:"
        " a client on another host would not reach it"
    )


def _is_address(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True
