"""Who calls, and whether calls are encrypted: as it was said, or as it is assumed."""

from collections.abc import Iterator

from callbench.analysis.advice.advice import Advice
from callbench.analysis.advice.requirements import wants_tls
from callbench.catalog.callers import encrypts
from callbench.model.card import StackCard
from callbench.model.situation import Callers

CALLERS = {
    Callers.OWN: "programs of your own",
    Callers.OTHERS: "programs of others",
    Callers.BROWSERS: "browsers",
}


def encryption(advice: Advice) -> str:
    """Say whether the candidates are encrypted, for the table of the situation."""
    if not _wanted(advice):
        return "no"
    return "TLS" if _measured(advice) else "TLS, and no candidate was measured with it"


def assumed(advice: Advice) -> Iterator[str]:
    """Say what nobody said of who calls and of TLS, and how it is then taken."""
    situation = advice.situation
    if situation.callers is Callers.OWN:
        yield (
            "Only programs of your own call, so any framing is a candidate. If others or browsers call, say --others or"
            " --browsers."
        )
    if _wanted(advice) and not _measured(advice):
        yield "Calls are not encrypted, because no candidate was measured over TLS."
    elif situation.tls is None and _wanted(advice):
        yield "Calls go over TLS. If they do not, say --no-tls."
    elif situation.tls is None:
        yield f"Calls are not encrypted, because {situation.today} is not, which runs today."


def _wanted(advice: Advice) -> bool:
    return wants_tls(advice.situation, _cards(advice))


def _measured(advice: Advice) -> bool:
    cards = _cards(advice)
    return any(encrypts(cards[stack]) for stack in (*advice.goals, *advice.failing))


def _cards(advice: Advice) -> dict[str, StackCard]:
    return {stack: figures.card for (stack, _), figures in advice.every.items()}
