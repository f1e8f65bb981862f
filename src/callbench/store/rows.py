"""Rows of a query, each of a type that says its columns; and rows together that belong together."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import duckdb

Key = TypeVar("Key")
Row = TypeVar("Row")


def rows_of(connection: "duckdb.DuckDBPyConnection", query: str, row: Callable[..., Row]) -> list[Row]:
    """Run a query and make a row of each of its lines.

    Args:
        connection: to the tables of a record.
        query: among its columns are the members of a row.
        row: a `TypedDict` or a dataclass.

    Raises:
        TypeError: the query lacks a member of a row.
    """
    cursor = connection.execute(query)
    columns = {column[0]: place for place, column in enumerate(cursor.description or ())}
    members = row.__annotations__
    lacking = [name for name in members if name not in columns]
    if lacking:
        raise TypeError(f"the query has no column {', '.join(lacking)}: {query.strip()}")
    places = [(name, columns[name]) for name in members]
    return [row(**{name: values[place] for name, place in places}) for values in cursor.fetchall()]


def lines_of(connection: "duckdb.DuckDBPyConnection", query: str) -> list[dict[str, Any]]:
    """Run a query whose columns are known only when it runs. Return its lines, by the names of the columns."""
    cursor = connection.execute(query)
    columns = [column[0] for column in cursor.description or ()]
    return [dict(zip(columns, values, strict=True)) for values in cursor.fetchall()]


def grouped(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """Put rows together that have the same key, in their order."""
    gathered: dict[Key, list[Row]] = {}
    for row in rows:
        gathered.setdefault(key(row), []).append(row)
    return gathered
