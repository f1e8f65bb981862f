"""How a command that measured ends in the terminal: the answer first, in 25 lines at most."""

import io
import math
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from callbench.report.text.grid import grid_of
from callbench.report.text.opening import MOST_ROWS, Opening, shortened
from callbench.report.text.section import Sheet

MOST_LINES = 25


def print_ending(opening: Opening, kept: Mapping[str, Path | None], console: Console, more: str = "") -> None:
    """Print the title, the first sentences, as much of the table as has room, and where the rest is.

    Args:
        opening: of what was measured.
        kept: the files and folders that were written, by what they are called; None: not written.
        console: where to. Lines that it breaks count as several.
        more: the command that prints the rest.
    """
    written = {f"{name}:": path for name, path in kept.items() if path is not None}
    width = max(map(len, written), default=0)
    last = [Text(f"{name:<{width}} {path}") for name, path in written.items()]
    last += [Text(f"`{more}` prints the rest.", style="dim")] if more else []
    title = Text(opening.title, style="bold")
    room = MOST_LINES - sum(_height(line, console) for line in (title, *last))
    before, room = _fitting([Text(sentence) for sentence in opening.sentences], room, console)
    table = _table(opening, room, console)
    room -= _height(Text(table), console) if table else 0
    after, room = _fitting([Text(sentence) for sentence in opening.more], room, console)
    for text in (title, *before, *([Text(table)] if table else []), *after, *last):
        console.print(text, soft_wrap=True)


def show_command(path: Path) -> str:
    """Return the command that prints a record whole."""
    return shlex.join(["callbench", "show", str(path)])


def _height(text: Text, console: Console) -> int:
    """Count the lines that a text takes where the terminal breaks it."""
    return sum(max(1, math.ceil(cell_len(line) / console.width)) for line in text.plain.split("\n"))


def _fitting(texts: list[Text], room: int, console: Console) -> tuple[list[Text], int]:
    """Take the texts that fit, in their order. Return them, and the lines that are left."""
    taken = []
    for text in texts:
        height = _height(text, console)
        if height <= room:
            taken.append(text)
            room -= height
    return taken, room


def _table(opening: Opening, room: int, console: Console) -> str:
    """Lay out as many rows of the table as fit; "" if not even one does."""
    if opening.sheet is None:
        return ""
    for rows in range(min(MOST_ROWS, len(opening.sheet.rows)), 0, -1):
        sheet = _narrowed(shortened(opening.sheet, rows), console.width)
        out = io.StringIO()
        grid_of(sheet).print(Console(file=out, width=console.width))
        text = "\n".join(filter(None, (out.getvalue().rstrip(), sheet.note)))
        if _height(Text(text), console) <= room:
            return text
    return ""


def _narrowed(sheet: Sheet, width: int) -> Sheet:
    """Leave out the last columns of a table that cannot stand side by side."""
    for columns in range(len(sheet.columns), 2, -1):
        part = replace(sheet, columns=sheet.columns[:columns], rows=[row[:columns] for row in sheet.rows])
        if grid_of(part).fits(width):
            left = len(sheet.columns) - columns
            note = f"{sheet.note} The first {columns} of {len(sheet.columns)} columns.".strip() if left else sheet.note
            return replace(part, note=note)
    return sheet
