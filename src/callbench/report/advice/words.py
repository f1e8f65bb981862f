"""An advice in sentences: the verdict first, then why, then what it depends on."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from callbench.analysis.advice.advice import Advice, ordinary
from callbench.analysis.advice.assumed import Holds
from callbench.analysis.advice.checks import UNCHECKED, UNCHECKED_TAIL_US
from callbench.analysis.advice.choice import LEVEL, AdviceVerdict, Choice
from callbench.analysis.advice.regions import Axis, WinnerRange, lines_through
from callbench.analysis.advice.savings import MONEY, CostLine, processor_line
from callbench.analysis.wording.words import either, listed, some
from callbench.catalog.callers import encrypts
from callbench.catalog.formats import plain
from callbench.model.situation import Goal
from callbench.report.advice.amounts import along, amount, bounded, known_end, times_less, times_more
from callbench.report.advice.holding import changing, condition, depends_on_assumed, reach
from callbench.stats.decide.best import ComparedWithBest
from callbench.stats.decide.decision import Outcome
from callbench.stats.estimate.digits import figure, given, percent
from callbench.stats.estimate.percentile_calls import fewest_calls, percentile_name
from callbench.stats.wire.link import Wire, ways

_NAMED = 4
"""So many candidates are named in a sentence."""
_LEAST = {Goal.BYTES: "the fewest bytes", Goal.PROCESSOR: "the least processor time"}
GOALS = {
    Goal.TIME: "mean time of a call",
    Goal.MONEY: "money a month",
    Goal.PROCESSOR: "processor time of a call",
    Goal.BYTES: "bytes of a call",
}


def headline(advice: Advice) -> str:
    """Say in a sentence or two what to do, and under what it holds."""
    if advice.assumed.outcome is Holds.DEPENDS:
        return depends_on_assumed(advice)
    return f"{condition(advice)}{_headline(advice)}"


def _headline(advice: Advice) -> str:
    choice, today, margin = advice.choice, advice.situation.today, percent(advice.situation.margin)
    match choice.verdict:
        case AdviceVerdict.NONE:
            return _nobody(advice)
        case AdviceVerdict.STAY:
            return f"Stay with {today}. No other candidate saves {_saving(advice, margin)}."
        case AdviceVerdict.CHOOSE:
            what = f"Move from {today} to" if choice.leave else "Choose"
            return f"{what} {choice.best}. It is shown to be the best candidate."
        case AdviceVerdict.EITHER:
            return f"Leave {today}. {_several(advice)}" if choice.leave else _several(advice)
        case AdviceVerdict.UNDECIDED:
            return _undecided(advice, margin)


def _worth(advice: Advice) -> str:
    """Say what a move is worth, where money counts; else nothing."""
    situation = advice.situation
    if situation.goal is not Goal.MONEY or situation.prices is None or not situation.worth:
        return ""
    return f"{given(situation.worth)} {situation.prices.currency} a month"


def alike(advice: Advice) -> str:
    """Say by how much candidates differ at most that are called alike."""
    return " or ".join(filter(None, (percent(advice.situation.margin), _worth(advice))))


def _saving(advice: Advice, margin: str) -> str:
    """Say what a move would have to save."""
    worth = _worth(advice)
    return f"more than {margin} and more than {worth}" if worth else f"more than {margin} of its {goal(advice)}"


def _several(advice: Advice) -> str:
    """Name those of which none is better than another by more than matters."""
    leaders = advice.choice.leaders
    if len(leaders) > _NAMED:
        return _many(advice)
    if len(leaders) == 1:
        return f"Choose {leaders[0]}. No other candidate is better by more than {alike(advice)}."
    return f"Choose {either(leaders)}. They lie within {alike(advice)} of each other."


def _many(advice: Advice) -> str:
    """Choose, of many that are alike, the ones that need the least of what costs money, as far as that is shown."""
    leaders = advice.choice.leaders
    needs: dict[str, list[str]] = {}
    for key, words in _LEAST.items():
        if name := advice.least.get(key):
            needs.setdefault(name, []).append(words)
    near = f"{len(leaders)} candidates lie within {alike(advice)} of each other in {goal(advice)}"
    common = [name for name in ordinary(advice.every, leaders, advice.situation) if name not in needs]
    near += f", and {common[0]} is one of them." if common else "."
    undecided = [words for key, words in _LEAST.items() if advice.least.get(key) == ""]
    if undecided:
        near += f" It is undecided which of them needs {listed(undecided)}."
    if not needs:
        return f"Choose by other reasons: {near}"
    return f"Choose {' or '.join(f'{name} ({listed(words)})' for name, words in needs.items())}. {near}"


def _calls_needed(advice: Advice) -> str:
    """Say how many calls the objective's percentile needs, where what would be advised has too few for one."""
    objective, known = advice.situation.objective, {(check.stack, check.link) for check in advice.met}
    pairs = {(name, link.name) for name in advice.unsure for link in advice.situation.links}
    if objective is None or objective.share is None or objective.share >= 1 or pairs <= known:
        return ""
    return f" {percentile_name(objective.share)} needs {fewest_calls(objective.share):,} calls in each fork."


