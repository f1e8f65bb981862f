"""The choice: what to take, or to stay, or that it is undecided. The rule stands in docs/decisions and the guide."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from callbench.analysis.advice.between_runs import ALONE, BetweenRuns, Noise, noise_of
from callbench.stats.decide.best import Best, Estimated, least_of
from callbench.stats.decide.decision import DecidedComparison, Decision, Question, decided
from callbench.stats.estimate.contrast import ByBlock, fork_ratios
from callbench.stats.estimate.interval import CONFIDENCE, geometric_mean
from callbench.stats.estimate.logratio import LogRatio, paired

LEVEL = 1 - CONFIDENCE


class AdviceVerdict(StrEnum):
    """What an advice comes to."""

    CHOOSE = "choose"
    """One is shown to be better than every other; where something runs today, by more than the margin."""
    EITHER = "either"
    """Some lie within the margin of each other, or save less than a move is worth; no other is better by more."""
    STAY = "stay"
    """No other saves more than the margin against what runs today."""
    UNDECIDED = "undecided"
    """The record does not decide it."""
    NONE = "none"
    """No candidate meets what is required."""


@dataclass(frozen=True)
class Choice:
    """What was decided.

    Attributes:
        best: the candidate with the least value; empty where there is none.
        runner_up: the next one; empty where there is none.
        leaders: the best, and those not shown to be behind it; of several to choose from, those.
        leave: whether leaving what runs today is shown to pay.
        comparison: the best beside every other; None without candidates.
        moves: each other candidate beside what runs today, Holm-corrected; better is less.
    """

    verdict: AdviceVerdict
    best: str = ""
    runner_up: str = ""
    leaders: Sequence[str] = ()
    leave: bool = False
    comparison: Best | None = None
    moves: Mapping[str, DecidedComparison] | None = None


def choose(  # noqa: PLR0913, PLR0917 - the values and all that they are held against
    values: Mapping[str, ByBlock],
    today: str,
    margin: float,
    error: float,
    level: float = LEVEL,
    at_most: Collection[str] = (),
    worth: float = 0.0,
    between: BetweenRuns = ALONE,
    least: Mapping[str, ByBlock] | None = None,
    noise: Noise | None = None,
) -> Choice:
    """Decide.

    Args:
        values: what is to be small, by candidate and fork.
        today: the candidate that runs today; empty: none does.
        margin: the difference that does not matter, as a share.
        error: how far a comparison can be off besides chance, as a log-ratio.
        level: the chance of a wrong name.
        at_most: candidates whose values are upper bounds. What such a bound reaches is not decided, unless it would
            be the same with the least that the value can be.
        worth: the least that a move has to save, in the unit of the values: a share of little is little. Candidates
            that differ by less are alike.
        between: what other runs on this machine can differ by.
        least: of those candidates, what their values are not below; without one that is not known.
        noise: how values vary from fork to fork; None: as all of the values here say together.
    """
    of_forks = noise_of(values, {}) if noise is None else noise

    def estimated(names: tuple[str, str], ratio: LogRatio) -> LogRatio:
        return between.beyond(names, of_forks.moderated(names, ratio))

    def chosen(of: Mapping[str, ByBlock]) -> Choice:
        return _chosen(of, today, margin, error, level, worth, estimated)

    found, floors = chosen(values), least or {}
    ahead = found.comparison.leaders if found.comparison else ()
    bounded = {today, *ahead} & values.keys() & set(at_most)
    if not bounded:
        return found
    lower = [{name: floors.get(name, {}) for name in names} for names in (*([name] for name in bounded), bounded)]
    if all(all(known.values()) and _stands(found, chosen({**values, **known}), margin) for known in lower):
        return found
    return replace(found, verdict=AdviceVerdict.UNDECIDED, leave=False)


def _chosen(  # noqa: PLR0913, PLR0917 - as above
    values: Mapping[str, ByBlock],
    today: str,
    margin: float,
    error: float,
    level: float,
    worth: float,
    estimated: Estimated,
) -> Choice:
    """Decide as if every value were known."""
    if not values:
        return Choice(AdviceVerdict.NONE)
    bound = math.log1p(margin)
    smallest = min(geometric_mean(list(forks.values())).middle for forks in values.values())
    # Of those that are left, what one costs more than another does not matter either where no move would pay for it.
    alike = max(bound, math.log1p(worth / smallest))
    best = least_of(values, level, alike, error, estimated)
    runner_up = best.others[0].name if best.others else ""
    found = Choice(AdviceVerdict.UNDECIDED, best.name, runner_up, best.leaders, comparison=best)
    if today not in values:
        return _among(found, best)
    others = {name: ratios for name in values if name != today
              if len(ratios := fork_ratios([values[name]], [values[today]])) > 1}  # fmt: skip
    questions = [
        Question(estimated((name, today), paired(ratios)), bound, less_is_better=True)
        for name, ratios in others.items()
    ]
    moves = dict(zip(others, decided(questions, level, error), strict=True))
    found = replace(found, moves=moves)
    now = geometric_mean(list(values[today].values())).middle
    if best.name == today or not _pays(best.name, moves, margin) or now * (1 - moves[best.name].ratio.middle) <= worth:
        whole = len(moves) == len(values) - 1
        # What is worth nothing, as a margin: a value of now - worth is below now by it.
        little = math.inf if worth >= now else worth / (now - worth)
        nothing = whole and all(_saves_at_most(move, max(margin, little), error) for move in moves.values())
        return replace(found, verdict=AdviceVerdict.STAY if nothing else AdviceVerdict.UNDECIDED)
    return _among(replace(found, leave=True), best)


def _stands(found: Choice, other: Choice, margin: float) -> bool:
    """Whether what was found is true as well where another choice is the right one."""
    if found.leave != other.leave:
        return False
    if found.verdict is AdviceVerdict.EITHER and other.comparison is not None:
        ends = {beside.name: beside.ratio.high for beside in other.comparison.others if beside.ratio is not None}
        near = {name for name, high in ends.items() if high is not None and high <= 1 + margin}
        return {*found.leaders} <= {other.best, *near}
    return found.verdict is other.verdict and (found.verdict is not AdviceVerdict.CHOOSE or found.best == other.best)


def _among(found: Choice, best: Best) -> Choice:
    """Say whether the best is the one, or one of several that no other is better than, or neither is shown."""
    if best.shown:
        return replace(found, verdict=AdviceVerdict.CHOOSE)
    if best.safe:
        return replace(found, verdict=AdviceVerdict.EITHER, leaders=best.alike)
    return found


def _pays(name: str, moves: Mapping[str, DecidedComparison], margin: float) -> bool:
    """Whether a move is shown to save something, and saves more than the margin as far as is known."""
    move = moves.get(name)
    return move is not None and move.decision is Decision.BETTER and move.ratio.middle * (1 + margin) < 1


def _saves_at_most(move: DecidedComparison, margin: float, error: float) -> bool:
    """Whether a move is shown to save no more than the margin."""
    if move.decision in (Decision.EQUIVALENT, Decision.WORSE):
        return True
    low = move.ratio.low
    return low is not None and math.log(low) - error >= -math.log1p(margin)
