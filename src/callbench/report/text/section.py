"""The parts that a section is made of."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from markupsafe import Markup

# A text that is longer is no value with its interval.
_VALUE = 40
_SIGNS = frozenset("±≥≤-+")
# The head of a column that has the intervals of the one before it. Without a head no column can be chosen or sorted.
INTERVAL = "interval"


@dataclass(frozen=True)
class Sheet:
    """A plain table: texts in rows, the first column naming the row.

    Attributes:
        rows: each as long as `columns`.
        note: a sentence below it, or "".
        unlike: whether the rows of a column are unlike things, whose numbers nobody compares: all stand to the left.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    unlike: bool = False

    def has_values(self, place: int) -> bool:
        """Return whether a column has values, which stand to the right, and not names or words, which may wrap."""
        texts = [row[place] for row in self.rows]
        longest = max(map(len, texts), default=0)
        return (
            place > 0
            and not self.unlike
            and longest <= _VALUE
            and any(text[:1].isdigit() or text[:1] in _SIGNS for text in texts if text)
        )


@dataclass(frozen=True)
class Chart:
    """A chart of the page, drawn when a page asks for it: a terminal and a program have no use for it.

    Attributes:
        draw: makes its SVG.
        source: the files of the run and the query that its values come from.
        sheets: tables that belong to it, shown right below.
        spec: its Vega-Lite description, with stand-ins for colours.
    """

    id: str
    title: str
    about: str
    draw: Callable[[], Markup]
    source: str
    sheets: Sequence[Sheet] = ()
    spec: Mapping[str, Any] | None = None

    @cached_property
    def svg(self) -> Markup:
        """The picture."""
        return self.draw()


@dataclass(frozen=True)
class Section:
    """One thing that a report shows.

    Attributes:
        id: the anchor on the page.
        about: what it shows and how to read it.
        found: sentences computed from the run.
        source: the files of the run and the query that its values come from, or "".
    """

    id: str
    title: str
    about: str
    found: Sequence[str] = ()
    sheets: Sequence[Sheet] = ()
    charts: Sequence[Chart] = field(default_factory=tuple)
    source: str = ""

    @property
    def every_sheet(self) -> list[Sheet]:
        """Its own sheets and those of its charts: for what shows no charts."""
        return [*self.sheets, *(sheet for chart in self.charts for sheet in chart.sheets)]
