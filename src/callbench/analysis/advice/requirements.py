"""Which stacks can take part at all: what the situation requires, and what the record has of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from callbench.analysis.advice.figures import Every
from callbench.analysis.advice.prediction import value
from callbench.catalog.formats import why_not_in, why_not_in_browsers, why_not_readable
from callbench.model.situation import Situation


@dataclass(frozen=True)
class LeftOut:
    """A stack that is no candidate.

    Attributes:
        why: all reasons, the first one first.
        required: whether the situation rules it out; else the record lacks it.
    """

    stack: str
    why: Sequence[str]
    required: bool


def candidates(every: Every, situation: Situation, groups: Mapping[str, float]) -> tuple[list[str], list[LeftOut]]:
    """Part the stacks of a record into candidates and others.

    Args:
        every: the figures of the record.
        situation: what is required.
        groups: the groups that count, by name.
    """
    found, out = [], []
    for stack in dict.fromkeys(stack for stack, _ in every):
        one = next(figures for (name, _), figures in every.items() if name == stack)
        ruled = required(one.message, one.channel, situation)
        lacking = [] if ruled else _lacking(every, stack, situation, groups)
        if ruled or lacking:
            out.append(LeftOut(stack, ruled or lacking, bool(ruled)))
        else:
            found.append(stack)
    return found, out


def required(message: str, channel: str, situation: Situation) -> list[str]:
    """List why a message over a channel is ruled out by what the situation requires."""
    whys = [why_not_in(message, language) for language in situation.languages]
    whys.append(why_not_in_browsers(message, channel) if situation.browsers else None)
    whys.append(why_not_readable(message) if situation.readable else None)
    return [why for why in whys if why]


def _lacking(every: Every, stack: str, situation: Situation, groups: Mapping[str, float]) -> list[str]:
    far = any(link.wire.get("link") for link in situation.links)
    for group in groups:
        one = every.get((stack, group))
        if one is None:
            return [f"{group} was not measured"]
        if far and not one.account:
            return ["its bytes were not counted, or its channel does not leave the machine"]
        if not value(one, situation, situation.goal):
            return [f"the record does not have its {situation.goal} for {group}"]
    return []
