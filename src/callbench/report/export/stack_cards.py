"""The cards of a run's stacks for its page: what those of one message, or over one channel, have alike is said once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from callbench.analysis.wording.words import counted, served_text, server_loss_text
from callbench.model.card import PlannedStack
from callbench.model.cell import (
    CODING,
    DISSECTOR,
    FORMAT,
    MESSAGE_OPTIONS,
    NO_ECHO_WITH,
    REFERENCE,
    TIMES_CODEC,
    USUAL_IN,
)
from callbench.store.rows import grouped

_WORDS = {
    "clients": "clients",
    "region": "timed",
    "server_model": "server",
    "connections_per_client": "connections per client",
    "waits": "waits",
    "nagle": "Nagle",
    "tuning": "tuning",
    "slow": "slow",
    "stand_in": "stands in for",
    "roles": "roles",
}
# Keys of a card that say nothing of the conditions that a stack was measured in.
_NOT_SHOWN = ("busy_us", FORMAT, CODING, DISSECTOR, USUAL_IN, MESSAGE_OPTIONS, NO_ECHO_WITH, TIMES_CODEC, REFERENCE)
_LOST_WORDS = ("server killed during a call", "connection cut during a call", "client after the server restarts")
# What it is, and what is so.
_Fact = tuple[str, str]


@dataclass(frozen=True)
class StackFacts:
    """What is known of stacks.

    Attributes:
        title: a stack, or what several are called together: `native/json+*: 13 stacks`.
        facts: what is so of each of them.
    """

    title: str
    facts: Sequence[_Fact]


def said_once(stacks: Iterable[PlannedStack]) -> list[StackFacts]:
    """Write cards: what an adapter's stacks of one message have alike, what those over one channel do, and the rest.

    Args:
        stacks: those that were to be measured, in their order.
    """
    left = [(stack, _facts(stack)) for stack in stacks]
    made: list[StackFacts] = []
    for name in ("{adapter}/{message}+*", "{adapter}/*+{channel}"):
        for title, alike in grouped(left, lambda pair: name.format_map(pair[0])).items():  # noqa: B023 - used at once
            own = [facts for _, facts in alike]
            common = [fact for fact in own[0] if all(fact in facts for facts in own)] if len(own) > 1 else []
            for facts in own:
                facts[:] = [fact for fact in facts if fact not in common]
            if common:
                made.append(StackFacts(f"{title}: {counted(len(own), 'stack')}", _joined(common)))
    return made + [StackFacts(stack["id"], _joined(facts)) for stack, facts in left if facts]


def _joined(facts: Sequence[_Fact]) -> list[_Fact]:
    """Write in one sentence what is said about a stack."""
    return [(name, "; ".join(value for other, value in facts if other == name)) for name in dict(facts)]


def _facts(stack: PlannedStack) -> list[_Fact]:
    """Write a card's facts in our words, those we know first, and at the end the checks that it fails."""
    card = dict(cast("Mapping[str, Any]", stack["card"]))
    for key in _NOT_SHOWN:
        card.pop(key, None)
    lost, explains = card.pop("when_lost", None), card.pop("explains", None) or {}
    closes_s = card.pop("closes_idle_s", None)
    served = served_text(card.pop("request", None), card.pop("external", None), counts=card.pop("counts", True))
    # A part about the message, and one about the channel.
    about = [("about", part) for part in str(card.pop("about", None) or "").split("; ") if part]
    known = [(words, str(card.pop(key))) for key, words in _WORDS.items() if card.get(key) is not None]
    library = " ".join(text for text in (stack["library"], stack["version"]) if text)
    rest = [(key.replace("_", " "), str(value)) for key, value in card.items() if value is not None]
    if closes_s is not None:
        rest.append(("idle connections", f"the server closes them after {closes_s:g} s"))
    if lost:
        rest += zip(_LOST_WORDS, server_loss_text(lost), strict=True)
    rest += [(f"plateau at {latency}", str(why)) for latency, why in explains.items()]
    named = [("library", library)] if library else []
    return [("language", stack["language"]), *named, *known, *about, *served, *rest, *_lacks(stack)]


def _lacks(stack: PlannedStack) -> Iterable[_Fact]:
    """Gather the checks that a stack fails for the same reason."""
    by_reason: dict[str, list[str]] = {}
    for check, why in stack["lacks"].items():
        by_reason.setdefault(str(why), []).append(check)
    return ((f"lacks {', '.join(checks)}", why) for why, checks in by_reason.items())
