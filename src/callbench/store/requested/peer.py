"""What was asked of a study that a peer drives too."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class RequestedPeer:
    """The options of a comparison of both generators.

    Attributes:
        study: its name.
        seed: of the random order.
        rounds: how often both drive each cell.
        select: what chose the cells; empty: all of the study.
        settings: of the study.
        peer: the other generator.
        seconds: of each side in a round, after all clients have begun.
        warm_up_s: of the peer in a round.
        delay_us: how long each server waits in each call.
    """

    study: str
    seed: int
    quick: bool
    rounds: int
    select: tuple[str, ...]
    settings: Mapping[str, str]
    peer: str
    seconds: float
    warm_up_s: float
    delay_us: int
