"""`--select`: choose the cells of a study."""

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from callbench.catalog import mixed
from callbench.model.cell import Cell, Stack, rate_text
from callbench.model.errors import BadInput

KEYS = ("stack", "message", "channel", "call", "group", "clients", "arrivals", "rate", "link")


@dataclass(frozen=True)
class Selection:
    """Globs by key. The globs of one key are alternatives; every key must match."""

    globs: Mapping[str, tuple[str, ...]]

    def matches(self, cell: Cell, stack: Stack) -> bool:
        """Return whether the cell is selected; `stack` is the cell's."""
        words = _words(cell, stack)
        return all(any(_fits(key, words[key], glob) for glob in globs) for key, globs in self.globs.items())

    def apply(self, cells: Sequence[Cell], stacks: Mapping[str, Stack]) -> list[Cell]:
        """Return the selected cells in order.

        Raises:
            BadInput: no cell is selected; the sentence lists the possible values.
        """
        chosen = [cell for cell in cells if self.matches(cell, stacks[cell.stack])]
        if chosen or not self.globs:
            return chosen
        described = [_words(cell, stacks[cell.stack]) for cell in cells]
        for key, globs in self.globs.items():
            there = sorted({words[key] for words in described})
            if not any(_fits(key, word, glob) for word in there for glob in globs):
                raise BadInput(f"--select {key}={globs[0]} matches nothing: the study has {_some(there)}")
        raise BadInput("--select matches nothing: each key matches cells, but no cell matches all keys")


def parse(texts: Sequence[str]) -> Selection:
    """Parse `GLOB` (for the stack) and `KEY=GLOB`.

    Raises:
        BadInput: a key is unknown or a glob is empty.
    """
    globs: dict[str, tuple[str, ...]] = {}
    for text in texts:
        key, equals, glob = text.partition("=")
        if not equals:
            key, glob = "stack", text
        if key not in KEYS:
            raise BadInput(f"--select {text}: {key!r} is not a key: {', '.join(KEYS)} are")
        if not glob:
            raise BadInput(f"--select {text!r} has no pattern: give for instance {key}=*")
        globs[key] = (*globs.get(key, ()), glob)
    return Selection(globs)


def _words(cell: Cell, stack: Stack) -> dict[str, str]:
    return {
        "stack": cell.stack,
        "message": stack.message,
        "channel": stack.channel,
        "call": cell.call,
        "group": cell.group,
        "clients": str(cell.load.clients),
        "arrivals": cell.load.arrivals,
        "rate": rate_text(cell.load.rate_per_s),
        "link": cell.link,
    }


def _fits(key: str, word: str, glob: str) -> bool:
    return mixed.fits(word, glob) if key == "stack" else fnmatch.fnmatchcase(word, glob)


def _some(words: Sequence[str]) -> str:
    shown = ", ".join(words[:12])
    return f"{shown} and {len(words) - 12} more" if len(words) > 12 else shown
