"""Where latencies stand for a reason, with the reason that the stack's card gives; without one it is flagged."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from callbench.analysis.run.subject import Subject
from callbench.analysis.wording.words import listed
from callbench.model.card import PlannedStacks, card_of
from callbench.stats.steady.plateau import NOT_SEEN, Plateau


def sentences(subject: Subject) -> list[str]:
    """Name the stacks at each place, and beside them what their cards say of it."""
    found = []
    for plateau, stacks in _gathered(subject).items():
        explained: dict[str, list[str]] = {}
        for stack in stacks:
            explained.setdefault(_why(subject.cards, stack, plateau.about), []).append(stack)
        silent = explained.pop("", [])
        found += [
            f"Many calls of {listed(known)} take {plateau.place}. The card explains it: {why}."
            for why, known in explained.items()
        ]
        if silent:
            found.append(f"Many calls of {listed(silent)} take {plateau.place}. {_cause(plateau)} No card explains it.")
    return found


def _cause(plateau: Plateau) -> str:
    cause = plateau.cause()
    return f"The probable cause is {cause}." if cause else f"Its cause is not known: {NOT_SEEN}."


def unexplained(subject: Subject) -> str:
    """Name which stacks stand somewhere without a word on their cards, or nothing."""
    stacks = dict.fromkeys(
        f"{stack} ({plateau.place})"
        for plateau, those in _gathered(subject).items()
        for stack in those
        if not _why(subject.cards, stack, plateau.about)
    )
    if not stacks:
        return ""
    return (
        f"Latency plateaus without an explanation on the card: {listed(stacks)}. A timer or a setting may have been"
        " measured instead of the stack. See Verdicts."
    )


def _gathered(subject: Subject) -> Mapping[Plateau, Iterable[str]]:
    """The stacks at each place, each once. Of all calls, whatever their share."""
    validity = subject.results.validity.cells
    gathered: dict[Plateau, dict[str, None]] = {}
    for cell in subject.results.cells:
        if cell.id in validity and cell.calls:
            for plateau in validity[cell.id].plateaus:
                gathered.setdefault(replace(plateau, share=1.0), {})[cell.attributes["stack"]] = None
    return gathered


def _why(cards: PlannedStacks, stack: str, about: str) -> str:
    return card_of(cards, stack).get("explains", {}).get(about, "")
