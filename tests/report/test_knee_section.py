"""The report's comparison of knees: the highest, equivalent ones, and undecided ones."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import duckdb

from callbench.report.sections import knee
from callbench.report.text.section import Section
from callbench.store.requested.knee_search import Search

SEARCH: dict[str, Any] = {"knee": "users", "along": "rate", "objective": "p99 under 5 ms", "arrivals": "poisson",
          "least": 1.0, "most": 1e6, "precision": 0.05}  # fmt: skip


def shown(levels: dict[str, Sequence[float]]) -> Section:
    """The section of a run whose searches ended at these levels, one a fork."""
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE steps (knee VARCHAR, cell VARCHAR, stack VARCHAR, fork INT, step INT, along VARCHAR,"
        " level DOUBLE, reached_per_s DOUBLE, value_us DOUBLE, holds BOOLEAN, unsteady VARCHAR)"
    )
    for number, (stack, mine) in enumerate(levels.items()):
        for fork, level in enumerate(mine):
            for step, (at, holds) in enumerate(((level, True), (level * 1.05, False))):
                row = (
                    "users",
                    f"c{number}",
                    stack,
                    fork,
                    step,
                    "rate",
                    at,
                    at,
                    4000.0 if holds else 9000.0,
                    holds,
                    "",
                )
                connection.execute("INSERT INTO steps VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    searches = [Search(**{**SEARCH, "cell": f"c{number}"}) for number in range(len(levels))]
    subject: Any = SimpleNamespace(
        run=SimpleNamespace(connection=lambda: connection), requested=SimpleNamespace(knees=searches)
    )
    found = knee.section(subject)
    assert found is not None
    return found


def test_it_names_who_carries_most_who_as_much_and_who_cannot_be_distinguished() -> None:
    """Before, it named the highest alone, however little lay between it and the next."""
    found = shown(
        {
            "a/slow": [500, 505, 495, 500],
            "a/best": [1000, 1010, 995, 1005],
            "a/near": [990, 1000, 1000, 995],
            "a/noisy": [700, 1300, 800, 1050],
        }
    )
    [told] = found.found
    assert told.startswith("users: with p99 under 5 ms, a/best reaches 1,002 calls/s (± 1 %);")
    assert "within 5 % of that: a/near;" in told
    assert "not distinguished from a/noisy: a difference under 76 % could not be detected" in told
    columns, rows = found.sheets[0].columns, found.sheets[0].rows
    last = {row[0]: row[columns.index("ratio to the highest")].rsplit(" ", 1)[-1] for row in rows}
    assert last == {"a/best": "", "a/near": "equivalent", "a/noisy": "undecided", "a/slow": "worse"}


def test_one_fork_compares_nothing() -> None:
    found = shown({"a/best": [1000], "a/other": [900]})
    assert found.found == ["users: with p99 under 5 ms, a/best reaches 1,000 calls/s."]
