"""Finished rounds of the load driver and a peer on one server, as they were asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from callbench.analysis.peer.agreement import Agreement, Round
from callbench.catalog.study.own_servers import ServerOverrides


@dataclass(frozen=True)
class RoundsRequest:
    """The options of a comparison on one server.

    Attributes:
        target: a stack that the load driver calls, or an external server.
        server: how to call an external server.
        options: options of the stack's server.
    """

    target: str
    clients: int = 50
    rounds: int = 5
    seconds: float = 5.0
    warm_up_s: float = 10.0
    server: ServerOverrides = field(default_factory=ServerOverrides)
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class PeerRounds:
    """Finished rounds."""

    request: RoundsRequest
    rounds: tuple[Round, ...]
    agreement: Agreement
