"""Rows as a table for the terminal."""

from collections.abc import Mapping, Sequence

from callbench.report.text.grid import Column, Grid


def of(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> Grid:
    """A table with these columns."""
    shown = Grid([Column(name) for name in columns], ruled=False)
    for row in rows:
        shown.add(*(_cell(row[column]) for column in columns))
    return shown


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key}={each}" for key, each in value.items())
    return "" if value is None else str(value)
