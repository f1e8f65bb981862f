"""Why cells cannot run on this machine, and what sets that up."""

from collections.abc import Iterable
from dataclasses import dataclass

from callbench.catalog import setup
from callbench.catalog.catalogue import Catalogue
from callbench.model.cell import Cell, sides_of


@dataclass(frozen=True)
class LackingCells:
    """Cells that cannot run here, for one reason.

    Attributes:
        why: the reason, with its remedy.
        parts: what `callbench setup` takes to mend it; none where it cannot.
        cells: how many they are.
    """

    why: str
    parts: tuple[str, ...]
    cells: int


def lacking(cells: Iterable[Cell], known: Catalogue) -> list[LackingCells]:
    """Return why cells cannot run here, by reason."""
    stacks = {stack.id: stack for stack in known.every}
    parts = {each.name for each in known.adapters if each.why_not and setup.is_offered(each.manifest)}
    of_why: dict[str, list[Cell]] = {}
    for cell in cells:
        if why := stacks[cell.stack].why_not:
            of_why.setdefault(why, []).append(cell)
    return [
        LackingCells(why, tuple(sorted(parts & {adapter for cell in those for adapter in _adapters(cell)})), len(those))
        for why, those in of_why.items()
    ]


def _adapters(cell: Cell) -> set[str]:
    return {side.partition("/")[0] for side in sides_of(cell.stack)}
