"""Rows of a query have the members that their type says, and a query that lacks one is refused."""

from dataclasses import dataclass
from typing import TypedDict

import duckdb
import pytest

from callbench.store.rows import grouped, rows_of


class Named(TypedDict):
    """One column."""

    name: str


class Counted(Named):
    """Another one besides."""

    count: int


@dataclass(frozen=True)
class Count:
    """The same as an object."""

    name: str
    count: int


SQL = "SELECT * FROM (VALUES ('a', 1, 0.5), ('b', 2, 0.5), ('a', 3, 0.5)) AS t(name, count, share)"


def test_a_row_has_its_members_and_no_more() -> None:
    with duckdb.connect() as connection:
        assert rows_of(connection, SQL, Counted)[:2] == [{"name": "a", "count": 1}, {"name": "b", "count": 2}]
        assert rows_of(connection, SQL, Count)[2] == Count("a", 3)


@pytest.mark.parametrize("row", [Counted, Count])
def test_a_query_that_lacks_a_member_is_refused(row: type) -> None:
    with duckdb.connect() as connection, pytest.raises(TypeError, match="no column count: SELECT 'a' AS name"):
        rows_of(connection, "SELECT 'a' AS name", row)


def test_rows_are_put_together_in_their_order() -> None:
    with duckdb.connect() as connection:
        together = grouped(rows_of(connection, SQL, Count), lambda count: count.name)
    assert {name: [count.count for count in counts] for name, counts in together.items()} == {"a": [1, 3], "b": [2]}
