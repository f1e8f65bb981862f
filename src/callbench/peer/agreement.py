"""Whether two load generators say the same of one server, from rounds in which each drove it once."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from callbench.stats.bottleneck import SATURATED
from callbench.stats.digits import percent
from callbench.stats.interval import Interval, geometric_mean

# Two that measure the same thing rightly may differ by as much, as their warm-up and their clocks differ.
NEAR = 0.05
# How far from 1 their ratio's interval may reach, if they are to be said to agree.
SURE = 0.10
# Of a call's time, what a generator may add of its own and still not be the limit.
_OWN = 0.10


@dataclass(frozen=True)
class Side:
    """What one generator said in one round.

    Attributes:
        rate_per_s: calls answered rightly.
        median_ms: of the time that each took.
        mean_ms: likewise.
        busy: share of its processors that it used.
        errors: calls that were not answered rightly.
    """

    rate_per_s: float
    median_ms: float
    mean_ms: float
    busy: float
    errors: int


@dataclass(frozen=True)
class Round:
    """Both sides, one after the other, at one server."""

    ours: Side
    peers: Side


@dataclass(frozen=True)
class Agreement:
    """What the rounds say together.

    Attributes:
        rate: the peer's rate over ours.
        latency: the peer's median over ours.
        limited: whether the peer was itself what limited its rate.
        verdict: `agree`, `differ`; `peer limited`, where its rate is not the server's; `unsure`, where the rounds
            scatter too much to say.
        why: the sentence that says so.
    """

    rate: Interval
    latency: Interval
    limited: bool
    verdict: Literal["agree", "differ", "peer limited", "unsure"]
    why: str


def agreement(rounds: Sequence[Round], clients: int, peer: str) -> Agreement:
    """Hold both sides' figures against each other, round by round.

    Args:
        rounds: at least one, each with calls answered rightly by both.
        clients: how many called at once.
        peer: its name, for the sentence.
    """
    rate = geometric_mean([each.peers.rate_per_s / each.ours.rate_per_s for each in rounds])
    latency = geometric_mean([each.peers.median_ms / each.ours.median_ms for each in rounds])
    limit = _limit(rounds, clients, peer)
    if limit is not None:
        return Agreement(rate, latency, True, "peer limited", limit)
    low, high = rate.low or rate.middle, rate.high or rate.middle
    off = percent(abs(rate.middle - 1))
    if abs(rate.middle - 1) <= NEAR and low >= 1 - SURE and high <= 1 + SURE:
        return Agreement(rate, latency, False, "agree", f"neither limited the rate, and the two are within {off}")
    if abs(rate.middle - 1) > NEAR and not low <= 1 <= high:
        why = f"{peer} says {off} {'more' if rate.middle > 1 else 'less'}, though neither limited the rate"
        return Agreement(rate, latency, False, "differ", why)
    return Agreement(rate, latency, False, "unsure", "the rounds scatter so much that they may agree or not")


def _limit(rounds: Sequence[Round], clients: int, peer: str) -> str | None:
    """Why the peer itself limits its rate; None where it does not.

    Its processors have no more to give; or its clients spend a good part of the time not in calls (Little's law: a
    closed loop without a pause has rate x mean time calls under way, which is the number of clients).
    """
    busy = median(each.peers.busy for each in rounds)
    if busy >= SATURATED:
        return f"{peer} used {percent(min(1.0, busy))} of its processors: its rate is its own, not the server's"
    idle = 1 - median(each.peers.rate_per_s * each.peers.mean_ms / 1e3 for each in rounds) / clients
    if idle > _OWN:
        return (
            f"{peer}'s clients spent {percent(idle)} of the time between calls: its rate is its own, not the server's"
        )
    return None
