"""Which stacks can take part at all: what the situation requires, and what the record has of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from callbench.analysis.advice.figures import Every
from callbench.analysis.advice.prediction import is_at_most, processor_us, value
from callbench.catalog.callers import encrypts, why_not_called_by
from callbench.catalog.formats import plain, why_not_in, why_not_in_browsers, why_not_readable
from callbench.model.card import StackCard
from callbench.model.situation import Goal, Situation


@dataclass(frozen=True)
class LeftOutStack:
    """A stack that is no candidate.

    Attributes:
        why: all reasons, the first one first.
        required: whether the situation rules it out; else the record lacks it.
    """

    stack: str
    why: Sequence[str]
    required: bool


def candidates(every: Every, situation: Situation, groups: Mapping[str, float]) -> tuple[list[str], list[LeftOutStack]]:
    """Part the stacks of a record into candidates and others.

    Args:
        every: the figures of the record.
        situation: what is required.
        groups: the groups that count, by name.
    """
    able, out = [], []
    for stack in dict.fromkeys(stack for stack, _ in every):
        of_stack = next(figures for (name, _), figures in every.items() if name == stack)
        ruled = required(of_stack.message, of_stack.channel, of_stack.card, situation)
        lacking = [] if ruled else _lacking(every, stack, situation, groups)
        if ruled or lacking:
            out.append(LeftOutStack(stack, ruled or lacking, bool(ruled)))
        else:
            able.append(stack)
    return _encrypted(every, situation, able, out)


def wants_tls(situation: Situation, cards: Mapping[str, StackCard]) -> bool:
    """Return whether calls have to be encrypted: as was said, otherwise as what runs today; if nothing does, they have.

    Args:
        situation: what is required.
        cards: of the stacks that are known, by name.
    """
    if situation.tls is not None:
        return situation.tls
    return situation.today not in cards or encrypts(cards[situation.today])


def _encrypted(
    every: Every, situation: Situation, able: list[str], out: list[LeftOutStack]
) -> tuple[list[str], list[LeftOutStack]]:
    """Leave out what does not encrypt, if calls have to be encrypted and a candidate does that.

    What runs today stays: it is what the others are compared with.
    """
    cards = {stack: figures.card for (stack, _), figures in every.items()}
    spoken = {plain(language) for language in situation.languages}
    named = [stack for stack in able if any(every[key].language in spoken for key in every if key[0] == stack)]
    encrypted = [stack for stack in able if encrypts(cards[stack])]
    # Stacks of the named languages are what is chosen from: without TLS, if they have none.
    if not encrypted or (named and not set(named) & set(encrypted)) or not wants_tls(situation, cards):
        return able, out
    kept = [stack for stack in able if stack in encrypted or stack == situation.today]
    readable = [stack for stack in able if stack not in kept]
    return kept, out + [LeftOutStack(stack, ["its bytes are not encrypted"], required=True) for stack in readable]


def required(message: str, channel: str, card: StackCard, situation: Situation) -> list[str]:
    """List why a message over a channel is ruled out by what the situation requires.

    Args:
        message: its name.
        channel: its name.
        card: of a stack with the two.
        situation: what is required.
    """
    whys = [why_not_in(message, card, language) for language in situation.languages]
    whys.append(why_not_called_by(situation.callers, channel, card))
    whys.append(why_not_in_browsers(message, card) if situation.browsers else None)
    whys.append(why_not_readable(message, card) if situation.readable else None)
    return [why for why in whys if why]


def _lacking(every: Every, stack: str, situation: Situation, groups: Mapping[str, float]) -> list[str]:
    of_processor = situation.goal in {Goal.MONEY, Goal.PROCESSOR}
    far = any(link.wire.get("link") for link in situation.links)
    for group in groups:
        figures = every.get((stack, group))
        if figures is None:
            return [f"{group} was not measured"]
        if far and not figures.account:
            return ["its bytes were not counted, or its channel does not leave the machine"]
        if not value(figures, situation, situation.goal):
            both = situation.prices is None or situation.prices.both_sides
            if of_processor and not processor_us(figures.here, both=both):
                return [f"its processor time for {group} was not seen"]
            return [f"the record does not have its {situation.goal} for {group}"]
        if of_processor and len(situation.languages) > 1 and is_at_most(figures, situation):
            # Which stack counts for a protocol is chosen by values that are known.
            return [f"its processor time for {group} was too short for the clock to tell"]
    return []
