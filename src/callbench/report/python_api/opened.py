"""A stored result, opened: its tables as pandas or Polars, its charts as Altair, itself as plain values."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from callbench.analysis.metrics import query
from callbench.analysis.run.subject import Subject, subject
from callbench.model.errors import BadInput, MachineFailure
from callbench.report import records
from callbench.report.charts.gallery import gallery
from callbench.report.charts.palette import CONFIG, STAND_INS
from callbench.report.export.plain_rows import columns_of
from callbench.report.export.rows import cell_rows
from callbench.report.sections.order import sections
from callbench.report.text.section import Chart
from callbench.report.text.summary import summary
from callbench.store.head import RUN
from callbench.store.query import JOURNAL
from callbench.store.record import Record
from callbench.store.tables import QUERIES

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import polars as pl

_EXTRA = "install it with: pip install 'callbench[notebook]'"


class Opened:
    """A stored result.

    Attributes:
        path: its folder, or the file of an advice.
        kind: what it is: `run`, `comparison`, `load`, `soak`, `advice` ...
    """

    def __init__(self, path: Path) -> None:
        """Opens a stored result for reading.

        Raises:
            BadInput: it is none, or damaged.
        """
        self.path = path
        self.kind: str = Record(path).kind if path.is_dir() or not path.exists() else str(self.record["kind"])

    def __repr__(self) -> str:
        """The call that opened it."""
        return f"callbench.open({str(self.path)!r})"

    @cached_property
    def record(self) -> Mapping[str, Any]:
        """All of it as plain values, as `callbench show RECORD --json` prints it."""
        document: Mapping[str, Any] = json.loads(json.dumps(records.as_record(self.path)))
        return document

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of its tables, which docs/reference/run-folder.md describes; a file has none."""
        if self.path.is_file():
            return ()
        return (*QUERIES, query.METRICS) if self.kind == RUN else (JOURNAL,)

    @overload
    def table(self, name: str, frame: Literal["pandas"] = "pandas") -> "pd.DataFrame": ...
    @overload
    def table(self, name: str, frame: Literal["polars"]) -> "pl.DataFrame": ...
    def table(self, name: str, frame: Literal["pandas", "polars"] = "pandas") -> "pd.DataFrame | pl.DataFrame":
        """Return a table of a record.

        Args:
            name: one of `tables`.
            frame: the library.

        Raises:
            BadInput: there is no such table, or the record is damaged.
            MachineFailure: the library is not installed.
        """
        if name not in self.tables:
            raise BadInput(f"{self.path} has no table {name!r}: it has {', '.join(self.tables) or 'none'}")
        return self.query(f'SELECT * FROM "{name}"', frame)  # noqa: S608 - one of our own names

    @overload
    def query(self, sql: str, frame: Literal["pandas"] = "pandas") -> "pd.DataFrame": ...
    @overload
    def query(self, sql: str, frame: Literal["polars"]) -> "pl.DataFrame": ...
    def query(self, sql: str, frame: Literal["pandas", "polars"] = "pandas") -> "pd.DataFrame | pl.DataFrame":
        """Return the answer to a query over the tables of a record, in the SQL of DuckDB.

        Raises:
            BadInput: the query is wrong, or the record has no tables.
            MachineFailure: the library is not installed.
        """
        if self.path.is_file():
            raise BadInput(f"{self.path} is a file, which has no tables: use .record")
        columns, rows = query.answered(Record(self.path), sql)
        return _frame(columns, rows, frame)

    @overload
    def cells(self, frame: Literal["pandas"] = "pandas") -> "pd.DataFrame": ...
    @overload
    def cells(self, frame: Literal["polars"]) -> "pl.DataFrame": ...
    def cells(self, frame: Literal["pandas", "polars"] = "pandas") -> "pd.DataFrame | pl.DataFrame":
        """Return a row for each cell of a run: each metric NAME, with its 95 % interval as NAME_low and NAME_high.

        Units are those of docs/reference/metrics.md. What was not measured is missing, never 0.

        Raises:
            BadInput: the record is no run, or damaged.
            MachineFailure: the library is not installed.
        """
        rows = cell_rows(self._subject)
        columns = columns_of(rows)
        return _frame(columns, [tuple(row.get(name) for name in columns) for row in rows], frame)

    def charts(self) -> "dict[str, alt.TopLevelMixin]":
        """Return the charts of the report of a run, by their name in it.

        Raises:
            BadInput: the record is no run, or damaged.
            MachineFailure: Altair is not installed.
        """
        try:
            import altair as alt  # noqa: PLC0415 - an extra
        except ImportError as failure:
            raise MachineFailure(f"Altair is missing: {_EXTRA}") from failure
        return {chart.id: alt.Chart.from_dict(coloured(chart.spec)) for chart in self._charts if chart.spec is not None}

    @property
    def _charts(self) -> list[Chart]:
        measured = self._subject
        return [
            *gallery(measured, summary(measured).choices),
            *(chart for section in sections(measured) for chart in section.charts),
        ]

    @cached_property
    def _run(self) -> Record:
        if self.kind != RUN:
            raise BadInput(
                f"{self.path} is a record of the kind {self.kind}, which has no cells: use .record or .query"
            )
        return Record(self.path)

    @cached_property
    def _subject(self) -> Subject:
        return subject(self._run)


def _frame(columns: Sequence[str], rows: Sequence[tuple[object, ...]], frame: str) -> "pd.DataFrame | pl.DataFrame":
    """Make a frame of rows.

    Raises:
        BadInput: no such library is known.
        MachineFailure: it is not installed.
    """
    values = {name: [row[place] for row in rows] for place, name in enumerate(columns)}
    try:
        match frame:
            case "pandas":
                import pandas as pd  # noqa: PLC0415 - an extra

                return pd.DataFrame(values, columns=pd.Index(columns))
            case "polars":
                import polars as pl  # noqa: PLC0415 - likewise

                return pl.DataFrame(values, strict=False, infer_schema_length=None)
    except ImportError as failure:
        raise MachineFailure(f"{frame} is missing: {_EXTRA}") from failure
    raise BadInput(f'there is no frame "{frame}": pandas or polars')


# A page has its own background; None is none that the schema knows.
_CONFIG = {name: value for name, value in CONFIG.items() if name != "background"}
_VARIABLE = re.compile(r"--([\w-]+):\s*(#[0-9a-fA-F]{3,8})")


@cache
def colours() -> Mapping[str, str]:
    """Return the light colours of the page by their stand-in: those of `:root` in page.css, which come first."""
    style = files("callbench.report").joinpath("templates/page.css").read_text(encoding="utf-8")
    named: dict[str, str] = {}
    for name, value in _VARIABLE.findall(style):
        named.setdefault(name, value)
    return {
        stand_in: named["ink"] if colour == "currentColor" else named[colour.removeprefix("var(--").removesuffix(")")]
        for stand_in, colour in STAND_INS.items()
    }


def coloured(spec: Mapping[str, object]) -> dict[str, object]:
    """Return a whole Vega-Lite description: with its schema, its configuration and real colours."""
    whole = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "config": _CONFIG, **spec}
    text = json.dumps(whole)
    for stand_in, colour in colours().items():
        text = text.replace(f'"{stand_in}"', f'"{colour}"')
    found: dict[str, object] = json.loads(text)
    return found
