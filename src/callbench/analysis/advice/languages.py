"""Languages that must take part: whose stacks are candidates, and whose figures count for a protocol.

Where stacks of a named language were measured, its own figures count: what the native stacks reach is a bound. Where
several languages were measured, a candidate is a protocol that each of them has, and the slowest of them counts.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from callbench.analysis.advice.figures import Every
from callbench.analysis.advice.prediction import is_at_most, mixed, value
from callbench.analysis.advice.requirements import LeftOutStack
from callbench.analysis.wording.words import listed
from callbench.catalog.formats import plain
from callbench.model.cell import MIXED
from callbench.model.situation import Situation
from callbench.stats.estimate.contrast import ByBlock
from callbench.stats.estimate.interval import geometric_mean


@dataclass(frozen=True)
class Shared:
    """A protocol that every measured language of the situation has.

    Attributes:
        counted: the stack whose figures count: the one that needs the most.
        stacks: by language, the stack of each that needs the least.
        values: what each of these needs by the goal, by fork.
        every: all stacks that speak it.
    """

    counted: str
    stacks: Mapping[str, str]
    values: Mapping[str, ByBlock]
    every: Sequence[str]


@dataclass(frozen=True)
class TakingPart:
    """What the languages of a situation make of the candidates.

    Attributes:
        measured: the languages whose own stacks count; empty: no stack of any was measured.
        shared: the protocols that all of them have, where they are several.
        bound: what the stacks of other languages need by the goal, by fork.
    """

    measured: Sequence[str] = ()
    shared: Sequence[Shared] = ()
    bound: Mapping[str, ByBlock] = field(default_factory=dict)

    def counted_for(self, stack: str) -> str:
        """Give the stack whose figures count for the protocol of another one; itself if there is none."""
        return next((protocol.counted for protocol in self.shared if stack in protocol.every), stack)


def taking_part(
    every: Every, names: Sequence[str], situation: Situation, groups: Mapping[str, float]
) -> tuple[list[str], list[LeftOutStack], TakingPart]:
    """Keep the candidates that the named languages run themselves.

    Args:
        every: the figures of the record.
        names: the candidates so far.
        situation: with the languages.
        groups: shares of the groups.

    Returns:
        The candidates, the stacks that are none any more, and what the languages make of them.
    """
    of = {stack: figures.language for (stack, _), figures in every.items() if MIXED not in stack}
    named = list(dict.fromkeys(plain(language) for language in situation.languages))
    measured = [language for language in named if language in of.values()]
    if not measured:
        return list(names), [], TakingPart()
    values = {name: _value(every, name, situation, groups) for name in names}
    out = [
        LeftOutStack(name, [f"it is no program in {listed(measured)}, which must take part"], True)
        for name in names
        if of.get(name) not in measured
    ]
    bound = {
        left_out.stack: values[left_out.stack]
        for left_out in out
        if values[left_out.stack] and not any(is_at_most(every[left_out.stack, group], situation) for group in groups)
    }
    kept = [name for name in names if of.get(name) in measured]
    if len(measured) == 1:
        return kept, out, TakingPart(measured, (), bound)
    shared: list[Shared] = []
    spoken: dict[str, list[str]] = {}
    for name in kept:
        of_stack = next(figures for (stack, _), figures in every.items() if stack == name)
        spoken.setdefault(of_stack.protocol or f"{of_stack.message} over {of_stack.channel}", []).append(name)
    for protocol, stacks in spoken.items():
        lacking = [language for language in measured if language not in {of[name] for name in stacks}]
        if lacking:
            why = f"no stack in {listed(lacking)} with the same protocol ({protocol}) was measured"
            out += [LeftOutStack(name, [why], True) for name in stacks]
        else:
            shared.append(_shared(stacks, measured, of, values))
    return [protocol.counted for protocol in shared], out, TakingPart(measured, shared, bound)


def _shared(
    stacks: Sequence[str], measured: Sequence[str], of: Mapping[str, str], values: Mapping[str, ByBlock]
) -> Shared:
    best = {
        language: min((name for name in stacks if of[name] == language), key=lambda name: _middle(values[name]))
        for language in measured
    }
    counted = max(best.values(), key=lambda name: _middle(values[name]))
    return Shared(counted, best, {name: values[name] for name in best.values()}, tuple(stacks))


def _value(every: Every, name: str, situation: Situation, groups: Mapping[str, float]) -> ByBlock:
    return mixed(every, name, groups, {group: value(every[name, group], situation, situation.goal) for group in groups})


def _middle(values: ByBlock) -> float:
    return geometric_mean(list(values.values())).middle if values else math.inf
