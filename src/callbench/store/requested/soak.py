"""What was asked of a soak."""

from dataclasses import dataclass

from callbench.model.errors import BadInput
from callbench.stats.estimate.digits import given
from callbench.store.requested.target import RequestedTarget


@dataclass(frozen=True)
class SoakRequest:
    """The options of a soak.

    Attributes:
        clients: of each step, one after the other.
        seconds: of each step.
        rest_s: after each step: the clients disconnect and the server is left alone.
        every_s: the length of a slice; `slice_s` chooses it.
        restart: whether to restart a server that has died.
        think_ms: the time between an answer and the client's next call.
    """

    clients: tuple[int, ...]
    seconds: float
    rest_s: float = 10.0
    every_s: float = 1.0
    restart: bool = False
    think_ms: float = 0.0

    def __post_init__(self) -> None:
        """Check that the options make sense together.

        Raises:
            BadInput: they do not.
        """
        if not self.clients:
            raise BadInput("--clients names no step: give for instance 1,10,50")
        if self.every_s > self.seconds:
            raise BadInput(f"--every {given(self.every_s)} is longer than the {given(self.seconds)} s of a step")


@dataclass(frozen=True)
class RequestedSoak(SoakRequest, RequestedTarget):
    """The options of a soak with its server, as record.json has them."""