def _undecided(advice: Advice, margin: str) -> str:
    choice, today = advice.choice, advice.situation.today
    if advice.unsure and advice.situation.objective is not None:
        best = f"{some(advice.unsure)} {'is' if len(advice.unsure) == 1 else 'are'} best by {goal(advice)}"
        return f'Undecided: {best}, but not shown to meet "{advice.situation.objective.text}".{_calls_needed(advice)}'
    if choice.leave:
        return f"Leave {today}. It is undecided which is the best of {some(choice.leaders)}."
    if today not in advice.goals:
        return f"Undecided: it is not shown which is the best of {some(choice.leaders)}."
    if choice.best == today:
        return f"Undecided: it is not shown that no move from {today} saves {_saving(advice, margin)}."
    return f"Undecided: it is not shown that a move from {today} saves {_saving(advice, margin)}."


def goal(advice: Advice) -> str:
    """What the choice goes by, in words."""
    return GOALS[advice.situation.goal]


def reasons(advice: Advice) -> Iterator[str]:
    """Say why, and what it saves."""
    choice = advice.choice
    if choice.comparison is None:
        return
    yield from reach(advice)
    today = advice.situation.today
    move = (choice.moves or {}).get(choice.best)
    if move is not None:
        gap = bounded(times_less(move.ratio), today in advice.at_most, choice.best in advice.at_most)
        less = f"Beside {today}, {choice.best} has {gap} {goal(advice)}"
        if not gap:
            less = f"Of {choice.best} and {today}, only upper bounds of their {goal(advice)} are known"
        yield f"{less}: not shown after the correction for all comparisons." if move.corrected_away else f"{less}."
    first = choice.comparison.others[0] if choice.comparison.others else None
    if first is not None and first.name not in choice.open_bounds:
        yield _next(advice, first)
    if choice.open_bounds:
        known = "an upper bound of its" if len(choice.open_bounds) == 1 else "upper bounds of their"
        verb = "is" if len(choice.open_bounds) == 1 else "are"
        yield f"{some(choice.open_bounds)} may be better: only {known} {goal(advice)} {verb} known."
    if worse := _may_be_worse(choice):
        verb, need = ("is", "it may be") if len(worse) == 1 else ("are", "they may be")
        yield f"{some(worse)} {verb} not better by more than {alike(advice)}, and {need} worse."
    money = next((line for line in advice.lines if line.name == MONEY and line.saved is not None), None)
    if money is not None and advice.beside:
        yield f"A month, {_advised(advice)} {_money_saved(money)} beside {advice.beside}."
    if advice.situation.objective is not None and advice.met:
        yield from _objective(advice)
    if today and today not in advice.goals and choice.verdict is not AdviceVerdict.NONE:
        yield f"{today} runs today and is no candidate: {_why_out(advice, today)}."


def saved(line: CostLine, unit: str = "") -> str:
    """Write what one saves beside another; of upper bounds, the end that is known. Nothing where none is."""
    own, beside = line.at_most
    return known_end(line.saved, unit, at_most=beside) if line.saved and own != beside else amount(line.saved, unit)


def _money_saved(line: CostLine) -> str:
    """Say what is saved or costs more; of upper bounds, by the end that is known."""
    known = line.saved
    if known is None:
        return ""
    own, beside = line.at_most
    end = known.low if own else known.high if beside else known.middle
    if (known.middle if end is None else end) >= 0:
        return f"saves {saved(line, line.unit)}"
    return f"costs {saved(replace(line, saved=known.turned(), at_most=(beside, own)), line.unit)}"


def more_than_best(advice: Advice, rival: ComparedWithBest) -> str:
    """Write how much more a candidate needs than the least; nothing where only upper bounds of both are known."""
    if rival.ratio is None:
        return ""
    return bounded(times_more(rival.ratio), rival.name in advice.at_most, advice.choice.best in advice.at_most)


