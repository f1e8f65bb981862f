"""A table in the terminal that cuts nothing off: names wrap at words; where that is not enough, a block a row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

# What a table has between two columns, and at its edges, of `box.SIMPLE_HEAD`.
_BETWEEN = 3
_EDGES = 2


@dataclass(frozen=True)
class Column:
    """A column.

    Attributes:
        number: whether it has numbers: to the right, and never broken over lines.
    """

    name: str
    number: bool = False


@dataclass(frozen=True)
class Grid:
    """A table to be printed.

    Attributes:
        rows: a text a column each; the first column names the row.
    """

    columns: Sequence[Column]
    rows: list[Sequence[Text]] = field(default_factory=list)
    title: str = ""

    def add(self, *texts: str | Text) -> None:
        """Add a row."""
        self.rows.append([one if isinstance(one, Text) else Text(one) for one in texts])

    def print(self, console: Console) -> None:
        """Print it so that every text stands whole, whatever the width."""
        if self.title:
            console.print(Text(self.title, style="bold"), soft_wrap=True)
        if sum(self._least()) + _BETWEEN * len(self.columns) + _EDGES <= console.width:
            console.print(self._table())
            return
        for line in self._blocks():
            console.print(line, soft_wrap=True)

    def _least(self) -> list[int]:
        """How narrow each column can be: a number is whole, a name can be broken where it has a space."""
        every = zip(self.columns, zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns), strict=True)
        return [
            max(
                (_widest(text.plain, number=column.number) for text in (Text(column.name), *texts)),
                default=0,
            )
            for column, texts in every
        ]

    def _table(self) -> Table:
        """Lay it out side by side."""
        table = Table(box=box.SIMPLE_HEAD)
        for column, least in zip(self.columns, self._least(), strict=True):
            table.add_column(
                Text(column.name),
                justify="right" if column.number else "left",
                no_wrap=column.number,
                min_width=least,
                overflow="fold",
            )
        for row in self.rows:
            table.add_row(*row)
        return table

    def _blocks(self) -> Iterator[Text]:
        """Lay it out one below the other: a row's name, and a line for whatever it has."""
        yield Text()
        for row in self.rows:
            yield Text.assemble(row[0], style="bold")
            for column, text in zip(self.columns[1:], row[1:], strict=True):
                for number, part in enumerate(text.split("\n")):
                    if part.plain:
                        name = f"  {column.name}: " if number == 0 and column.name else "    "
                        yield Text.assemble((name, "dim"), part)
            yield Text()


def _widest(text: str, *, number: bool) -> int:
    """How many columns of the terminal the widest part of a text takes that must not be broken."""
    return max((cell_len(part) for part in (text.splitlines() if number else text.split())), default=0)
