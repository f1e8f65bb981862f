"""What was asked of a torture test."""

from dataclasses import dataclass

from callbench.store.requested.target import RequestedTarget


@dataclass(frozen=True)
class TortureRequest:
    """The options of a torture test.

    Attributes:
        tests: names of the tests; empty: all.
        connections: the number of misbehaving connections; a test may allow fewer.
        pace_per_s: the most new connections per second.
        seconds: of each misbehaviour.
        patience_s: the longest wait for a recovery.
        within: a median call that takes more than so many times its normal duration is slow.
    """

    tests: tuple[str, ...] = ()
    connections: int = 1000
    pace_per_s: float = 2000.0
    seconds: float = 10.0
    patience_s: float = 30.0
    within: float = 3.0


@dataclass(frozen=True)
class RequestedTorture(TortureRequest, RequestedTarget):
    """The options of a torture test with its server, as record.json has them."""
