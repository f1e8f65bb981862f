"""Published claims tested against a run: a ratio, its interval, and whether that lies within the threshold."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from callbench.analysis.cells.results import Result, Results
from callbench.catalog.study import Study
from callbench.catalog.study.cells import LOOPBACK
from callbench.catalog.study.claim import ClaimedRatio, comparisons
from callbench.catalog.study.places import link_of, published_figure
from callbench.catalog.study.report_parts import ClaimPart
from callbench.model.metrics.metric import Better
from callbench.model.metrics.registry import METRICS, OF_TIME, SHARED_SPREAD
from callbench.stats.decide.decision import Outcome, Range, RangeTest, ranged
from callbench.stats.estimate.contrast import fork_ratios
from callbench.stats.estimate.interval import CONFIDENCE, Interval, geometric_mean
from callbench.stats.estimate.logratio import LogRatio, paired
from callbench.stats.estimate.run_spread import RunSpread

# Of a test, unless another is asked for.
LEVEL = 1 - CONFIDENCE

# What names a stack in the conditions of a comparison; the rest names one of its cells.
_NAMES = ("stack", "message", "channel", "adapter", "language")


class Verdict(StrEnum):
    """What a run says of a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    UNDECIDED = "undecided"
    UNMEASURED = "not measured"


_VERDICTS = {
    Outcome.PASSED: Verdict.HOLDS,
    Outcome.FAILED: Verdict.FAILS,
    Outcome.UNDECIDED: Verdict.UNDECIDED,
}


@dataclass(frozen=True)
class ClaimComparison:
    """One comparison and its result.

    Attributes:
        ratio: product(over) / product(under), or its root, paired within forks; None if a cell is missing.
        published: the ratio of the same cells in the published tables, or None.
        why: why it was not measured, else "".
        margin: how far the ratio lies within its threshold, as a logarithm; negative outside.
        tested: what could have been detected, and how many more forks would settle it; None if it was not measured.
        bounded: whether it is undecided because a rate in it is only a lower bound.
        stand_in: what one of its cells stands in for, or "".
        beyond: the same ratio with what it differs by from run to run on this machine, which the verdict is of; None
            if nothing is known of that, and the verdict is of this run alone.
        decided_alone: whether this run alone, without that, would decide it.
    """

    comparison: ClaimedRatio
    verdict: Verdict
    ratio: Interval | None
    published: float | None
    why: str
    margin: float
    tested: RangeTest | None = None
    bounded: bool = False
    stand_in: str = ""
    beyond: Interval | None = None
    decided_alone: bool = False

    @property
    def threshold(self) -> str:
        """The threshold in words: `above 1`."""
        low, high = self.comparison.low, self.comparison.high
        if low and math.isfinite(high):
            return f"{low:g} to {high:g}"
        return f"above {low:g}" if low else f"below {high:g}"


@dataclass(frozen=True)
class ClaimResult:
    """A claim, all its comparisons, and the one that decides.

    Attributes:
        text: what was claimed.
        reading: how the sentence became a number.
        deciding: the comparison that the verdict hangs on: the clearest failure, or the one nearest to failing.
        apart: comparisons with stand-ins, which do not decide a claim that originals decide.
    """

    id: str
    text: str
    reading: str
    statistic: str
    verdict: Verdict
    compared: Sequence[ClaimComparison]
    deciding: ClaimComparison
    apart: Sequence[ClaimComparison] = ()

    @property
    def every(self) -> list[ClaimComparison]:
        """Those that decide, then those that are judged apart."""
        return [*self.compared, *self.apart]

    def tally(self) -> dict[Verdict, int]:
        """Count the verdicts of the comparisons."""
        return {verdict: sum(judged.verdict is verdict for judged in self.compared) for verdict in Verdict}


def judge(study: Study, results: Results, level: float = LEVEL) -> list[ClaimResult]:
    """Test every claim of a study against a run, each at a level."""
    return [_judge_one(study, claim, results, level) for claim in study.claims]


