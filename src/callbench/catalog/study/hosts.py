"""`[hosts]` of a study: its server and its client over the link `real`, by name or by what they must have."""

from typing import Annotated

from pydantic import Field

from callbench.catalog.study.part import LinkName, Name, Part


class HostNeeds(Part):
    """What a host must have.

    Attributes:
        processors: how many processors adapters may use there, at least.
        adapters: adapters that can run there.
    """

    processors: Annotated[int, Field(ge=1)] = 1
    adapters: list[Name] = Field(default_factory=list)


class HostsPart(Part):
    """The hosts of a study: a name of `callbench hosts list`, or what is needed.

    Attributes:
        server: of the servers.
        client: of the clients.
    """

    server: LinkName | HostNeeds
    client: LinkName | HostNeeds
