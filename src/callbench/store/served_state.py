"""What `callbench serve --status FILE` says of itself while it serves."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from callbench.store.progress import document_of


class ServedEndpoint(BaseModel):
    """A stack that is served."""

    stack: str
    endpoint: Annotated[str, Field(description="its address")]
    calls: Annotated[
        dict[str, int] | None, Field(description="answered so far, by call; null if they are not counted for it")
    ]
    example: Annotated[
        str | None, Field(description="a command line that makes one call; null if no common program can")
    ]


class ServedPart(BaseModel):
    """What is switched on and off by one name: a channel or a stack."""

    name: str
    endpoints: Annotated[list[ServedEndpoint], Field(description="none while it is off")]

    @property
    def answered(self) -> int | None:
        """How many calls those that are on have answered; None if they are not counted for each."""
        counts = [sum(found.calls.values()) for found in self.endpoints if found.calls is not None]
        return sum(counts) if len(counts) == len(self.endpoints) else None


class ServedProcess(BaseModel):
    """A server: all stacks of an adapter, or one stack."""

    name: str
    calls: Annotated[dict[str, int] | None, Field(description="answered so far, by call; null if it cannot count")]
    parts: list[ServedPart]

    @property
    def answered(self) -> int | None:
        """How many calls were answered; None if it cannot count."""
        return None if self.calls is None else sum(self.calls.values())


class ServedState(BaseModel):
    """The whole file. `at` is when it was written, in UTC."""

    model_config = ConfigDict(frozen=True)

    format: int
    at: str
    servers: list[ServedProcess]

    @property
    def on(self) -> int:
        """How many endpoints are on."""
        return sum(len(part.endpoints) for server in self.servers for part in server.parts)

    @property
    def answered(self) -> int | None:
        """How many calls were answered; None if nothing can count them."""
        counts = [server.answered for server in self.servers if server.answered is not None]
        return sum(counts) if counts else None

    def part(self, name: str) -> ServedPart | None:
        """Return a part; None if there is none of this name."""
        return next((part for server in self.servers for part in server.parts if part.name == name), None)


def read_state(file: Path) -> ServedState | None:
    """Return what a server said last; None as long as there is nothing."""
    document = document_of(file)
    try:
        return None if document is None else ServedState.model_validate(document)
    except ValidationError:
        return None