def _judge_one(study: Study, claim: ClaimPart, results: Results, level: float) -> ClaimResult:
    """Test one claim against a run: all of its comparisons must hold, and a single failure fails it."""
    own, stand_ins = _parted(comparisons(claim), results)
    # Each kind by itself: what stands in for another takes nothing from what does not, not even by the correction.
    mine, apart = (compared(study, parts, claim.statistic, results, level) for parts in (own, stand_ins))
    if not any(judged.ratio for judged in mine):
        mine, apart = [*mine, *apart], []
    counted = [judged for judged in mine if judged.ratio or not judged.comparison.optional] or mine
    verdicts = {judged.verdict for judged in counted}
    order = (Verdict.FAILS, Verdict.UNDECIDED, Verdict.UNMEASURED, Verdict.HOLDS)
    worst = next(verdict for verdict in order if verdict in verdicts)
    deciding = min((judged for judged in counted if judged.verdict is worst), key=lambda judged: judged.margin)
    text = claim.text or (study.published.claims[claim.id] if study.published else "") or claim.id
    measured = [judged for judged in apart if judged.ratio]
    return ClaimResult(
        id=claim.id,
        text=text,
        reading=claim.reading,
        statistic=claim.statistic,
        verdict=worst,
        compared=counted,
        deciding=deciding,
        apart=measured,
    )


def _parted(parts: Sequence[ClaimedRatio], results: Results) -> tuple[list[ClaimedRatio], list[ClaimedRatio]]:
    """Part comparisons of originals from those in which a cell stands in for another."""
    own: list[ClaimedRatio] = []
    apart: list[ClaimedRatio] = []
    for part in parts:
        (apart if _stand_in(part, results) else own).append(part)
    return own, apart


def _stand_in(part: ClaimedRatio, results: Results) -> str:
    """Name what the cells of a comparison stand in for; "" if they are the originals."""
    stacks = {
        cell.attributes["stack"] for conditions in (*part.over, *part.under) for cell in results.where(conditions)
    }
    return "; ".join(dict.fromkeys(results.stand_ins[stack] for stack in sorted(stacks) if stack in results.stand_ins))


def compared(
    study: Study, parts: Sequence[ClaimedRatio], statistic: str, results: Results, level: float = LEVEL
) -> list[ClaimComparison]:
    """Take every ratio and test it against its threshold, together with the others."""
    ratios = [_ratios(part, statistic, results, study) for part in parts]
    estimated = [_estimated(part, statistic, found.values, results) for part, found in zip(parts, ratios, strict=True)]
    widened = [
        _beyond(part, statistic, known, found.kinds, results.run_spread)
        for part, known, found in zip(parts, estimated, ratios, strict=True)
    ]
    measured = [place for place, found in enumerate(ratios) if found.values]
    deciding = [wide or known for wide, known in zip(widened, estimated, strict=True)]
    alone, tested = (
        dict(zip(measured, ranged([_range(parts[place], of[place]) for place in measured], level), strict=True))
        for of in (estimated, deciding)
    )
    return [
        _compared_one(study, part, statistic, results, _Tested(known, wide, found, tested.get(place), alone.get(place)))
        for place, (part, known, wide, found) in enumerate(zip(parts, estimated, widened, ratios, strict=True))
    ]


def _range(part: ClaimedRatio, known: LogRatio | None) -> Range:
    low = math.log(part.low) if part.low else -math.inf
    return Range(known, low, math.log(part.high), math.log1p(part.margin))


@dataclass(frozen=True)
class _ForkRatios:
    """A ratio fork by fork.

    Attributes:
        values: none if it was not measured.
        kinds: of each of its cells, what it shares with those that differ alike from run to run.
        why: why it was not measured, else "".
    """

    values: Sequence[float] = ()
    kinds: Sequence[str] = ()
    why: str = ""


