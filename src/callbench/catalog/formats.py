"""What cards say of a message beyond what a measurement shows.

Who can read it, whether a browser can make the call, and for which languages there is a library. Of a message whose
card says nothing, nothing is known.
"""

from collections.abc import Iterable, Iterator

from callbench.model.card import StackCard
from callbench.model.cell import FORMAT

# What people also call a language, or one that uses the libraries of another.
ALSO = {
    "cpp": "c++", "csharp": "c#", "dotnet": "c#", "js": "javascript", "node": "javascript", "typescript": "javascript",
    "kotlin": "java", "scala": "java", "delphi": "pascal", "golang": "go",
}  # fmt: skip
# Native stacks have every message in Rust, whatever else there is.
OWN = "rust"
_BROWSERS = "javascript"


def plain(language: str) -> str:
    """Return the usual name of a language: `go` for `Golang`."""
    named = language.strip().lower()
    return ALSO.get(named, named)


def named_languages(cards: Iterable[StackCard]) -> Iterator[str]:
    """Yield the languages that cards name as those with a library of a message."""
    for card in cards:
        yield from _languages(card) or ()


def why_not_in(message: str, card: StackCard, language: str) -> str | None:
    """Return why a language cannot take part; None if it can or nothing is known.

    Args:
        message: its name, for the sentence.
        card: of a stack with the message.
        language: as a person calls it.
    """
    languages = _languages(card)
    if languages is None or plain(language) in {*languages, OWN}:
        return None
    return f"no kept library of {message} for {language} is known"


def why_not_in_browsers(message: str, card: StackCard) -> str | None:
    """Return why a page in a browser cannot read a message; None if it can or nothing is known."""
    languages = _languages(card)
    if languages is None or _BROWSERS in languages:
        return None
    return f"no library of {message} for browsers is known"


def why_not_readable(message: str, card: StackCard) -> str | None:
    """Return why people cannot read a message; None if they can or nothing is known."""
    known = card.get(FORMAT)
    return None if known is None or known["text"] else f"{message} is binary"


def _languages(card: StackCard) -> tuple[str, ...] | None:
    """Return the languages with a library of a message; None: all, or it is not known."""
    known = card.get(FORMAT)
    listed = None if known is None else known.get("languages")
    return None if listed is None else tuple(map(plain, listed))
