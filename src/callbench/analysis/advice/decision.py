"""The decision of an advice: who takes part, who meets the objective, and which of them has the least of the goal.

It is computed once from what was measured, and again for each other size that an assumed message can have.
"""

import itertools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from callbench.analysis.advice.between_runs import ALONE, BetweenRuns, noise_of
from callbench.analysis.advice.checks import Check, Error, off_by
from callbench.analysis.advice.choice import AdviceVerdict, Choice, choose
from callbench.analysis.advice.figures import Every
from callbench.analysis.advice.languages import TakingPart, taking_part
from callbench.analysis.advice.prediction import (
    at_least,
    here_alone,
    is_at_most,
    known_latency_us,
    least_ms,
    measured_links,
    mixed,
    percentile_of,
    value,
)
from callbench.analysis.advice.requirements import LeftOutStack, candidates
from callbench.analysis.advice.savings import MEAN, amount_of, candidate_amounts, slowest_us
from callbench.model.situation import Goal, Situation, SituationLink
from callbench.stats.decide.decision import Outcome
from callbench.stats.estimate.contrast import ByBlock
from callbench.stats.estimate.difference import Difference
from callbench.stats.estimate.run_spread import UNKNOWN, RunSpread

_Here = Mapping[str, ByBlock]


@dataclass(frozen=True)
class ObjectiveCheck:
    """Whether a candidate meets the objective over a link.

    Attributes:
        ms: the latency that the objective is of, with its interval over the forks.
        outcome: passed where the whole interval lies under the limit, failed where it lies above.
        measured: whether it was measured; predicted otherwise.
        at_least: whether `ms` is only what the link takes by itself, which is too long already.
    """

    stack: str
    link: str
    ms: Difference
    outcome: Outcome
    measured: bool
    at_least: bool = False


@dataclass(frozen=True)
class AdviceDecision:
    """What was decided, and from what.

    Attributes:
        situation: what was asked for; what runs today is the stack whose figures count for its protocol.
        goals: what the goal wants small, by candidate and fork: µs, money of a month or bytes.
        left_out: stacks that are no candidates.
        failing: candidates that fail the objective over a link, and so are out.
        met: every candidate's latencies beside the objective.
        choice: of the candidates that are left.
        at_most: those whose values are upper bounds.
        unsure: what would be advised, and is not shown to meet the objective: so nothing is.
        languages: whose stacks are candidates, if the situation names languages.
    """

    situation: Situation
    goals: Mapping[str, ByBlock]
    left_out: Sequence[LeftOutStack]
    failing: Sequence[str]
    met: Sequence[ObjectiveCheck]
    choice: Choice
    at_most: Collection[str]
    unsure: Sequence[str]
    languages: TakingPart


def decide(  # noqa: PLR0913, PLR0917 - what is known, and how sure it is
    every: Every,
    situation: Situation,
    groups: Mapping[str, float],
    tested: Sequence[Check],
    error: Error,
    spread: RunSpread = UNKNOWN,
) -> AdviceDecision:
    """Decide.

    Args:
        every: the figures of the record.
        situation: what is asked for.
        groups: the shares of the calls.
        tested: predictions held against measurements.
        error: how far a comparison of predictions can be off.
        spread: how rates differ from run to run on this machine.
    """
    names, out = candidates(every, situation, groups)
    names, others, languages = taking_part(every, names, situation, groups)
    situation = replace(situation, today=languages.counted_for(situation.today))
    met = _met(every, names, situation, groups, tested)
    failing = [
        name
        for name in names
        if any(requirement.stack == name and requirement.outcome is Outcome.FAILED for requirement in met)
    ]
    goals = _goals(every, [name for name in names if name not in failing], situation, groups)
    least = _least(every, goals, situation, groups)
    worth = situation.worth if situation.goal is Goal.MONEY else 0.0
    here = _here(every, goals, situation, groups)
    shares = _shares(here, goals)
    # Times that Callbench limited were measured; a bound by a clock's tick is no measurement.
    timed, told = situation.goal is Goal.TIME, {name: values for name, values in here.items() if name not in least}
    spent = all(values and min(values.values()) > 0 for values in here.values())
    choice = choose(goals, situation.today, situation.margin, error.log, worth=worth,
                    between=_between(every, groups, shares, spread), least=least,
                    noise=noise_of(here if timed else told, shares) if spent else None,
                    amounts=_money(every, goals, situation, groups) if worth else None)  # fmt: skip
    unsure = _unsure(choice, met, situation)
    if unsure:
        choice = replace(choice, verdict=AdviceVerdict.UNDECIDED, leave=False)
    return AdviceDecision(
        situation=situation,
        goals=goals,
        left_out=[*out, *others],
        failing=failing,
        met=met,
        choice=choice,
        at_most=list(least),
        unsure=unsure,
        languages=languages,
    )


def _least(every: Every, names: Iterable[str], situation: Situation, groups: Mapping[str, float]) -> dict[str, ByBlock]:
    """Give what the values of candidates are not below, where they are upper bounds."""
    found = {}
    for name in names:
        each = {group: every[name, group] for group in groups}
        if any(is_at_most(figures, situation) for figures in each.values()):
            own = {group: value(at_least(figures), situation, situation.goal) for group, figures in each.items()}
            found[name] = mixed(every, name, groups, own)
    return found


