"""Whether two load generators say the same of one server, from rounds in which each drove it once."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from callbench.stats.bottleneck import SATURATED
from callbench.stats.decision import Outcome, Range, Ranged, ranged
from callbench.stats.digits import percent
from callbench.stats.interval import CONFIDENCE, Interval, geometric_mean
from callbench.stats.logratio import paired

# Two that measure the same thing rightly may differ by as much, as their warm-up and their clocks differ.
NEAR = 0.05
# How far from 1 their ratio's interval may reach, if they are to be said to agree.
SURE = 0.10
# Where a generator takes more of its clients' time for itself than it leaves, it is the limit.
_MOSTLY_OWN = 0.50
_ALL_OWN = 0.999
# A peer's clock has whole milliseconds: what its median may be off by.
_CLOCK_MS = 0.5
# Of a side's calls, so many may fail and its rate is still that of the load which was asked for.
_FAILED = 0.01

Verdict = Literal["agree", "differ", "peer limited", "unsure"]


@dataclass(frozen=True)
class Side:
    """What one generator said in one round.

    Attributes:
        rate_per_s: calls answered rightly.
        median_ms: of the time that each took.
        mean_ms: likewise.
        busy: share of its processors that it used.
        calls: answered rightly.
        errors: calls that were not.
        round_ms: from a client's call to its next: the call, what lies between, its thought; the mean.
        own_ms: of the peer: what of that was its own and not the server's: between calls, or running or waiting for a
            processor in them; None where it is not known.
    """

    rate_per_s: float
    median_ms: float
    mean_ms: float
    busy: float
    calls: int
    errors: int
    round_ms: float
    own_ms: float | None = None


@dataclass(frozen=True)
class Round:
    """Both sides, one after the other, at one server.

    Attributes:
        unsteady: why it does not count, or "": a side's runtime, or the peer's, was still becoming faster.
    """

    ours: Side
    peers: Side
    unsteady: str = ""

    @property
    def own(self) -> float:
        """The share of the peer's clients' time that was its own.

        A part of each call's round; and the time in which its clients did not go round, as they began late. By Little's
        law rate x round is how many did, on the average over all the time, on either side.
        """
        there = self.peers.rate_per_s * self.peers.round_ms / (self.ours.rate_per_s * self.ours.round_ms)
        return 1 - min(1.0, there) * (1 - min(1.0, (self.peers.own_ms or 0.0) / self.peers.round_ms))


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
    verdict: Verdict
    why: str

    @property
    def outcome(self) -> Outcome:
        """What follows: failed where they differ, undecided where the rounds cannot say."""
        return _OUTCOMES.get(self.verdict, Outcome.PASSED)


_OUTCOMES: Mapping[Verdict, Outcome] = {"differ": Outcome.FAILED, "unsure": Outcome.UNDECIDED}


def agreement(rounds: Sequence[Round], peer: str, *, thinks: bool = False) -> Agreement:
    """Hold both sides' figures against each other, round by round.

    They agree where the ratio of their rates is within 5 % of 1 and its interval within 10 %; they differ where all of
    the interval is beyond 5 %. A peer that is slower by what it demonstrably took for itself differs from nobody.
    Rounds that were not steady do not count; where all are so, their figures are shown and decide nothing.

    Args:
        rounds: at least one, each with calls answered rightly by both.
        peer: its name, for the sentence.
        thinks: whether clients wait between calls. Their rate is then mostly what they were told, and their latencies
            have to agree too.
    """
    every, rounds = rounds, counted(rounds)
    rates, latencies = _ratios(rounds or every)
    rate, latency = geometric_mean(rates), geometric_mean(latencies)
    if not rounds:
        why = next(each.unsteady for each in every)
        return Agreement(rate, latency, limited=False, verdict="unsure", why=f"no round was steady: {why}")
    verdict, why = _judged(rounds, rates, peer)
    if verdict == "agree" and thinks:
        verdict, why = _latencies(rounds, latencies, peer, why)
    left_out = len(every) - len(rounds)
    if left_out:
        why += f"; {left_out} of {len(every)} rounds {'were' if left_out > 1 else 'was'} not steady and not counted"
    return Agreement(rate, latency, verdict == "peer limited", verdict, why)


def counted(rounds: Sequence[Round]) -> list[Round]:
    """Give the rounds that were steady."""
    return [each for each in rounds if not each.unsteady]


def _ratios(rounds: Sequence[Round]) -> tuple[list[float], list[float]]:
    """Divide the peer's rate and median by ours, round by round."""
    return (
        [each.peers.rate_per_s / each.ours.rate_per_s for each in rounds],
        [each.peers.median_ms / each.ours.median_ms for each in rounds],
    )