def _may_be_worse(choice: Choice) -> list[str]:
    """Name those that are left out of several to choose from, though they are not shown to be behind."""
    if choice.verdict is not AdviceVerdict.EITHER or choice.comparison is None:
        return []
    return [name for name in choice.comparison.leaders if name not in choice.leaders]


def depends(advice: Advice) -> list[str]:
    """Say on what the choice depends, cut through the map where the situation lies."""
    map_ = advice.map
    if map_ is None:
        return list(changing(advice))
    x, y = lines_through(map_)
    sentences = [
        _cut(x, map_.x, f"At {_place(map_.y)} and {map_.fixed}"),
        _cut(y, map_.y, f"At {_place(map_.x)} and {map_.fixed}"),
    ]
    if advice.situation.goal is not Goal.TIME:
        sentences.append(f"The map is of time. The choice goes by {goal(advice)}, which no rate of a link changes.")
    return [*(sentence for sentence in sentences if sentence), *changing(advice)]


def not_measured(advice: Advice) -> list[str]:
    """Say what the advice does not rest on."""
    situation, out = advice.situation, []
    unchecked = [
        link.name
        for link in situation.links
        if link.wire.get("link") and not any(check.link == link.name for check in advice.checks)
    ]
    if unchecked:
        out.append(
            f"No cell was measured over {listed(unchecked)}: a comparison there is taken to be good for"
            f" {percent(UNCHECKED)}, and a percentile above the median for {UNCHECKED_TAIL_US / 1e3:g} ms more."
        )
    unknown = [
        link.name
        for link in situation.links
        if link.wire.get("link") and not any(line.name == processor_line("server", link.name) for line in advice.lines)
    ]
    if unknown and advice.lines:
        out.append(
            f"Processor time over {listed(unknown)} is not known, since too few stacks were measured there. It is"
            " several times that without a link."
        )
    lossy = [link.name for link in situation.links if _disturbed(link.wire)]
    if lossy:
        out.append(f"A prediction knows no losses and no jitter. It is too good for {listed(lossy)}.")
    if situation.calls_per_s is not None and advice.choice.best:
        out.append(_load(advice))
    elif situation.objective is not None:
        out.append("Latencies are those of one client. Calls that wait for each other are not in them.")
    figures = advice.every.values()
    kinds = [] if any(encrypts(candidate.card) for candidate in figures) else ["TLS"]
    kinds += [] if any("http2" in candidate.channel for candidate in figures) else ["HTTP/2 besides gRPC"]
    if kinds and any(link.wire.get("link") for link in situation.links):
        out.append(f"No channel with {' and none with '.join(kinds)} was measured.")
    there = {candidate.language for candidate in advice.every.values()}
    languages = [language for language in situation.languages if plain(language) not in there]
    if languages:
        out.append(
            f"No stack in {listed(languages)} was measured. Its processor times differ; bytes and round trips do not."
        )
    for why, stacks in advice.excluded.items():
        out.append(f"{listed(stacks)} {'was' if len(stacks) == 1 else 'were'} not measured: {why}.")
    if advice.spread.other is None:
        out.append(
            "No earlier run of this service on this machine lies beside this one, so comparisons are of this run alone."
        )
    doubts = {
        candidate.stack: candidate.doubt
        for candidate in advice.every.values()
        if candidate.doubt and candidate.stack in advice.goals
    }
    out += [f"{stack}: {doubt}." for stack, doubt in doubts.items()]
    return out


def _disturbed(wire: Wire) -> bool:
    return any(way.get(name) for way in ways(wire) for name in ("loss", "jitter_ns", "duplicate", "reorder"))


def _load(advice: Advice) -> str:
    calls = advice.situation.calls_per_s or 0.0
    seconds = {line.name: calls * line.own.middle / 1e6 for line in advice.lines}
    bounded_ = any(line.at_most[0] for line in advice.lines if line.name == processor_line("server"))
    at_most = "at most " if bounded_ else ""
    least = seconds.get(processor_line("server"))
    most = max((seconds.get(processor_line("server", link.name), 0.0) for link in advice.situation.links), default=0.0)
    busy = "" if least is None else f" At {given(calls)} calls/s the server keeps {at_most}{least:.2g} processors busy"
    if least is not None:
        busy += f", and up to {most:.2g} if it sleeps before each call." if most > least else "."
    return f"Latencies are those of one client. Calls that wait for each other are not in them.{busy}"


