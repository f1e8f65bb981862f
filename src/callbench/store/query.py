"""`callbench query`: SQL over a run's tables."""

import duckdb

from callbench.model.errors import BadInput
from callbench.store.run import Run
from callbench.store.tables import QUERIES


def answered(run: Run, sql: str) -> tuple[list[str], list[tuple[object, ...]]]:
    """Columns and rows of a query.

    Raises:
        BadInput: the run is damaged, or the query wrong.
    """
    with run.connection() as connection:
        try:
            cursor = connection.execute(sql)
            columns = [str(column[0]) for column in cursor.description or ()]
            return columns, cursor.fetchall()
        except duckdb.Error as failure:
            told = str(failure).partition("\n")[0]
            raise BadInput(f"the query fails: {told} (tables: {', '.join(QUERIES)})") from failure
