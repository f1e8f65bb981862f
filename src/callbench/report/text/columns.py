"""What tells the cells of a run apart besides group and stack: a column for what differs, a sentence for the rest."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from callbench.analysis.cells.results import Result
from callbench.model.cell import CLOSED
from callbench.stats.estimate.digits import given


@dataclass(frozen=True)
class CellColumn:
    """One attribute of cells.

    Attributes:
        name: the heading.
        text: what a cell has of it, "" for nothing.
        number: whether its texts are numbers.
    """

    name: str
    text: Callable[[Result], str]
    number: bool = False


COLUMNS = (
    CellColumn("call", lambda cell: cell.attributes["call"]),
    CellColumn("arguments", lambda cell: _members(cell.arguments)),
    CellColumn("options", lambda cell: _members(cell.options)),
    CellColumn("clients", lambda cell: cell.attributes["clients"], number=True),
    CellColumn("arrivals", lambda cell: "" if cell.attributes["arrivals"] == CLOSED else cell.attributes["arrivals"]),
    CellColumn("calls/s requested", lambda cell: cell.attributes["rate"], number=True),
    CellColumn("think ms", lambda cell: given(cell.think_ms) if cell.think_ms else "", number=True),
    CellColumn("ramp-up ms", lambda cell: given(cell.ramp_up_ms) if cell.ramp_up_ms else "", number=True),
    CellColumn("link", lambda cell: cell.attributes["link"]),
)


def differing(cells: Sequence[Result], *, within: bool = False) -> list[CellColumn]:
    """Choose the columns in which cells differ.

    Args:
        cells: all of a table.
        within: without those that a group's name stands for; loads and links are never left to it.
    """
    return [
        column
        for column in COLUMNS
        if len({column.text(cell) for cell in cells}) > 1 and not (within and _by_group(column, cells))
    ]


def _by_group(column: CellColumn, cells: Sequence[Result]) -> bool:
    """Return whether a group's name stands for what its cells have there."""
    if column.name in {"clients", "calls/s requested", "link"}:
        return False
    pairs = {(cell.attributes["group"], column.text(cell)) for cell in cells}
    return len(pairs) == len({group for group, _ in pairs})


def alike(cells: Sequence[Result]) -> str:
    """Describe what all cells have, in one sentence: what has no column; nothing if there is nothing to say."""
    parts = []
    for column in COLUMNS:
        texts = {column.text(cell) for cell in cells}
        if len(texts) == 1 and (text := texts.pop()):
            parts.append(f"{column.name} {text}")
    return f"All cells: {', '.join(parts)}." if parts else ""


def _members(members: object) -> str:
    """Write members in a line, or nothing if there are none."""
    return json.dumps(members, ensure_ascii=False) if members else ""
