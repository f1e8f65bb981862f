"""The words of a plan: a stack with its card, a load, a cell."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Stack:
    """One thing under test, as its manifest describes it.

    Attributes:
        id: `adapter/name`.
        card: the fairness card: server_model, connections_per_client, waits, nagle, tuning, roles, about ...
        lacks: checks of the suite known to fail, with why.
        why_not: why it cannot run here, or None.
        instrument: part of the measuring instrument, not a thing to compare: left out unless named.
    """

    id: str
    adapter: str
    message: str
    channel: str
    language: str
    library: str
    version: str
    card: Mapping[str, Any] = field(default_factory=dict)
    lacks: Mapping[str, str] = field(default_factory=dict)
    why_not: str | None = None
    instrument: bool = False

    @property
    def available(self) -> bool:
        """Whether it can run here."""
        return self.why_not is None

    @property
    def in_process(self) -> bool:
        """Whether one process plays both sides."""
        return self.card.get("roles") == "in-process"


@dataclass(frozen=True)
class Load:
    """How many clients, until how many calls and seconds (whichever comes later)."""

    clients: int
    calls: int
    seconds: float


@dataclass(frozen=True)
class Cell:
    """Stack x call x load x link.

    Attributes:
        id: short name within the run, `c001`.
        group: the study's name for the cells that belong together.
        options: what the clients connect with: options of the stack's own.
    """

    id: str
    group: str
    stack: str
    call: str
    arguments: Mapping[str, Any]
    load: Load
    link: str = "loopback"
    options: Mapping[str, Any] = field(default_factory=dict)