@dataclass(frozen=True)
class _Tested:
    """A ratio and what tests say of it.

    Attributes:
        known: estimated from the forks of this run; None from fewer than two.
        wide: the same with what it differs by from run to run; None if that is not known.
        found: fork by fork.
        test: of `wide`, else of `known`; None if it was not measured.
        alone: of `known`.
    """

    known: LogRatio | None
    wide: LogRatio | None
    found: _ForkRatios
    test: RangeTest | None
    alone: RangeTest | None


def _compared_one(
    study: Study, part: ClaimedRatio, statistic: str, results: Results, tested: _Tested
) -> ClaimComparison:
    """Put one comparison together, with the verdict on it."""
    values, test = tested.found.values, tested.test
    own = geometric_mean(values) if values else None
    ratio = tested.known.interval(CONFIDENCE) if tested.known else own
    decided_alone = tested.alone is not None and tested.alone.outcome is not Outcome.UNDECIDED
    if test is not None and tested.alone is not None and tested.wide is not None:
        # More forks narrow this run's own interval, and nothing of what runs differ by.
        test = replace(test, more_forks=None if decided_alone else tested.alone.more_forks)
    verdict = _VERDICTS[test.outcome] if test else Verdict.UNMEASURED
    bounded = ratio is not None and _refuted(verdict, part, ratio, _ways(part, statistic, results))
    return ClaimComparison(
        comparison=part,
        verdict=Verdict.UNDECIDED if bounded else verdict,
        ratio=ratio,
        published=published_ratio(study, part, statistic),
        why=tested.found.why,
        margin=_margin(part, ratio),
        tested=test,
        bounded=bounded,
        stand_in=_stand_in(part, results),
        beyond=tested.wide.interval(CONFIDENCE) if tested.wide else None,
        decided_alone=decided_alone,
    )


def _ways(part: ClaimedRatio, statistic: str, results: Results) -> tuple[bool, bool]:
    """Return whether the true ratio may be lower than the measured one, and whether it may be higher.

    A rate that is "at least" may be higher, and the times of such a cell may be lower. Of "at most", the reverse.
    """
    above = part.statistic or statistic
    lower = higher = False
    for cells, over, name in ((part.over, True, above), (part.under, False, part.under_statistic or above)):
        meant = [cell for conditions in cells for cell in results.where(conditions)] if name in OF_TIME else []
        up = over is (METRICS[name].better is Better.HIGHER)
        ways = {up for cell in meant if cell.at_least} | {not up for cell in meant if cell.at_most}
        lower, higher = lower or False in ways, higher or True in ways
    return lower, higher


def _refuted(verdict: Verdict, part: ClaimedRatio, ratio: Interval, ways: tuple[bool, bool]) -> bool:
    """Return whether a decided verdict is not certain, since the true ratio may be lower, or higher, than measured."""
    lower, higher = ways
    if verdict is Verdict.HOLDS:
        return (lower and bool(part.low)) or (higher and math.isfinite(part.high))
    if verdict is Verdict.FAILS:
        at_low = part.low and ratio.middle < part.low * (1 + part.margin)
        return higher if at_low else lower
    return False


def _estimated(part: ClaimedRatio, statistic: str, values: Sequence[float], results: Results) -> LogRatio | None:
    """Estimate a ratio from its forks; of rates and times with what all of the run's ratios say of how one varies."""
    if len(values) < 2:
        return None
    own = paired(values)
    if not _varies_as_rates(part, statistic):
        return own
    return results.prior.moderated(own, (len(part.over) + len(part.under)) / part.root**2)


def _beyond(
    part: ClaimedRatio, statistic: str, known: LogRatio | None, kinds: Sequence[str], spread: RunSpread
) -> LogRatio | None:
    """Widen a ratio by what its cells differ from run to run; None if nothing is known of that."""
    if known is None or not _varies_as_rates(part, statistic):
        return None
    return spread.beyond(known, kinds, part.root)


