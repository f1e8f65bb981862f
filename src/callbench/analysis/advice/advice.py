"""The whole advice: candidates, the choice, what it saves, what that depends on, how far predictions are off."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from callbench.analysis.advice.assumed import (
    NOTHING,
    NOTHING_ASSUMED,
    AssumedRange,
    Holds,
    Invented,
    assumed_range,
    spanned,
    spanned_amounts,
)
from callbench.analysis.advice.changes import Change, changes
from callbench.analysis.advice.checks import Check, Error, checks, error_of, off_by
from callbench.analysis.advice.choice import AdviceVerdict, Choice, choose
from callbench.analysis.advice.decision import ObjectiveCheck, decide
from callbench.analysis.advice.elsewhere import Measured
from callbench.analysis.advice.figures import Every, Figures, read
from callbench.analysis.advice.languages import TakingPart
from callbench.analysis.advice.one_saving import with_one_saving
from callbench.analysis.advice.prediction import at_least, measured_links, mixed, value
from callbench.analysis.advice.regions import Regions, regions
from callbench.analysis.advice.requirements import LeftOutStack
from callbench.analysis.advice.savings import CostLine, candidate_amounts, lines
from callbench.analysis.advice.scaling import ladders
from callbench.analysis.advice.sleeping import with_added_time
from callbench.analysis.run.subject import Subject
from callbench.catalog.formats import plain
from callbench.model.cell import FORMAT
from callbench.model.errors import BadInput
from callbench.model.situation import Goal, Situation
from callbench.model.suggestions import allowed_names
from callbench.stats.estimate.contrast import ByBlock
from callbench.stats.estimate.difference import Difference
from callbench.stats.estimate.run_spread import UNKNOWN, RunSpread


@dataclass(frozen=True)
class Advice:
    """What a person is advised.

    Attributes:
        groups: the shares of the calls.
        goals: what the goal wants small, by candidate and fork: µs, money of a month or bytes.
        failing: candidates that fail the objective over a link, and so are out.
        met: every candidate's latencies beside the objective.
        lines: the figures of the choice beside today's, or beside the runner-up where nothing runs today.
        beside: the stack that the lines compare it with; empty: none.
        map: who wins where, by time; None where it says nothing.
        languages: whose stacks are candidates, if the situation names languages.
        excluded: of the named languages: stacks that were not measured, by the reason.
        least: of the leaders, the one that needs the least by other goals; empty: not shown; no entry: not known.
        unsure: what would be advised, and is not shown to meet the objective: so nothing is.
        assumed: whether it holds for all that was assumed; the intervals of the lines span all of that.
        changes: what would change it; nothing where it depends on what is assumed.
        spread: how rates differ from run to run on this machine, as far as is known.
        at_most: candidates whose values are upper bounds.
        amounts: what the goal wants small, by candidate: ms, money a month, µs or bytes. Intervals are as in `lines`.
    """

    situation: Situation
    groups: Mapping[str, float]
    every: Every
    goals: Mapping[str, ByBlock]
    left_out: Sequence[LeftOutStack]
    failing: Sequence[str]
    met: Sequence[ObjectiveCheck]
    choice: Choice
    error: Error
    lines: Sequence[CostLine]
    beside: str
    checks: Sequence[Check]
    map: Regions | None
    languages: TakingPart = field(default_factory=TakingPart)
    excluded: Mapping[str, Sequence[str]] = field(default_factory=dict)
    least: Mapping[Goal, str] = field(default_factory=dict)
    unsure: Sequence[str] = ()
    assumed: AssumedRange = NOTHING_ASSUMED
    changes: Sequence[Change] = ()
    spread: RunSpread = UNKNOWN
    amounts: Mapping[str, Difference] = field(default_factory=dict)
    at_most: Collection[str] = ()


def advise(
    subject: Subject,
    situation: Situation,
    held_back: Sequence[Subject] = (),
    sizes: Subject | None = None,
    invented: Invented = NOTHING,
) -> Advice:
    """Compute an advice from a record.

    Args:
        subject: the record, read.
        situation: what is asked for.
        held_back: further records, in which cells over the links were measured beside the same cells without one.
        sizes: a further record, of the main call with payloads of several sizes.
        invented: the calls with messages that nobody gave.

    Raises:
        BadInput: the situation names a group or a stack that the record does not have, or asks what it does not know.
    """
    _check_formats(subject, situation)
    every = _figures(subject, situation)
    others = [_figures(held, situation) for held in held_back]
    of_sizes = None if sizes is None else _figures(sizes, situation)
    spread = subject.results.run_spread
    advice = of_figures(every, situation, others, of_sizes, invented, spread)
    return replace(advice, excluded=_excluded(subject, situation))


def of_figures(  # noqa: PLR0913, PLR0917 - all that an advice rests on
    every: Every,
    situation: Situation,
    held_back: Sequence[Every] = (),
    sizes: Every | None = None,
    invented: Invented = NOTHING,
    spread: RunSpread = UNKNOWN,
) -> Advice:
    """Compute an advice from figures, however they came about."""
    groups = _groups(every, situation)
    _known_today(every, situation)
    compared = [figures for each in (every, *held_back) for figures in each.values()]
    tested, error = checks(compared, situation), error_of(compared, situation, situation.goal)
    every = with_added_time(every, [every, *held_back], situation)
    decision = decide(every, situation, groups, tested, error, spread)
    choice, situation, goals = decision.choice, decision.situation, decision.goals
    measured = Measured(
        every=every,
        ladders={} if sizes is None else ladders(sizes),
        tested=tested,
        error=error,
        here=decision,
        groups=groups,
        spread=spread,
    )
    assumed = assumed_range(measured, invented)
    if assumed.outcome is Holds.DEPENDS:
        choice = replace(choice, verdict=AdviceVerdict.UNDECIDED, leave=False)
    advised = situation.today if choice.verdict is AdviceVerdict.STAY else choice.best
    beside = (
        situation.today
        if situation.today not in ("", advised)
        else choice.best
        if choice.best != advised
        else choice.runner_up
    )
    times = error_of(compared, situation, Goal.TIME)
    over_links = measured_links(every, list(goals), situation, groups)
    errors = {link.name: times.log for link in situation.links}
    money_error = error_of(compared, situation, Goal.MONEY).log

    def costs(figures: Every, shares: Mapping[str, float], decided: Choice) -> list[CostLine]:
        if not advised:
            return []
        off = partial(off_by, tested)
        pair, records = (advised, beside), [figures, every, *held_back]
        costs_of_pair = lines(
            records,
            situation,
            pair,
            groups=shares,
            errors=errors,
            off=off,
            money_error=money_error,
            measured_over=over_links,
        )
        return with_one_saving(costs_of_pair, decided, situation, pair)

    def each_amount(figures: Every, shares: Mapping[str, float]) -> dict[str, Difference]:
        return candidate_amounts(figures, list(goals), situation, shares, over_links, partial(off_by, tested))

    elsewhere = [costs(case.place.every, case.place.groups, case.choice) for case in assumed.cases]
    amounts = spanned_amounts(
        each_amount(every, groups), [each_amount(case.place.every, case.place.groups) for case in assumed.cases]
    )
    main = max(groups, key=lambda group: groups[group])
    bounds = math.log1p(situation.margin), times.log
    return Advice(
        situation=situation,
        groups=groups,
        every=every,
        goals=goals,
        left_out=decision.left_out,
        failing=decision.failing,
        met=decision.met,
        choice=choice,
        error=error,
        lines=spanned(costs(every, groups, choice), elsewhere),
        beside=beside,
        checks=tested,
        map=_map(every, sizes, list(goals), main, situation, bounds),
        languages=decision.languages,
        least=_least(every, choice.leaders, situation, groups, compared),
        unsure=decision.unsure,
        assumed=assumed,
        changes=() if assumed.outcome is Holds.DEPENDS else changes(measured),
        spread=spread,
        amounts=amounts,
        at_most=decision.at_most,
    )


def ordinary(every: Every, names: Sequence[str], situation: Situation) -> list[str]:
    """Name the stack of today, and the one that is most common of all: JSON over HTTP/1.1 with kept connections."""
    common = [
        name for (name, _), figures in every.items() if (figures.message, figures.channel) == ("json", "http-keepalive")
    ]
    return [name for name in dict.fromkeys([situation.today, *common]) if name in names]


def _map(  # noqa: PLR0913, PLR0917 - a map and all that it is of
    every: Every,
    sizes: Every | None,
    names: Sequence[str],
    main: str,
    situation: Situation,
    bounds: tuple[float, float],
) -> Regions | None:
    """Draw the map from the record of several sizes, if there is one. Here is where the record has its payload."""
    first = ordinary(every, names, situation)
    of_record = regions(every, names, main, situation.main_link, bounds, first)
    group = next((group for _, group in sizes), "") if sizes else ""
    there = [name for name in names if sizes and (name, group) in sizes]
    here = next((every[name, main].payload for name in names), None)
    if sizes is None or len(there) < 2 or here is None:
        return of_record
    of_sizes = regions(sizes, there, group, situation.main_link, bounds, first)
    if of_sizes is None or of_sizes.x.unit != "bytes":
        return of_record
    return replace(of_sizes, x=replace(of_sizes.x, here=here), extra=True)


def _least(
    every: Every,
    leaders: Sequence[str],
    situation: Situation,
    groups: Mapping[str, float],
    compared: Sequence[Figures],
) -> dict[Goal, str]:
    """Name the one of some candidates that needs the least by each other goal, if that is known of all and shown.

    Bytes are counted, so the least is shown. Of processor time, all others must be shown to need more.
    """
    found = {}
    for goal in (Goal.BYTES, Goal.PROCESSOR):
        values: dict[str, ByBlock] = {}
        bounds: dict[str, ByBlock] = {}
        for name in leaders:
            own = {group: value(every[name, group], situation, goal) for group in groups}
            lowest = {group: value(at_least(every[name, group]), situation, goal) for group in groups}
            of_name, least = (mixed(every, name, groups, each) for each in (own, lowest))
            if of_name and min(of_name.values()) > 0:
                values[name] = of_name
                bounds |= {name: least} if least != of_name else {}
        if goal is situation.goal or not values or len(values) < len(leaders):
            continue
        choice = choose(values, "", situation.margin, error_of(compared, situation, goal).log, least=bounds)
        shown = goal is Goal.BYTES or choice.verdict is AdviceVerdict.CHOOSE
        found[goal] = choice.best if shown else ""
    return found


def _figures(subject: Subject, situation: Situation) -> Every:
    wires = subject.run.plan().get("links") or {}
    links = {link.name: link.wire for link in situation.links if link.wire.get("link")}
    return read(subject.results, wires, links, subject.cards)


def _excluded(subject: Subject, situation: Situation) -> dict[str, list[str]]:
    """List the stacks of the named languages that were not measured, by the reason."""
    named = {plain(language) for language in situation.languages}
    measured = {cell.attributes["stack"] for cell in subject.results.cells if cell.rate is not None}
    found: dict[str, list[str]] = {}
    for excluded in subject.results.excluded:
        planned = subject.cards.get(excluded.stack)
        if planned and planned["language"] in named and excluded.stack not in measured:
            stacks = found.setdefault(excluded.why, [])
            stacks += [excluded.stack] if excluded.stack not in stacks else []
    return found


def _groups(every: Every, situation: Situation) -> Mapping[str, float]:
    """Give the shares of the calls: those that were said, or all groups alike.

    Raises:
        BadInput: there are none, or one is not in the record.
    """
    there = list(dict.fromkeys(group for _, group in every))
    if not there:
        raise BadInput(
            "the record has no closed loop without a link to advise from: measure one with `callbench run`, cells over"
            ' link = "loopback"'
        )
    for group in situation.groups or ():
        if group not in there:
            raise BadInput(f'calls: the record has no group "{group}": {allowed_names(group, there)}')
    return situation.groups or dict.fromkeys(there, 1 / len(there))


def _check_formats(subject: Subject, situation: Situation) -> None:
    """Check that cards say what messages are, if the situation asks. Otherwise every message would be allowed.

    Raises:
        BadInput: no card of the record does, as in records of earlier versions.
    """
    asked = situation.languages or situation.browsers or situation.readable
    if asked and not any(FORMAT in stack["card"] for stack in subject.cards.values()):
        raise BadInput(
            f"{subject.run.path}: no card says who can read its messages (the key format), as an earlier version kept"
            " cards: measure again, or ask without --language, --browsers and --readable"
        )


def _known_today(every: Every, situation: Situation) -> None:
    there = list(dict.fromkeys(stack for stack, _ in every))
    if situation.today and situation.today not in there:
        raise BadInput(f'today: the record has no stack "{situation.today}": {allowed_names(situation.today, there)}')
