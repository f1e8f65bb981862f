"""Decide whether two load generators agree about one server, from rounds in which each drove it once."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from callbench.stats.decide.decision import Outcome, Range, RangeTest, ranged
from callbench.stats.decide.failures import CallCounts, FailedCalls
from callbench.stats.estimate.digits import percent
from callbench.stats.estimate.interval import CONFIDENCE, Interval, geometric_mean
from callbench.stats.estimate.logratio import paired
from callbench.stats.load.bottleneck import SATURATED

# The other load generator.
PEER = "JMeter"
# Two correct generators may differ by this share, because their warm-up and clocks differ.
AGREEMENT_MARGIN = 0.05
# To agree, the interval of their ratio must lie within this share of 1.
INTERVAL_LIMIT = 0.10
# A generator that uses more than this share of its clients' time limits the rate.
_OWN_SHARE_LIMIT = 0.50
_MOST_OWN_SHARE = 0.999
# The peer's clock has whole milliseconds, so its median may be wrong by this much.
_CLOCK_MS = 0.5
# If more than this share of calls fails, the rate is not that of the requested load.
_FAILED_SHARE = 0.01

Verdict = Literal["agree", "differ", "peer limited", "unsure"]


@dataclass(frozen=True)
class GeneratorRound:
    """The result of one generator in one round.

    Attributes:
        rate_per_s: successful calls per second.
        median_ms: median duration of a call.
        mean_ms: mean duration of a call.
        busy: the share of its processors that it used.
        calls: successful calls.
        errors: failed calls.
        round_ms: mean time from a client's call to its next one: the call, the gap and the think time.
        own_ms: the peer's own part of that time: the gap, or running and waiting for a processor during a call; None if
            unknown.
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
    """The results of both generators on one server, one after the other.

    Attributes:
        unsteady: why the round does not count, or "": a runtime was still becoming faster.
    """

    ours: GeneratorRound
    peers: GeneratorRound
    unsteady: str = ""

    @property
    def own_share(self) -> float:
        """The share of the peer's clients' time that was its own.

        It is its part of each call's cycle, plus the time before its clients began. By Little's law, rate x cycle is
        the mean number of calling clients.
        """
        clients_calling = self.peers.rate_per_s * self.peers.round_ms / (self.ours.rate_per_s * self.ours.round_ms)
        return 1 - min(1.0, clients_calling) * (1 - min(1.0, (self.peers.own_ms or 0.0) / self.peers.round_ms))


@dataclass(frozen=True)
class Agreement:
    """The comparison over all rounds.

    Attributes:
        rate: the peer's rate divided by ours.
        latency: the peer's median divided by ours.
        limited: whether the peer itself limited its rate.
        verdict: `agree`; `differ`; `peer limited` if its rate is not the server's; `unsure` if the rounds scatter too
            much.
        why: the reason, in a sentence.
    """

    rate: Interval
    latency: Interval
    limited: bool
    verdict: Verdict
    why: str

    @property
    def outcome(self) -> Outcome:
        """The outcome: failed if they differ, undecided if the rounds cannot decide."""
        return _OUTCOMES.get(self.verdict, Outcome.PASSED)


_OUTCOMES: Mapping[Verdict, Outcome] = {"differ": Outcome.FAILED, "unsure": Outcome.UNDECIDED}


def compute_agreement(rounds: Sequence[Round], peer: str, *, think_time: bool = False) -> Agreement:
    """Compare the values of both generators, round by round.

    They agree if the ratio of their rates is within 5 % of 1, and its interval within 10 %. They differ if the whole
    interval is more than 5 % away. A peer whose own time explains a lower rate does not differ. Rounds that were not
    steady do not count; if none was steady, their values are shown and nothing is decided.

    Args:
        rounds: at least one, each with successful calls of both.
        peer: the peer's name.
        think_time: whether clients wait between calls. That mostly determines their rate, so their latencies must agree
            too.
    """
    all_rounds, rounds = rounds, steady_rounds(rounds)
    rates, latencies = _ratios(rounds or all_rounds)
    rate, latency = geometric_mean(rates), geometric_mean(latencies)
    if not rounds:
        why = next(each.unsteady for each in all_rounds)
        return Agreement(rate, latency, limited=False, verdict="unsure", why=f"no round was steady: {why}")
    verdict, why = _verdict_by_rates(rounds, rates, peer)
    if verdict == "agree" and think_time:
        verdict, why = _verdict_by_latencies(rounds, latencies, peer, why)
    left_out = len(all_rounds) - len(rounds)
    if left_out:
        why += (
            f"; {left_out} of {len(all_rounds)} rounds {'were' if left_out > 1 else 'was'} not steady and not counted"
        )
    return Agreement(rate, latency, verdict == "peer limited", verdict, why)


def steady_rounds(rounds: Sequence[Round]) -> list[Round]:
    """Return the rounds that were steady."""
    return [each for each in rounds if not each.unsteady]


def _ratios(rounds: Sequence[Round]) -> tuple[list[float], list[float]]:
    """Return the ratios of rates and medians, the peer's divided by ours, by round."""
    return (
        [each.peers.rate_per_s / each.ours.rate_per_s for each in rounds],
        [each.peers.median_ms / each.ours.median_ms for each in rounds],
    )


