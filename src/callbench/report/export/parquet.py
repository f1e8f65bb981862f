"""Rows as a Parquet file: numbers are numbers, whatever reads it."""

import json
from collections.abc import Sequence

import duckdb

from callbench.adapter import temporary
from callbench.report.export.plain_rows import Row, columns_of


def parquet_of(rows: Sequence[Row]) -> bytes:
    """Write rows. A column of whole numbers is BIGINT, of numbers DOUBLE, of yes and no BOOLEAN, of others VARCHAR."""
    columns = {name: _type([row.get(name) for row in rows]) for name in columns_of(rows)}
    types = ", ".join(f"{_quoted(name)}: {_quoted(kind)}" for name, kind in columns.items())
    with temporary.folder("callbench-parquet-") as folder, duckdb.connect() as connection:
        source, made = folder / "rows.jsonl", folder / "rows.parquet"
        source.write_text("".join(json.dumps(dict(row)) + "\n" for row in rows), encoding="utf-8")
        read = f"read_json({_quoted(str(source))}, format = 'newline_delimited', columns = {{{types}}})"
        connection.execute(f"COPY (SELECT * FROM {read}) TO {_quoted(str(made))} (FORMAT parquet, COMPRESSION zstd)")  # noqa: S608 - our own names, quoted
        return made.read_bytes()


def _type(values: Sequence[object]) -> str:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds == {int}:
        return "BIGINT"
    return "DOUBLE" if kinds and kinds <= {int, float} else "VARCHAR"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
