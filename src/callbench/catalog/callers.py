"""Who can call over a channel, and whether it encrypts: what the cards of stacks say."""

from typing import Final

from callbench.model.card import StackCard
from callbench.model.situation import Callers

# Keys of a card.
CALLERS: Final = "callers"
TLS: Final = "tls"
# From the circle that every channel serves to the one that few do.
_WIDER = (Callers.OWN, Callers.OTHERS, Callers.BROWSERS)
_WHO = {Callers.OTHERS: "programs of others", Callers.BROWSERS: "browsers"}


def _can(card: StackCard) -> Callers:
    """Who can call, by a card. One that does not say it is for programs of the same owner alone."""
    return Callers(card.get(CALLERS) or Callers.OWN)


def narrower(one: StackCard, other: StackCard) -> Callers:
    """Return who can call where both cards have to allow it."""
    return min(_can(one), _can(other), key=_WIDER.index)


def why_not_called_by(wanted: Callers, channel: str, card: StackCard) -> str | None:
    """Return why somebody cannot call over a channel; None if they can.

    Args:
        wanted: who must be able to call.
        channel: its name, for the sentence.
        card: of a stack with the channel.
    """
    if _WIDER.index(wanted) <= _WIDER.index(_can(card)):
        return None
    return f"{_WHO[wanted]} cannot call over the channel {channel}"


def encrypts(card: StackCard) -> bool:
    """Return whether the channel of a stack encrypts."""
    return bool(card.get(TLS))