def _money(
    every: Every, goals: Mapping[str, ByBlock], situation: Situation, groups: Mapping[str, float]
) -> dict[str, Difference]:
    """Give the money of a month of each candidate, as the page has it."""
    return candidate_amounts(every, list(goals), situation, groups, links=(), off=lambda *_: 0.0)


def _here(every: Every, goals: Mapping[str, ByBlock], situation: Situation, groups: Mapping[str, float]) -> _Here:
    """Give the part of what the goal wants small that this machine's work makes, by candidate and fork."""
    return {
        name: mixed(every, name, groups, {group: here_alone(every[name, group], situation) for group in groups})
        for name in goals
    }


def _shares(here: _Here, goals: Mapping[str, ByBlock]) -> dict[str, float]:
    """Give what share of each value that part is."""
    shares = {}
    for name, values in goals.items():
        common = sorted(here[name].keys() & values.keys())
        shares[name] = min(1.0, fmean(here[name][fork] / values[fork] for fork in common)) if common else 1.0
    return shares


def _between(every: Every, groups: Mapping[str, float], shares: Mapping[str, float], spread: RunSpread) -> BetweenRuns:
    """Give what other runs can differ by. What a link adds and what bytes cost is the same in each."""
    if spread.other is None:
        return ALONE
    return BetweenRuns(spread, {name: every[name, next(iter(groups))].kind for name in shares}, shares)


def named(choice: Choice, today: str) -> list[str]:
    """Name the stacks that a choice advises: none where it is undecided, or where no candidate is left."""
    return {
        AdviceVerdict.CHOOSE: [choice.best],
        AdviceVerdict.EITHER: list(choice.leaders),
        AdviceVerdict.STAY: [today],
    }.get(choice.verdict, [])


def _unsure(choice: Choice, met: Sequence[ObjectiveCheck], situation: Situation) -> list[str]:
    """Name what would be advised and is not shown to meet the objective over every link.

    Nor is what has no such latency, since too few calls know it.
    """
    if situation.objective is None:
        return []
    outcomes = {(requirement.stack, requirement.link): requirement.outcome for requirement in met}
    open_ = {None, Outcome.UNDECIDED}
    return [
        name
        for name in named(choice, situation.today)
        if any(outcomes.get((name, link.name)) in open_ for link in situation.links)
    ]


def _goals(every: Every, names: Sequence[str], situation: Situation, groups: Mapping[str, float]) -> dict[str, ByBlock]:
    """Give what the goal wants small, by candidate and fork."""
    links = measured_links(every, names, situation, groups)
    found = {}
    for name in names:
        own = {group: value(every[name, group], situation, situation.goal, links) for group in groups}
        if values := mixed(every, name, groups, own):
            found[name] = values
    return found


def _met(
    every: Every,
    names: Sequence[str],
    situation: Situation,
    groups: Mapping[str, float],
    tested: Sequence[Check],
) -> list[ObjectiveCheck]:
    """Hold every candidate against the objective, over every link.

    Where a latency was predicted, its interval is widened by how far such predictions were off.
    """
    objective = situation.objective
    if objective is None:
        return []
    found = []
    for name, link in itertools.product(names, situation.links):
        alone_ms = max(least_ms(every[name, group], link) for group in groups)
        known = _known_ms((every, name, groups), link, situation, tested, alone_ms)
        limit_ms = objective.limit_us / 1e3
        if known is not None and (outcome := _outcome(known[0], limit_ms)) is not Outcome.UNDECIDED:
            found.append(ObjectiveCheck(name, link.name, known[0], outcome, known[1]))
        elif alone_ms >= limit_ms:
            # Whatever else a call takes, and however few calls know it, this is too long.
            alone = Difference(alone_ms, alone_ms, None, 0)
            found.append(ObjectiveCheck(name, link.name, alone, Outcome.FAILED, measured=False, at_least=True))
        elif known is not None:
            found.append(ObjectiveCheck(name, link.name, known[0], Outcome.UNDECIDED, known[1]))
    return found


def _known_ms(
    of: tuple[Every, str, Mapping[str, float]],
    link: SituationLink,
    situation: Situation,
    tested: Sequence[Check],
    alone_ms: float,
) -> tuple[Difference, bool] | None:
    """Give the latency that the objective is of, and whether it was measured; None where too few calls know it."""
    every, name, groups = of
    share = situation.objective.share if situation.objective else None
    metric, words = ("mean_us", MEAN) if share is None else percentile_of(situation)
    values = slowest_us(every, name, groups, link, metric)
    if not values:
        return None
    ms = amount_of([us / 1e3 for us in values.values()])
    each = [every[name, group] for group in groups]
    measured = all(known_latency_us(figures, link.name, link.wire, metric)[1] for figures in each)
    if ms.low is None or ms.high is None:
        return ms, measured
    off = 1.0 if measured else math.exp(off_by(tested, link.name, words, ms.middle * 1e3))
    # No call is faster than its bytes and round trips on the link, however far a prediction may be off.
    low = ms.low if measured else max(ms.low / off, min(alone_ms, ms.middle))
    if any(figures.at_most and link.name not in figures.over for figures in each):
        # Callbench itself was the limit there, so the call may take less: no more than its link is known of that.
        low = min(low, alone_ms)
    return replace(ms, low=low, high=ms.high * off), measured


def _outcome(ms: Difference, limit: float) -> Outcome:
    if ms.low is None or ms.high is None:
        return Outcome.UNDECIDED
    return Outcome.PASSED if ms.high < limit else Outcome.FAILED if ms.low >= limit else Outcome.UNDECIDED