def _tested(ratios: Sequence[float], least: float, most: float) -> Ranged:
    """Test whether a ratio lies in a range."""
    return ranged([Range(paired(ratios), math.log(least), math.log(most))], 1 - CONFIDENCE)[0]


def _judged(rounds: Sequence[Round], rates: Sequence[float], peer: str) -> tuple[Verdict, str]:
    """By the rates."""
    failed = _failures(rounds, peer)
    if failed is not None:
        return failed
    middle = geometric_mean(rates).middle
    off = percent(abs(middle - 1), 1)
    if len(rates) < 2:
        return "unsure", f"one round has no interval; its rates differ by {off}"
    near = abs(middle - 1) <= NEAR
    allowed = SURE if near else NEAR
    tested = _tested(rates, 1 - allowed, 1 + allowed)
    if near and tested.outcome is Outcome.PASSED:
        return "agree", f"their rates differ by {off}"
    limit = _limit(rounds, peer) if middle < 1 else None
    if limit is not None:
        return "peer limited", limit
    why = None
    if tested.outcome is not Outcome.FAILED:
        why = f"the rounds scatter too much for a decision{_would_settle(tested)}"
    elif median(each.ours.busy for each in rounds) >= SATURATED:
        why = f"the load driver itself was the limit, and its rate differs from {peer}'s by {off}"
    if why is not None:
        return "unsure", why
    higher = "higher" if middle > 1 else "lower"
    return "differ", f"{peer}'s rate is {off} {higher}, and its own time does not explain that"


def _would_settle(tested: Ranged) -> str:
    """Say how many more rounds would settle it, where a sensible number would."""
    if tested.more_forks is None:
        return ""
    return f"; about {tested.more_forks} more round{'s' * (tested.more_forks > 1)} would decide it"


def _failures(rounds: Sequence[Round], peer: str) -> tuple[Verdict, str] | None:
    """What calls that failed say; None where there are too few to matter."""
    ours, peers = (_failed([getattr(each, side) for each in rounds]) for side in ("ours", "peers"))
    if max(ours, peers) <= _FAILED:
        return None
    failed = f"{percent(ours, 1)} of the load driver's calls and {percent(peers, 1)} of {peer}'s failed"
    return ("differ", failed) if abs(ours - peers) > _FAILED else ("unsure", f"{failed}; not the requested load")


def _failed(sides: Sequence[Side]) -> float:
    """The share of calls not answered rightly."""
    errors = sum(side.errors for side in sides)
    return errors / max(1, errors + sum(side.calls for side in sides))


def _limit(rounds: Sequence[Round], peer: str) -> str | None:
    """Why the peer itself limits its rate; None where it does not.

    Its processors have no more to give; or its clients' own time, taken off round by round, leaves a rate that is ours.
    A client that takes the share w of its time for itself calls at 1 - w times the rate that it could.
    """
    busy = median(each.peers.busy for each in rounds)
    if busy >= SATURATED:
        return f"{peer} used {percent(min(1.0, busy))} of its processors, so it is the limit, not the server"
    shares = [min(each.own, _ALL_OWN) for each in rounds]
    ratios = (each.peers.rate_per_s / each.ours.rate_per_s for each in rounds)
    without = geometric_mean([ratio / (1 - own) for ratio, own in zip(ratios, shares, strict=True)]).middle
    own = median(shares)
    if own >= _MOSTLY_OWN or (own > 0 and without >= 1 - NEAR):
        return f"{peer} used {percent(own)} of its clients' time itself, so it is the limit, not the server"
    return None


def _latencies(rounds: Sequence[Round], latencies: Sequence[float], peer: str, why: str) -> tuple[Verdict, str]:
    """By the median latencies, of which the peer's clock and its own time in a call explain a part."""
    ours = median(each.ours.median_ms for each in rounds)
    own = median([each.peers.own_ms or 0.0 for each in rounds])
    least, most = 1 - NEAR - _CLOCK_MS / ours, 1 + NEAR + (_CLOCK_MS + own) / ours
    middle = geometric_mean(latencies).middle
    apart = f"{ours * abs(middle - 1):.2f} ms"
    explained = f"their median latencies by {apart}, of which {peer} itself takes {own:.2f} ms per call"
    if least <= middle <= most:
        return "agree", f"{why}, {explained}"
    # Of a median that its own clock cannot tell from nothing there is no lower end.
    if _tested(latencies, max(least, 1e-9), most).outcome is Outcome.FAILED:
        return "differ", f"{why}, but {explained}"
    return "unsure", f"{why}, but {explained}; the rounds scatter too much"