def _nobody(advice: Advice) -> str:
    objective = advice.situation.objective
    if advice.failing and objective is not None:
        worst = {name: max(check.ms.middle for check in advice.met if check.stack == name) for name in advice.failing}
        nearest = min(worst, key=lambda name: worst[name])
        least = "at least " if any(check.at_least for check in advice.met if check.stack == nearest) else ""
        return (
            f'No candidate meets "{objective.text}" over every link. {nearest} comes nearest, with'
            f" {least}{figure(worst[nearest])} ms over the slowest one."
        )
    return "No candidate: the situation rules out every stack of the record, or the record lacks their figures."


def _next(advice: Advice, first: ComparedWithBest) -> str:
    best, level = advice.choice.best, percent(LEVEL)
    if first.ratio is None:
        return f"{first.name} is next. They have too few forks in common to compare them."
    gap = more_than_best(advice, first)
    if not gap:
        return f"{first.name} is next. Of both, only upper bounds of their {goal(advice)} are known."
    if first.behind:
        return f"{first.name} is next, with {gap} {goal(advice)}. The chance of a wrong name is below {level}."
    if first.equivalent:
        return f"{first.name} is next, with {gap} {goal(advice)}: that is within {alike(advice)}."
    return f"{first.name} is next, with {gap} {goal(advice)}: that is not shown to differ from {best}."


def _advised(advice: Advice) -> str:
    return advice.situation.today if advice.choice.verdict is AdviceVerdict.STAY else advice.choice.best


def _objective(advice: Advice) -> Iterator[str]:
    objective, mine = advice.situation.objective, [check for check in advice.met if check.stack == _advised(advice)]
    if objective is None:
        return
    if mine and all(check.outcome is Outcome.PASSED for check in mine):
        yield f'{_advised(advice)} meets "{objective.text}" over every link.'
    unsure = [check.link for check in mine if check.outcome is Outcome.UNDECIDED]
    if unsure:
        yield f'It is undecided whether {_advised(advice)} meets "{objective.text}" over {listed(unsure)}.'
    if advice.failing:
        yield f'{some(advice.failing)} {"does" if len(advice.failing) == 1 else "do"} not meet "{objective.text}".'


def _why_out(advice: Advice, stack: str) -> str:
    if stack in advice.failing and advice.situation.objective is not None:
        return f'it does not meet "{advice.situation.objective.text}"'
    return next(
        (refused.why[0] for refused in advice.left_out if refused.stack == stack), "the record lacks its figures"
    )


def _place(axis: Axis) -> str:
    if axis.here is None:
        return f"the highest {axis.name}"
    return along(axis.here, axis.unit)


def _cut(ranges: Sequence[WinnerRange], axis: Axis, where: str) -> str:
    """Write one line through the map: who wins from where to where. Who wins on both sides of a gap is named once."""
    if all(not span.winner for span in ranges):
        return f"{where}, it is undecided who wins, from {_ends(ranges, axis)}."
    spans = _over_gaps(ranges)
    parts = []
    for place, (span, gaps) in enumerate(spans):
        who = _who(span)
        if len(spans) == 1:
            part = f"{who} at each {axis.name}, from {_ends(ranges, axis)}"
        elif place == 0:
            part = f"{who} below {along(span.high, axis.unit)}"
        elif place == len(spans) - 1:
            part = f"{who} above {along(span.low, axis.unit)}"
        else:
            part = f"{who} {_span(span, axis)}"
        parts.append(f"{part} (undecided {listed([_span(gap, axis) for gap in gaps])})" if gaps else part)
    return f"{where}: {', '.join(parts)}."


def _over_gaps(ranges: Sequence[WinnerRange]) -> list[tuple[WinnerRange, Sequence[WinnerRange]]]:
    """Join ranges of one winner that only undecided ones lie between; give these with it."""
    spans: list[tuple[WinnerRange, Sequence[WinnerRange]]] = []
    for span in ranges:
        before = spans[-2:] if len(spans) > 1 else []
        if before and not before[1][0].winner and _who(before[0][0]) == _who(span):
            (first, gaps), (gap, _) = before
            spans[-2:] = [(replace(first, high=span.high), [*gaps, gap])]
        else:
            spans.append((span, ()))
    return spans


def _span(span: WinnerRange, axis: Axis) -> str:
    return f"from {along(span.low, axis.unit)} to {along(span.high, axis.unit)}"


def _who(span: WinnerRange) -> str:
    if not span.winner:
        return "undecided"
    return f"{span.winner} or an equal one" if span.tied else span.winner


def _ends(ranges: Sequence[WinnerRange], axis: Axis) -> str:
    return f"{along(ranges[0].low, axis.unit)} to {along(ranges[-1].high, axis.unit)}"
