"""`--select`: choose the cells of a study."""

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from callbench.catalog import mixed
from callbench.model.cell import Cell, Stack, rate_text
from callbench.model.errors import BadInput

# Both together, as names of stacks have them: a box of the page's matrix.
PAIR = "message+channel"
KEYS = ("stack", "message", "channel", PAIR, "call", "group", "clients", "arrivals", "rate", "link")


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
            BadInput: a glob fits no cell, or no cell fits all keys; the sentence lists the possible values.
        """
        described = [_words(cell, stacks[cell.stack]) for cell in cells]
        there = {key: sorted({words[key] for words in described}) for key in KEYS}
        for key, globs in self.globs.items():
            for glob in globs:
                if cells and not any(_fits(key, word, glob) for word in there[key]):
                    raise BadInput(f"--select {key}={glob} matches nothing: {_instead(key, glob, there)}")
        chosen = [cell for cell in cells if self.matches(cell, stacks[cell.stack])]
        if not chosen and self.globs:
            raise BadInput("--select matches nothing: each key matches cells, but no cell matches all keys")
        return chosen


@dataclass(frozen=True)
class Selectable:
    """A part of a study's cells that `--select` can name.

    Attributes:
        select: the value of `--select`.
        label: in words.
        cells: how many cells it has.
        why_not: why none of them can run here, with the remedy; None if some can.
    """

    select: str
    label: str
    cells: int
    why_not: str | None


def choices(cells: Sequence[Cell], stacks: Mapping[str, Stack]) -> dict[str, list[Selectable]]:
    """Return what can be chosen of these cells, by key: the adapters, and each key that has several values."""
    of_key: dict[str, dict[tuple[str, str], list[Cell]]] = {}
    for cell in cells:
        words = _words(cell, stacks[cell.stack])
        adapter = cell.stack.partition("/")[0]
        of_key.setdefault("adapter", {}).setdefault((f"stack={adapter}/*", adapter), []).append(cell)
        for key in KEYS[1:]:
            of_key.setdefault(key, {}).setdefault((f"{key}={words[key]}", words[key]), []).append(cell)
    return {
        key: [_choice(*texts, chosen, stacks) for texts, chosen in values.items()]
        for key, values in of_key.items()
        if len(values) > 1
    }


def _choice(text: str, label: str, cells: Sequence[Cell], stacks: Mapping[str, Stack]) -> Selectable:
    whys = {stacks[cell.stack].why_not for cell in cells}
    return Selectable(text, label, len(cells), None if None in whys else min(filter(None, whys)))


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
        PAIR: f"{stack.message}+{stack.channel}",
        "call": cell.call,
        "group": cell.group,
        "clients": str(cell.load.clients),
        "arrivals": cell.load.arrivals,
        "rate": rate_text(cell.load.rate_per_s),
        "link": cell.link,
    }


def _fits(key: str, word: str, glob: str) -> bool:
    return mixed.fits(word, glob) if key == "stack" else fnmatch.fnmatchcase(word, glob)


def _instead(key: str, glob: str, there: Mapping[str, Sequence[str]]) -> str:
    """Suggest what may have been meant by a glob that fits nothing: another key, or the most similar value."""
    others = [name for name in KEYS if name != key and any(_fits(name, word, glob) for word in there[name])]
    if others:
        return f"did you mean {others[0]}={glob}? {_listed(key, there[key])}"
    plain = {word.casefold(): word for word in there[key]}
    close = get_close_matches(glob.replace("*", "").casefold(), plain, n=1)
    listed = _listed(key, there[key])
    return f"did you mean {key}={plain[close[0]]}? {listed}" if close else listed[0].lower() + listed[1:]


def _listed(key: str, words: Sequence[str]) -> str:
    shown = ", ".join(words[:12]) + (f" and {len(words) - 12} more" if len(words) > 12 else "")
    return f"The study has {key} {shown}"
