"""Facts of a message or a channel that one card says for all stacks that have it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from callbench.catalog.manifest import Manifest
from callbench.model.cell import CODING, DISSECTOR, FORMAT, Stack

if TYPE_CHECKING:
    from callbench.model.card import StackCard

OF_MESSAGE = (FORMAT,)
OF_CHANNEL = (CODING, DISSECTOR)
_Facts = Mapping[tuple[str, str], object]


def completed(manifests: Iterable[Manifest]) -> list[Manifest]:
    """Return the manifests with each fact in the card of every stack it is true of. What a card says itself stays.

    The first card that has a fact says it for the stacks whose cards do not.
    """
    every = list(manifests)
    facts: dict[tuple[str, str], object] = {}
    for stack in (stack for manifest in every for stack in manifest.stacks):
        for key, name in _places(stack):
            if (fact := stack.card.get(key)) is not None:
                facts.setdefault((key, name), fact)
    return [replace(manifest, stacks=tuple(_with(stack, facts) for stack in manifest.stacks)) for manifest in every]


def _places(stack: Stack) -> list[tuple[str, str]]:
    """The keys of a card that stacks share, each with what they share it by."""
    return [*((key, stack.message) for key in OF_MESSAGE), *((key, stack.channel) for key in OF_CHANNEL)]


def _with(stack: Stack, facts: _Facts) -> Stack:
    lacking = {key: facts[key, name] for key, name in _places(stack) if (key, name) in facts and key not in stack.card}
    return replace(stack, card=cast("StackCard", {**stack.card, **lacking})) if lacking else stack