def _test_range(ratios: Sequence[float], least: float, most: float) -> RangeTest:
    """Test whether a ratio lies in a range."""
    return ranged([Range(paired(ratios), math.log(least), math.log(most))], 1 - CONFIDENCE)[0]


def _verdict_by_rates(rounds: Sequence[Round], rates: Sequence[float], peer: str) -> tuple[Verdict, str]:
    """Decide by the rates."""
    failed = _verdict_by_failures(rounds, peer)
    if failed is not None:
        return failed
    middle = geometric_mean(rates).middle
    difference = percent(abs(middle - 1), 1)
    if len(rates) < 2:
        return "unsure", f"one round has no interval; its rates differ by {difference}"
    near = abs(middle - 1) <= AGREEMENT_MARGIN
    allowed = INTERVAL_LIMIT if near else AGREEMENT_MARGIN
    tested = _test_range(rates, 1 - allowed, 1 + allowed)
    if near and tested.outcome is Outcome.PASSED:
        return "agree", f"their rates differ by {difference}"
    limit = _why_peer_limited(rounds, peer) if middle < 1 else None
    if limit is not None:
        return "peer limited", limit
    why = None
    if tested.outcome is not Outcome.FAILED:
        why = f"the rounds scatter too much for a decision{_rounds_needed(tested)}"
    elif median(each.ours.busy for each in rounds) >= SATURATED:
        why = f"the load driver itself was the limit, and its rate differs from {peer}'s by {difference}"
    if why is not None:
        return "unsure", why
    higher = "higher" if middle > 1 else "lower"
    return "differ", f"{peer}'s rate is {difference} {higher}, and its own time does not explain that"


def _rounds_needed(tested: RangeTest) -> str:
    """Return how many more rounds would decide, in words; "" if no reasonable number would."""
    if tested.more_forks is None:
        return ""
    return f"; about {tested.more_forks} more round{'s' * (tested.more_forks > 1)} would decide it"


def _verdict_by_failures(rounds: Sequence[Round], peer: str) -> tuple[Verdict, str] | None:
    """Decide by the failed calls; None if there are too few to matter, and neither side is shown to have more."""
    sides = [[getattr(each, side) for each in rounds] for side in ("ours", "peers")]
    a, b = (CallCounts([drive.errors for drive in side], [drive.calls for drive in side]) for side in sides)
    failed = f"{percent(a.share, 1)} of the load driver's calls and {percent(b.share, 1)} of {peer}'s failed"
    # Either side can be the one that fails more, so each has half of the level.
    if min(FailedCalls(a, b).p_value(), FailedCalls(b, a).p_value()) < (1 - CONFIDENCE) / 2:
        return "differ", failed
    if max(a.share, b.share) <= _FAILED_SHARE:
        return None
    differ = abs(a.share - b.share) > _FAILED_SHARE
    return ("differ", failed) if differ else ("unsure", f"{failed}; not the requested load")


def _why_peer_limited(rounds: Sequence[Round], peer: str) -> str | None:
    """Return why the peer itself limits its rate; None if it does not.

    Its processors may be saturated, or its clients' own time, removed round by round, may leave a rate that equals
    ours. A client that spends the share w of its time on itself calls at 1 - w times its possible rate.
    """
    busy = median(each.peers.busy for each in rounds)
    if busy >= SATURATED:
        return f"{peer} used {percent(min(1.0, busy))} of its processors, so it is the limit, not the server"
    shares = [min(each.own_share, _MOST_OWN_SHARE) for each in rounds]
    ratios = (each.peers.rate_per_s / each.ours.rate_per_s for each in rounds)
    without = geometric_mean([ratio / (1 - own) for ratio, own in zip(ratios, shares, strict=True)]).middle
    own = median(shares)
    if own >= _OWN_SHARE_LIMIT or (own > 0 and without >= 1 - AGREEMENT_MARGIN):
        return f"{peer} used {percent(own)} of its clients' time itself, so it is the limit, not the server"
    return None


def _verdict_by_latencies(
    rounds: Sequence[Round], latencies: Sequence[float], peer: str, why: str
) -> tuple[Verdict, str]:
    """Decide by the median latencies. The peer's clock and its own time per call explain a part of the difference."""
    ours = median(each.ours.median_ms for each in rounds)
    own = median([each.peers.own_ms or 0.0 for each in rounds])
    least, most = 1 - AGREEMENT_MARGIN - _CLOCK_MS / ours, 1 + AGREEMENT_MARGIN + (_CLOCK_MS + own) / ours
    middle = geometric_mean(latencies).middle
    difference = f"{ours * abs(middle - 1):.2f} ms"
    explained = f"their median latencies by {difference}, of which {peer} itself takes {own:.2f} ms per call"
    if least <= middle <= most:
        return "agree", f"{why}, {explained}"
    # A median close to zero has no lower limit, because the clock cannot measure it.
    if _test_range(latencies, max(least, 1e-9), most).outcome is Outcome.FAILED:
        return "differ", f"{why}, but {explained}"
    return "unsure", f"{why}, but {explained}; the rounds scatter too much"
