"""What was asked of an overload."""

from dataclasses import dataclass

from callbench.store.requested.target import RequestedTarget


@dataclass(frozen=True)
class OverloadRequest:
    """The options of an overload test.

    Attributes:
        objective: the capacity is the highest rate that meets it.
        factors: multiples of the capacity; each is one overload.
        clients: the most calls in progress at once.
        seconds: duration of each overload.
        patience_s: the longest wait for a recovery.
        within: a median call that takes more than so many times its normal duration is slow.
        rest_s: the rest without load at the end.
        rate: the capacity, if known; None: it is searched.
    """

    objective: str
    factors: tuple[float, ...] = (2.0, 10.0)
    clients: int = 200
    seconds: float = 10.0
    patience_s: float = 60.0
    within: float = 2.0
    rest_s: float = 10.0
    rate: float | None = None


@dataclass(frozen=True)
class RequestedOverload(OverloadRequest, RequestedTarget):
    """The options of an overload with its server, as record.json has them."""
