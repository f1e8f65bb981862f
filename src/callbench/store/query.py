"""`callbench query`: SQL over a run's tables."""

from collections.abc import Callable, Mapping

import duckdb

from callbench.model.errors import BadInput
from callbench.store.run import Run
from callbench.store.tables import QUERIES

Maker = Callable[[Run, duckdb.DuckDBPyConnection], None]
Answer = tuple[list[str], list[tuple[object, ...]]]


def answered(run: Run, sql: str, computed: Mapping[str, Maker] | None = None) -> Answer:
    """Columns and rows of a query.

    Args:
        run: whose tables are asked.
        sql: the query.
        computed: more tables by name, which take long to make: each is made only for a query that fails without it.

    Raises:
        BadInput: the run is damaged, or the query wrong.
    """
    left = dict(computed or {})
    tables = ", ".join((*left, *QUERIES))
    with run.connection() as connection:
        while True:
            try:
                cursor = connection.execute(sql)
                return [str(column[0]) for column in cursor.description or ()], cursor.fetchall()
            except duckdb.Error as failure:
                told = str(failure).partition("\n")[0]
                lacking = next((name for name in left if f"Table with name {name} does not exist" in told), None)
                if lacking is None:
                    raise BadInput(f"the query fails: {told} (tables: {tables})") from failure
            left.pop(lacking)(run, connection)
