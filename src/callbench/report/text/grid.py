"""A table in the terminal that cuts nothing off: names wrap at words; if that is not enough, a block a row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from callbench.report.text.section import Sheet

# What a table has between two columns, and at its edges, of `box.SIMPLE_HEAD`.
_BETWEEN = 3
_EDGES = 2


@dataclass(frozen=True)
class Column:
    """A column.

    Attributes:
        number: whether it has numbers: to the right.
    """

    name: str
    number: bool = False


@dataclass(frozen=True)
class Grid:
    """A table to be printed.

    Attributes:
        rows: a text a column each; the first columns, up to the first of numbers, name the row.
        ruled: whether a line stands below the heads.
    """

    columns: Sequence[Column]
    rows: list[Sequence[Text]] = field(default_factory=list)
    title: str = ""
    ruled: bool = True

    def add(self, *texts: str | Text) -> None:
        """Add a row."""
        self.rows.append([text if isinstance(text, Text) else Text(text) for text in texts])

    def fits(self, width: int) -> bool:
        """Return whether its columns can stand side by side."""
        return self._widths(width - _BETWEEN * len(self.columns) - _EDGES) is not None

    def print(self, console: Console) -> None:
        """Print it so that every text stands whole, whatever the width."""
        if self.title:
            console.print(Text(self.title, style="bold"), soft_wrap=True)
        widths = self._widths(console.width - _BETWEEN * len(self.columns) - _EDGES)
        if widths is not None:
            console.print(self._table(widths))
            return
        for line in self._forks():
            console.print(line, soft_wrap=True)

    def _widths(self, available: int) -> list[int] | None:
        """Share a width out: whole lines where they fit, else the widest column gives way first; None: too narrow."""
        least = self._least()
        if sum(least) > available:
            return None
        widths = [
            max(map(cell_len, [column.name, *(line for row in self.rows for line in row[place].plain.splitlines())]))
            for place, column in enumerate(self.columns)
        ]
        while sum(widths) > available:
            widest = max(
                (place for place in range(len(widths)) if widths[place] > least[place]), key=widths.__getitem__
            )
            widths[widest] -= 1
        return widths

    def _least(self) -> list[int]:
        """How narrow each column can be: a number is whole with its interval, words break if there is a space."""
        every = zip(self.columns, zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns), strict=True)
        return [
            max([_widest(column.name), *(_widest(text.plain, number=column.number) for text in texts)])
            for column, texts in every
        ]

    def _table(self, widths: Sequence[int]) -> Table:
        """Lay it out side by side."""
        table = Table(box=box.SIMPLE_HEAD if self.ruled else None, pad_edge=self.ruled, header_style="bold")
        for column, width in zip(self.columns, widths, strict=True):
            table.add_column(
                Text(column.name),
                justify="right" if column.number else "left",
                width=width,
                overflow="fold",
            )
        for row in self.rows:
            table.add_row(*row)
        return table

    def _forks(self) -> Iterator[Text]:
        """Lay it out one below the other: a row's name, and a line for whatever it has."""
        names = next((place for place, column in enumerate(self.columns) if column.number), 1) or 1
        yield Text()
        for row in self.rows:
            yield Text.assemble(Text(" ").join(text for text in row[:names] if text.plain), style="bold")
            for column, text in zip(self.columns[names:], row[names:], strict=True):
                for number, part in enumerate(text.split("\n")):
                    if part.plain:
                        name = f"  {column.name}: " if number == 0 and column.name else "    "
                        yield Text.assemble((name, "dim"), part)
            yield Text()


def _widest(text: str, *, number: bool = False) -> int:
    """How many columns of the terminal the widest part of a text takes that must not be broken."""
    lines = text.splitlines()
    parts = [part for line in lines for part in ([line] if number and any(map(str.isdigit, line)) else line.split())]
    return max(map(cell_len, parts), default=0)


def grid_of(sheet: Sheet) -> Grid:
    """Lay a sheet out."""
    columns = [Column(name, number=sheet.has_values(place)) for place, name in enumerate(sheet.columns)]
    grid = Grid(columns, title=sheet.title)
    for row in sheet.rows:
        grid.add(*row)
    return grid
