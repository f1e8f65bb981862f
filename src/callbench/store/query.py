"""SQL over the tables of a record."""

from collections.abc import Callable, Mapping

import duckdb

from callbench.model.errors import BadInput
from callbench.store.head import RUN
from callbench.store.record import Record
from callbench.store.tables import QUERIES

JOURNAL = "journal"
Maker = Callable[[Record, duckdb.DuckDBPyConnection], None]
Answer = tuple[list[str], list[tuple[object, ...]]]


def answered(run: Record, sql: str, computed: Mapping[str, Maker] | None = None) -> Answer:
    """Columns and rows of a query.

    Args:
        run: whose tables are asked.
        sql: the query.
        computed: more tables by name, which take long to make: each is made only for a query that fails without it.

    Raises:
        BadInput: the run is damaged, or the query wrong.
    """
    left = dict(computed or {})
    tables = ", ".join((*left, *QUERIES)) if run.kind == RUN else JOURNAL
    with run.connection() as connection:
        while True:
            try:
                cursor = connection.execute(sql)
                return [str(column[0]) for column in cursor.description or ()], cursor.fetchall()
            except duckdb.Error as failure:
                message = str(failure).partition("\n")[0]
                lacking = next((name for name in left if f"Table with name {name} does not exist" in message), None)
                if lacking is None:
                    raise BadInput(f"the query fails: {message} (tables: {tables})") from failure
            left.pop(lacking)(run, connection)
