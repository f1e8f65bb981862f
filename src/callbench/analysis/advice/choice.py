"""The choice: what to take, or to stay, or that it is undecided. The rule stands in docs/decisions and the guide."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from callbench.analysis.advice.between_runs import ALONE, BetweenRuns, Noise, noise_of
from callbench.stats.decide.best import Best, Estimated, least_of
from callbench.stats.decide.decision import DecidedComparison, Decision, Question, decided
from callbench.stats.estimate.contrast import ByBlock, fork_ratios
from callbench.stats.estimate.difference import Difference, mean
from callbench.stats.estimate.interval import CONFIDENCE, geometric_mean
from callbench.stats.estimate.logratio import LogRatio, paired

LEVEL = 1 - CONFIDENCE
# Of an upper bound: what a value may be of which nothing else is known. Ratios need it to be above 0.
_NEARLY_NOTHING = 1e-9


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
        open_bounds: candidates whose values are upper bounds, and whose true values may decide otherwise.
    """

    verdict: AdviceVerdict
    best: str = ""
    runner_up: str = ""
    leaders: Sequence[str] = ()
    leave: bool = False
    comparison: Best | None = None
    moves: Mapping[str, DecidedComparison] | None = None
    open_bounds: Sequence[str] = ()


def choose(  # noqa: PLR0913, PLR0917 - the values and all that they are held against
    values: Mapping[str, ByBlock],
    today: str,
    margin: float,
    error: float,
    level: float = LEVEL,
    worth: float = 0.0,
    between: BetweenRuns = ALONE,
    least: Mapping[str, ByBlock] | None = None,
    noise: Noise | None = None,
    amounts: Mapping[str, Difference] | None = None,
) -> Choice:
    """Decide.

    Args:
        values: what is to be small, by candidate and fork.
        today: the candidate that runs today; empty: none does.
        margin: the difference that does not matter, as a share.
        error: how far a comparison can be off besides chance, as a log-ratio.
        level: the chance of a wrong name.
        worth: the least that a move has to save, in the unit of the values: a share of little is little. Candidates
            that differ by less are alike.
        between: what other runs on this machine can differ by.
        least: of candidates whose values are upper bounds, what these are not below; empty: nearly nothing. What is
            advised has to be right wherever the true values lie between the two.
        noise: how values vary from fork to fork; None: as all of the values here say together.
        amounts: of each candidate, the mean of its values with all that it can be: what is saved is a share of that.
    """
    of_forks = noise_of(values, {}) if noise is None else noise

    def estimated(names: tuple[str, str], ratio: LogRatio) -> LogRatio:
        return between.beyond(names, of_forks.moderated(names, ratio))

    def chosen(of: Mapping[str, ByBlock]) -> Choice:
        return _chosen(
            values=of, today=today, margin=margin, error=error, level=level, worth=worth, estimated=estimated,
            # Where another value than its bound is tried, its own mean is the amount.
            amounts={name: known for name, known in (amounts or {}).items() if of[name] is values[name]},
        )  # fmt: skip

    floors = {name: _floor(values[name], below) for name, below in sorted((least or {}).items()) if name in values}
    return _wherever_bounds_lie(values, today, floors, chosen)


_Chosen = Callable[[Mapping[str, ByBlock]], Choice]


def _floor(values: ByBlock, least: ByBlock) -> ByBlock:
    return {fork: min(value, max(least.get(fork, 0.0), _NEARLY_NOTHING * value)) for fork, value in values.items()}


def _wherever_bounds_lie(
    values: Mapping[str, ByBlock], today: str, floors: Mapping[str, ByBlock], chosen: _Chosen
) -> Choice:
    """Decide where some values are upper bounds: keep what is right wherever their true values lie.

    A candidate is worst off where its own value is its bound, and those of all others are the least they can be.
    """
    found = chosen(values)
    if not floors:
        return found

    def worst_for(name: str) -> Choice:
        return chosen({**values, **{other: least for other, least in floors.items() if other != name}})

    # What runs today is left for one that is no worse than its bound, if that pays against the least of today's.
    leave = found.leave and (today not in floors or chosen({**values, today: floors[today]}).leave)
    if found.verdict is AdviceVerdict.STAY and worst_for(today).verdict is AdviceVerdict.STAY:
        return found
    if found.leave == leave and found.verdict in (AdviceVerdict.CHOOSE, AdviceVerdict.EITHER):
        worst = {name: worst_for(name) for name in found.leaders}
        if found.verdict is AdviceVerdict.CHOOSE and _is_best(worst[found.best], found.best):
            return found
        safe = [name for name in found.leaders if name in _near(worst[name])]
        if found.best in safe:
            return replace(
                _behind_as_shown(found, worst[found.best], floors), verdict=AdviceVerdict.EITHER, leaders=safe
            )
    changing = [name for name, floor in floors.items() if not _same(found, chosen({**values, name: floor}))]
    return _left_open(replace(found, leave=leave), today, changing or list(floors))


