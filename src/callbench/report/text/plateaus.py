"""Where latencies stand for a reason, with the reason that the stack's card gives; without one it is flagged."""

from collections.abc import Iterable, Mapping
from typing import Any

from callbench.analysis.run.subject import Subject
from callbench.analysis.wording.words import listed


def sentences(subject: Subject) -> list[str]:
    """Name the stacks at each place, and beside them what their cards say of it."""
    found = []
    for (about, probably), stacks in _gathered(subject).items():
        explained: dict[str, list[str]] = {}
        for stack in stacks:
            explained.setdefault(_why(subject.cards, stack, about), []).append(stack)
        silent = explained.pop("", [])
        found += [
            f"Many calls of {listed(known)} take {about}. The card explains it: {why}."
            for why, known in explained.items()
        ]
        if silent:
            found.append(
                f"Many calls of {listed(silent)} take {about}. The probable cause is {probably}. No card explains it."
            )
    return found


def unexplained(subject: Subject) -> str:
    """Name which stacks stand somewhere without a word on their cards, or nothing."""
    stacks = dict.fromkeys(
        f"{stack} ({about})"
        for (about, _), those in _gathered(subject).items()
        for stack in those
        if not _why(subject.cards, stack, about)
    )
    if not stacks:
        return ""
    return (
        f"Latency plateaus without an explanation on the card: {listed(stacks)}. A timer or a setting may have been"
        " measured instead of the stack. See Verdicts."
    )


def _gathered(subject: Subject) -> Mapping[tuple[str, str], Iterable[str]]:
    """The stacks at each place, each once."""
    validity = subject.results.validity.cells
    gathered: dict[tuple[str, str], dict[str, None]] = {}
    for cell in subject.results.cells:
        if cell.id in validity and cell.calls:
            for plateau in validity[cell.id].plateaus:
                gathered.setdefault((plateau.about, plateau.probably), {})[cell.attributes["stack"]] = None
    return gathered


def _why(cards: Mapping[str, Mapping[str, Any]], stack: str, about: str) -> str:
    explains = (cards.get(stack, {}).get("card") or {}).get("explains") or {}
    return str(explains.get(about, ""))