def _varies_as_rates(part: ClaimedRatio, statistic: str) -> bool:
    """Return whether both figures of a comparison vary as rates do, so that what is known of those holds for them."""
    above = part.statistic or statistic
    return {above, part.under_statistic or above} <= SHARED_SPREAD


def _margin(part: ClaimedRatio, ratio: Interval | None) -> float:
    """Measure how far a ratio lies within its threshold, as a logarithm."""
    if ratio is None:
        return 0.0
    below = math.log(ratio.middle / part.low) if part.low else math.inf
    above = math.log(part.high / ratio.middle) if math.isfinite(part.high) else math.inf
    return min(below, above)


def _ratios(part: ClaimedRatio, statistic: str, results: Results, study: Study) -> _ForkRatios:
    """Take the ratio fork by fork, or say why there is none."""
    over: list[Mapping[int, float]] = []
    under: list[Mapping[int, float]] = []
    kinds: list[str] = []
    above = part.statistic or statistic
    for side, cells, figure in ((over, part.over, above), (under, part.under, part.under_statistic or above)):
        for conditions in cells:
            matching = results.where(conditions)
            why = _missing(conditions, matching, figure, results, study)
            if why:
                return _ForkRatios(why=why)
            side.append(matching[0].by_fork[figure])
            kinds.append(matching[0].kind)
    values = [ratio ** (1 / part.root) for ratio in fork_ratios(over, under)]
    return _ForkRatios(values, kinds, "" if values else "no fork has all of its cells")


def _missing(
    conditions: Mapping[str, str], cells: Sequence[Result], statistic: str, results: Results, study: Study
) -> str:
    """Explain why a cell has no value, or nothing."""
    name = " ".join(conditions[key] for key in _NAMES if key in conditions) or "a cell"
    if len(cells) > 1:
        return f"{len(cells)} cells match {name}; the claim must name only one"
    if not cells:
        link = conditions.get("link") or link_of(study, conditions.get("group"))
        if link != LOOPBACK and not results.where({"link": link}):
            return f"needs a link ({link})"
        return f"{absent(name, conditions, results)} was not part of this run"
    first = cells[0]
    if statistic not in first.too_few and first.by_fork.get(statistic):
        return ""
    return f"{name}: {_no_value(first, statistic)}"


def _no_value(cell: Result, statistic: str) -> str:
    """Explain why a cell that was measured has no value."""
    if statistic in cell.costs:
        return f"{statistic} is too short for the clock of processor time in one fork"
    if statistic in cell.too_few:
        return cell.too_few[statistic]
    # Bytes are counted apart from the trials: they need no steady state.
    return "excluded" if cell.excluded else cell.not_steady or "no call was answered"


def absent(name: str, conditions: Mapping[str, str], results: Results) -> str:
    """Name what is not there: the whole stack, or one cell of it by what tells that from the others."""
    stack = {key: conditions[key] for key in _NAMES if key in conditions}
    rest = {key: value for key, value in conditions.items() if key not in stack}
    if not rest or (stack and not results.where(stack)):
        return name
    parts = []
    for key, value in rest.items():
        if key == "clients":
            parts.append(f"with {value} client" + ("" if value == "1" else "s"))
        elif key == "link":
            parts.append(f"over {value}")
        else:
            parts.append(f"in group {value}" if key == "group" else f"with {key} {value}")
    return f"{name} {' '.join(parts)}"


def published_ratio(study: Study, part: ClaimedRatio, statistic: str) -> float | None:
    """Compute the same ratio from the published tables of its statistics, or None if a value is missing there."""
    ratio = 1.0
    above = part.statistic or statistic
    for cells, power, figure in ((part.over, 1, above), (part.under, -1, part.under_statistic or above)):
        for conditions in cells:
            value = published_figure(study, conditions, figure)
            if not value:
                return None
            ratio *= value**power
    return float(ratio ** (1 / part.root))
