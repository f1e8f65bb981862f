"""What was asked of a comparison."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RequestedComparison:
    """The options of a comparison that was driven.

    Attributes:
        study: whose groups give the calls; "": none.
        a: the baseline of all ratios.
        seconds: of driving each cell, both sides and all forks together.
        level: the probability that any verdict is wrong.
        threshold: the largest decrease of B's rate that passes, as a share.
        p99_threshold: the largest increase of B's p99 that passes, as a share; None: it is not judged.
        seed: of the random order.
        rounds: the number of forks; None: it depends on the duration of a start.
        hold_idle: whether deep idle states were off.
        notes: what a log has that is not sent, in sentences.
    """

    study: str
    a: str
    b: str
    seconds: float
    level: float
    threshold: float
    p99_threshold: float | None
    seed: int
    rounds: int | None
    hold_idle: bool
    notes: tuple[str, ...] = ()
