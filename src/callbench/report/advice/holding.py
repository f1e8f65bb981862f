"""How far an advice holds, in sentences: its condition, what it depends on, and what would change it."""

from collections.abc import Iterator, Sequence

from callbench.analysis.advice.advice import Advice
from callbench.analysis.advice.assumed import MOST, Assumption, Case, Holds
from callbench.analysis.advice.changes import Change
from callbench.analysis.advice.choice import AdviceVerdict
from callbench.analysis.advice.elsewhere import FURTHEST, Turn
from callbench.analysis.wording.words import either, listed
from callbench.report.advice.amounts import along
from callbench.stats.estimate.digits import figure

_IF = {
    Assumption.ANSWERS: "answers are as large as requests",
    Assumption.PAYLOADS: "messages are as large as those made from the schema",
    Assumption.MIX: "all calls are made equally often",
}
_RANGE = {
    Assumption.ANSWERS: f"answers from empty to {MOST:g} times their request",
    Assumption.PAYLOADS: f"messages from a tenth to {MOST:g} times those made from the schema",
    Assumption.MIX: f"each call made up to {MOST:g} times as often as each other one",
}
_GIVE = {
    Assumption.ANSWERS: "the answers of your service",
    Assumption.PAYLOADS: "samples of your messages",
    Assumption.MIX: "the shares of the calls",
}


def condition(advice: Advice) -> str:
    """Write under what an advice holds, before its sentence; nothing where it holds for all that is assumed."""
    if advice.assumed.outcome is not Holds.CONDITION or advice.choice.verdict is AdviceVerdict.UNDECIDED:
        return ""
    return f"If {listed([_IF[kind] for kind in advice.assumed.assumed if not _everywhere(advice, kind)])}: "


def depends_on_assumed(advice: Advice) -> str:
    """Say that there is no advice, because another one is shown for something else that may well be."""
    against = [case for case in advice.assumed.cases if case.outcome is Holds.DEPENDS]
    kinds = list(dict.fromkeys(case.assumption for case in against))
    here = _advised(advice.assumed.here, advice)
    parts = [
        f"If {listed([_IF[kind] for kind in kinds])}: {here}.",
        *(_elsewhere(advice, kind, against) for kind in kinds),
    ]
    return f"Undecided: it depends on {listed([_GIVE[kind] for kind in kinds])}. {' '.join(parts)}"


def reach(advice: Advice) -> Iterator[str]:
    """Say for what an advice was computed, and of what its figures are."""
    looked = [kind for kind in advice.assumed.assumed if advice.assumed.of(kind)]
    if not looked:
        return
    ranges = listed([_RANGE[kind] for kind in looked])
    if advice.assumed.outcome is Holds.EVERYWHERE:
        yield f"This holds for {ranges}."
    yield f"Costs and savings span {ranges}. Ratios are those of what was measured."


def changing(advice: Advice) -> Iterator[str]:
    """Say what would change an advice: the nearest other places with another one."""
    turns = [part for change in advice.changes for part in _parts(change, advice)]
    if turns:
        yield f"What would change it: {listed(turns)}."
    for change in advice.changes:
        if change.below is None and change.above is None:
            yield f"{_all_of(change)} changes it."


def _parts(change: Change, advice: Advice) -> Iterator[str]:
    fewer, of = ("fewer", "") if change.unit == "calls/s" else ("less", "answers of ")
    for word, turn in ((fewer, change.below), ("more", change.above)):
        if turn is None:
            continue
        then = f"then {_advised(turn.names, advice)}" if turn.names else "then no candidate is left"
        if turn.factor:
            yield f"{of}{word} than {_amount(change.here * turn.factor, change)} ({then})"
        else:
            yield f"empty answers ({then})"


def _all_of(change: Change) -> str:
    most = _amount(change.here * FURTHEST, change)
    if change.unit == "calls/s":
        return f"No rate from {_amount(change.here / FURTHEST, change)} to {most}"
    return f"No answer of up to {most}"


def _amount(value: float, change: Change) -> str:
    return along(value, change.unit) if change.unit == "bytes" else f"{figure(value, 0.02)} {change.unit}"


def _everywhere(advice: Advice, assumption: Assumption) -> bool:
    cases = advice.assumed.of(assumption)
    return bool(cases) and all(case.outcome is Holds.EVERYWHERE for case in cases)


def _advised(names: Sequence[str], advice: Advice) -> str:
    today = advice.situation.today
    if list(names) == [today]:
        return f"stay with {today}"
    return either(names) if names else "no candidate"


def _elsewhere(advice: Advice, kind: Assumption, against: Sequence[Case]) -> str:
    """Say where the advice is another one: the nearest sizes, or the calls that are made more often."""
    if kind is Assumption.MIX:
        case = next(case for case in against if case.assumption is kind)
        return f"If {case.group} is made {case.factor:g} times as often as others: {_advised(case.names, advice)}."
    turns = [turn for assumption, turn in advice.assumed.turns if assumption is kind]
    return " ".join(_turned(turn, advice) for turn in turns)


def _turned(turn: Turn, advice: Advice) -> str:
    then = _advised(turn.names, advice)
    if not turn.factor:
        return f"If they are empty: {then}."
    if turn.factor < 1:
        return f"If they are at most {figure(turn.factor, 0.02)} times as large: {then}."
    return f"If they are at least {figure(turn.factor, 0.02)} times as large: {then}."