def _behind_as_shown(found: Choice, worst: Choice, floors: Mapping[str, ByBlock]) -> Choice:
    """Call an upper bound behind only if the least that it stands for is."""
    if found.comparison is None or worst.comparison is None:
        return found
    behind = [rival.name for rival in worst.comparison.others if rival.behind and worst.best == found.best]
    others = [
        replace(rival, behind=False) if rival.name in floors and rival.name not in behind else rival
        for rival in found.comparison.others
    ]
    return replace(found, comparison=replace(found.comparison, others=others))


def _left_open(found: Choice, today: str, bounds: Sequence[str]) -> Choice:
    """Say that upper bounds leave a choice open: nothing that rests on one of them is shown."""
    leaders = [name for name in dict.fromkeys([*found.leaders, *bounds]) if not found.leave or name != today]
    comparison, moves = found.comparison, found.moves or {}
    if comparison is not None:
        beside = [
            replace(other, behind=False, equivalent=False, no_better=False)
            if other.name in bounds or (found.best in bounds and other.equivalent)
            else other
            for other in comparison.others
        ]
        comparison = replace(comparison, others=beside)
    unshown = {
        name: replace(move, decision=Decision.UNDECIDED)
        for name, move in moves.items()
        if today in bounds or (name in bounds and move.decision is not Decision.BETTER)
    }
    return replace(
        found,
        verdict=AdviceVerdict.UNDECIDED,
        leaders=leaders,
        comparison=comparison,
        moves=None if found.moves is None else {**moves, **unshown},
        open_bounds=bounds,
    )


def _is_best(worst: Choice, name: str) -> bool:
    return worst.best == name and worst.comparison is not None and worst.comparison.shown


def _near(choice: Choice) -> set[str]:
    """Name the best, and those that are shown to cost no more than matters beside it; none if one may be better."""
    if choice.comparison is None or not choice.comparison.safe:
        return set()
    most = choice.comparison.margin
    ends = {beside.name: beside.ratio.high for beside in choice.comparison.others if beside.ratio is not None}
    return {choice.best, *(name for name, high in ends.items() if high is not None and math.log(high) <= most)}


def _same(found: Choice, other: Choice) -> bool:
    return (found.verdict, found.leave, {*found.leaders}) == (other.verdict, other.leave, {*other.leaders})


def _chosen(  # noqa: PLR0913, PLR0917 - as above
    values: Mapping[str, ByBlock],
    today: str,
    margin: float,
    error: float,
    level: float,
    worth: float,
    estimated: Estimated,
    amounts: Mapping[str, Difference],
) -> Choice:
    """Decide as if every value were known."""
    if not values:
        return Choice(AdviceVerdict.NONE)
    bound = math.log1p(margin)

    def amount(name: str) -> tuple[float, float]:
        """What a candidate needs, and the most that it may need."""
        known = amounts.get(name) or mean(list(values[name].values()))
        return known.middle, known.middle if known.high is None else known.high

    smallest = min(values, key=lambda name: geometric_mean(list(values[name].values())).middle)
    # Of those that are left, what one costs more than another does not matter either where no move would pay for it.
    alike = max(bound, math.log1p(worth / amount(smallest)[1]))
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
    now, most = amount(today)
    if best.name == today or not _pays(best.name, moves, margin) or now * (1 - moves[best.name].ratio.middle) <= worth:
        whole = len(moves) == len(values) - 1
        # What is worth nothing, as a margin: a value of most - worth is below the most that today's can be by it.
        little = math.inf if worth >= most else worth / (most - worth)
        nothing = whole and all(_saves_at_most(move, max(margin, little)) for move in moves.values())
        return replace(found, verdict=AdviceVerdict.STAY if nothing else AdviceVerdict.UNDECIDED)
    return _among(replace(found, leave=True), best)


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


def _saves_at_most(move: DecidedComparison, margin: float) -> bool:
    """Whether a move is shown to save no more than the margin, by the interval that is shown."""
    if move.decision in (Decision.EQUIVALENT, Decision.WORSE):
        return True
    low = move.ratio.low
    return low is not None and low * (1 + margin) >= 1
