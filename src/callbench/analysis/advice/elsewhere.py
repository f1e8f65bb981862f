"""The decision of an advice in other places than the one that was measured: other messages, calls a second, a mix.

A place contradicts an advice if another stack is advised there, or none. It agrees if all that is advised here is
advised there too. Where it is undecided there, it does neither.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from callbench.analysis.advice.checks import Check, Error
from callbench.analysis.advice.choice import AdviceVerdict, Choice
from callbench.analysis.advice.decision import AdviceDecision, decide, named
from callbench.analysis.advice.figures import Every
from callbench.analysis.advice.scaling import Ladder, Scale, scaled
from callbench.model.situation import Goal, Situation
from callbench.stats.estimate.run_spread import UNKNOWN, RunSpread

FURTHEST = 100.0
"""So many times as much, or as little, is looked at."""
_STEPS = 7
_NARROWER = 5
"""So often the two places between which the advice changes are brought closer: to within 2 %."""


@dataclass(frozen=True)
class Measured:
    """What a decision elsewhere is computed from.

    Attributes:
        every: the figures of the record.
        ladders: what is known of several sizes of messages, by stack.
        tested: predictions held against measurements.
        error: how far a comparison of predictions can be off.
        here: the decision for what was measured.
        groups: the shares of the calls.
        spread: how rates differ from run to run on this machine.
    """

    every: Every
    ladders: Mapping[str, Ladder]
    tested: Sequence[Check]
    error: Error
    here: AdviceDecision
    groups: Mapping[str, float]
    spread: RunSpread = UNKNOWN

    @property
    def situation(self) -> Situation:
        """What was asked for."""
        return self.here.situation


@dataclass(frozen=True)
class Place:
    """Another place.

    Attributes:
        every: the figures there.
        groups: the shares of the calls there.
        situation: what is asked for there.
    """

    every: Every
    groups: Mapping[str, float]
    situation: Situation


@dataclass(frozen=True)
class Turn:
    """Where an advice changes.

    Attributes:
        factor: how many times as much as here: the nearest where it was seen to be another.
        names: what is advised there; none where nothing is.
    """

    factor: float
    names: Sequence[str]


def with_messages(measured: Measured, scale: Scale) -> Place | None:
    """Give the place where messages have another size; None where nothing says what stacks need there."""
    every = scaled(measured.every, measured.ladders, scale)
    return None if every is None else Place(every, measured.groups, measured.situation)


def with_calls(measured: Measured, factor: float) -> Place | None:
    """Give the place with so many times the calls a second; None where the choice does not go by them."""
    calls = measured.situation.calls_per_s
    if calls is None or measured.situation.goal is not Goal.MONEY:
        return None
    return Place(measured.every, measured.groups, replace(measured.situation, calls_per_s=calls * factor))


def with_mix(measured: Measured, group: str, factor: float) -> Place:
    """Give the place where one call is made so many times as often as each other one."""
    weights = {name: factor if name == group else 1.0 for name in measured.groups}
    total = sum(weights.values())
    shares = {name: weight / total for name, weight in weights.items()}
    return Place(measured.every, shares, measured.situation)


def choice_at(measured: Measured, place: Place) -> Choice:
    """Decide in another place."""
    return decide(place.every, place.situation, place.groups, measured.tested, measured.error, measured.spread).choice


def contradicts(here: AdviceDecision, there: Choice) -> bool:
    """Whether another place is decided, and advises nothing of what is advised here."""
    if there.verdict is AdviceVerdict.UNDECIDED or agrees(here, there):
        return False
    today = here.situation.today
    return not set(named(here.choice, today)) & set(named(there, today))


def agrees(here: AdviceDecision, there: Choice) -> bool:
    """Whether all that is advised here is advised in another place too; or nothing can be, in either."""
    today = here.situation.today
    if here.choice.verdict is AdviceVerdict.NONE:
        return there.verdict is AdviceVerdict.NONE
    return set(named(here.choice, today)) <= set(named(there, today))


def turn(measured: Measured, at: Callable[[float], Place | None], end: float) -> Turn | None:
    """Find the nearest place on the way to an end at which the advice is another one; None if there is none.

    Args:
        measured: what is known. Its advice is decided.
        at: gives the place at a factor.
        end: the factor that is the furthest: above 1, or below it. 0: a hundredth, and then 0.
    """
    before = 1.0
    for factor in _steps(end):
        turned = _turned(measured, at, factor)
        if turned is not None:
            return _nearer(measured, at, before, turned)
        before = factor
    return None


def _steps(end: float) -> Sequence[float]:
    if end > 0:
        return [float(factor) for factor in np.geomspace(1.0, end, _STEPS)[1:]]
    return [*(float(factor) for factor in np.geomspace(1.0, 1 / FURTHEST, _STEPS)[1:]), 0.0]


def _turned(measured: Measured, at: Callable[[float], Place | None], factor: float) -> Turn | None:
    place = at(factor)
    if place is None:
        return None
    there = choice_at(measured, place)
    if not contradicts(measured.here, there):
        return None
    return Turn(factor, named(there, measured.situation.today))


def _nearer(measured: Measured, at: Callable[[float], Place | None], before: float, nearest: Turn) -> Turn:
    """Halve the way between a place that does not contradict and one that does."""
    for _ in range(_NARROWER):
        middle = (before * nearest.factor) ** 0.5 if nearest.factor else before / 2
        nearer = _turned(measured, at, middle)
        if nearer is None:
            before = middle
        else:
            nearest = nearer
    return nearest
