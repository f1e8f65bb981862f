"""`[hosts]` of a study: which hosts have its roles over the link `real`, by name or by what they must have."""

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from callbench.catalog.study.part import LinkName, Name, Part

Network = IPv4Network | IPv6Network


def network_of(text: str) -> Network:
    """Return a network of a text such as `192.168.1.0/24`.

    Raises:
        ValueError: it is none.
    """
    return ip_network(text)


def _checked_network(text: str) -> str:
    network_of(text)
    return text


class NetworkNeeds(Part):
    """What the network of a host must be.

    Attributes:
        within: the network in which its address lies.
        mbit_s: what one stream carries at least, to each other host that is chosen and from it, in Mbit/s.
    """

    within: Annotated[str, AfterValidator(_checked_network)] | None = None
    mbit_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class HostNeeds(Part):
    """What a host must have.

    Attributes:
        processors: how many processors adapters may use there, at least.
        adapters: adapters that can run there.
        tools: tools that are there, as `callbench hosts check` names them.
        network: where its address lies, and how fast it is.
    """

    processors: Annotated[int, Field(ge=1)] = 1
    adapters: list[Name] = Field(default_factory=list)
    tools: list[Name] = Field(default_factory=list)
    network: NetworkNeeds = NetworkNeeds()


HostWanted = LinkName | HostNeeds


class HostsPart(Part):
    """The hosts of a study: a name of `callbench hosts list`, or what is needed.

    Attributes:
        server: of the servers.
        client: of the clients of a run, if `load` does not name them.
        load: of clients that share each load: of a run, and of `load`, `capacity`, `soak` and `overload` with
            `--study`.
        backend: of what stands behind servers; None: the server's host, and servers beside their clients.
        name_server: of name servers; None: the server's host.
        broker: of brokers.
    """

    server: HostWanted
    client: HostWanted | None = None
    load: Annotated[list[HostWanted], Field(min_length=1)] | None = None
    backend: HostWanted | None = None
    name_server: HostWanted | None = None
    broker: HostWanted | None = None

    @model_validator(mode="after")
    def _has_clients(self) -> Self:
        if not self.clients:
            raise ValueError("nobody makes the calls: give client a host, or load a list of them")
        return self

    @property
    def clients(self) -> Sequence[HostWanted]:
        """The hosts of the clients of a run."""
        return self.load or ([] if self.client is None else [self.client])
