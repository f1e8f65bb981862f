"""Whether an advice holds for all that its assumptions can be: answers that nobody gave, payloads, a mix of calls."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from callbench.analysis.advice.choice import AdviceVerdict, Choice
from callbench.analysis.advice.decision import named
from callbench.analysis.advice.elsewhere import (
    Measured,
    Place,
    Turn,
    agrees,
    choice_at,
    contradicts,
    turn,
    with_messages,
    with_mix,
)
from callbench.analysis.advice.savings import CostLine
from callbench.analysis.advice.scaling import Scale
from callbench.stats.estimate.difference import Difference

MOST = 10.0
"""An answer that nobody gave has up to so many times the bytes of its request, or none. Of payloads that are made from
a schema, it is the factor both ways. One call may be made so many times as often as each other one."""
_ANSWERS, _PAYLOADS = (0.0, 0.1, 3.0, MOST), (1 / MOST, 0.3, 3.0, MOST)
_GROUPS = 12
"""So many calls of a mix are looked at, the first ones: each takes a decision of its own."""


@dataclass(frozen=True)
class Invented:
    """Calls whose messages are not the user's.

    Attributes:
        answers: calls whose answer nobody gave: the server sends the request back.
        payloads: calls whose request and answer are made from the schema.
    """

    answers: frozenset[str] = frozenset()
    payloads: frozenset[str] = frozenset()


NOTHING = Invented()


class Holds(StrEnum):
    """How far an advice holds."""

    KNOWN = "known"
    """Nothing is assumed of messages and calls."""
    EVERYWHERE = "everywhere"
    """It is shown for all that was assumed."""
    CONDITION = "condition"
    """It is not shown elsewhere, and nothing contradicts it there."""
    DEPENDS = "depends"
    """Elsewhere another advice is shown, so there is none."""


class Assumption(StrEnum):
    """What is assumed."""

    ANSWERS = "answers"
    PAYLOADS = "payloads"
    MIX = "mix"


@dataclass(frozen=True)
class Case:
    """One of the things that an assumption can be.

    Attributes:
        assumption: which.
        factor: how many times as much as was measured.
        place: the figures and shares there.
        outcome: whether the advice holds there.
        names: what is advised there.
        choice: there, with its ratios.
        group: of a mix, the call that is made more often.
    """

    assumption: Assumption
    factor: float
    place: Place
    outcome: Holds
    names: Sequence[str]
    choice: Choice
    group: str = ""


@dataclass(frozen=True)
class AssumedRange:
    """An advice over all that its assumptions can be.

    Attributes:
        outcome: whether it holds.
        assumed: what is assumed; those that nothing says more of are among them.
        cases: what was looked at.
        turns: of answers and of payloads, the nearest sizes with another advice: a smaller and a larger one.
        here: what is advised for what was measured.
    """

    outcome: Holds
    assumed: Sequence[Assumption] = ()
    cases: Sequence[Case] = ()
    turns: Sequence[tuple[Assumption, Turn]] = ()
    here: Sequence[str] = ()

    def of(self, assumption: Assumption) -> Sequence[Case]:
        """Return the cases of one assumption."""
        return [case for case in self.cases if case.assumption is assumption]


NOTHING_ASSUMED = AssumedRange(Holds.KNOWN)


def assumed_range(measured: Measured, invented: Invented) -> AssumedRange:
    """Decide an advice again for all that its assumptions can be.

    Args:
        measured: what is known.
        invented: the calls with messages that nobody gave.
    """
    scales = dict(_scales(measured, invented))
    places = [
        (assumption, factor, place, "")
        for assumption, (calls, factors) in scales.items()
        for factor in factors
        if (place := with_messages(measured, _at(assumption, calls, factor))) is not None
    ]
    mixed = len(measured.groups) > 1 and not measured.situation.groups
    groups = list(measured.groups)[:_GROUPS] if mixed else []
    places += [(Assumption.MIX, MOST, with_mix(measured, group, MOST), group) for group in groups]
    assumed = [*scales, *([Assumption.MIX] if mixed else [])]
    if not assumed:
        return NOTHING_ASSUMED
    cases = [_case(measured, *place) for place in places]
    outcome = _worst(measured, assumed, cases)
    turns = [*_turns(measured, scales)] if outcome is Holds.DEPENDS else []
    here = named(measured.here.choice, measured.situation.today)
    return AssumedRange(outcome, assumed, cases, turns, here)


def _scales(
    measured: Measured, invented: Invented
) -> Iterator[tuple[Assumption, tuple[frozenset[str], Sequence[float]]]]:
    """Give the assumptions of messages: the calls that each is of, and how many times as much is looked at."""
    calls = {figures.call for (_, group), figures in measured.every.items() if group in measured.groups}
    if answers := invented.answers & calls:
        yield Assumption.ANSWERS, (answers, _ANSWERS)
    if payloads := (invented.payloads - invented.answers) & calls:
        yield Assumption.PAYLOADS, (payloads, _PAYLOADS)


def _at(assumption: Assumption, calls: frozenset[str], factor: float) -> Scale:
    return Scale(calls, answers=factor, requests=factor if assumption is Assumption.PAYLOADS else 1.0)


def _case(measured: Measured, assumption: Assumption, factor: float, place: Place, group: str) -> Case:
    there = choice_at(measured, place)
    outcome = Holds.CONDITION
    if contradicts(measured.here, there):
        outcome = Holds.DEPENDS
    elif agrees(measured.here, there):
        outcome = Holds.EVERYWHERE
    names = named(there, measured.situation.today)
    return Case(assumption, factor, place, outcome=outcome, names=names, choice=there, group=group)


def _worst(measured: Measured, assumed: Sequence[Assumption], cases: Sequence[Case]) -> Holds:
    """Say how far the advice holds. What is undecided here is no advice that could depend on anything."""
    if measured.here.choice.verdict is AdviceVerdict.UNDECIDED:
        return Holds.CONDITION
    outcomes = {case.outcome for case in cases}
    if Holds.DEPENDS in outcomes:
        return Holds.DEPENDS
    known = {case.assumption for case in cases}
    return Holds.EVERYWHERE if outcomes == {Holds.EVERYWHERE} and known == set(assumed) else Holds.CONDITION


def _turns(
    measured: Measured, scales: Mapping[Assumption, tuple[frozenset[str], Sequence[float]]]
) -> Iterator[tuple[Assumption, Turn]]:
    """Find the nearest sizes of messages at which the advice is another one."""
    for assumption, (calls, factors) in scales.items():
        for end in (factors[0], MOST):

            def at(factor: float, assumption: Assumption = assumption, calls: frozenset[str] = calls) -> Place | None:
                return with_messages(measured, _at(assumption, calls, factor))

            if turned := turn(measured, at, end):
                yield assumption, turned


def spanned(here: Sequence[CostLine], elsewhere: Sequence[Sequence[CostLine]]) -> list[CostLine]:
    """Widen the intervals of what stacks cost by those of all cases of what is assumed."""
    lines = []
    for line in here:
        others = [other for each in elsewhere for other in each if (other.name, other.unit) == (line.name, line.unit)]
        lines.append(
            replace(
                line,
                own=_over(line.own, [other.own for other in others]) or line.own,
                other=_over(line.other, [other.other for other in others]),
                saved=_over(line.saved, [other.saved for other in others]),
            )
        )
    return lines


def spanned_amounts(
    here: Mapping[str, Difference], elsewhere: Sequence[Mapping[str, Difference]]
) -> dict[str, Difference]:
    """Widen the intervals of what candidates need, as `spanned` does."""
    return {name: _over(amount, [other.get(name) for other in elsewhere]) or amount for name, amount in here.items()}


def _over(here: Difference | None, others: Sequence[Difference | None]) -> Difference | None:
    """Take the interval that has all others in it. One that has no ends adds nothing."""
    if here is None or here.low is None or here.high is None:
        return here
    low, high = here.low, here.high
    for other in others:
        if other is not None and other.low is not None and other.high is not None:
            low, high = min(low, other.low), max(high, other.high)
    return Difference(here.middle, low, high, here.forks)
