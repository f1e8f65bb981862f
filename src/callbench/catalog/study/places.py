"""The place of a cell in a study: its table, its published value, its link."""

from collections.abc import Mapping

from callbench.catalog.study.load import Study
from callbench.catalog.study.report_parts import TablePart


def link_of(study: Study, group: str | None) -> str:
    """Return the link of a group's cells; the first one if there are several."""
    return next(
        (candidate.link[0] for candidate in study.groups if candidate.group == group and candidate.link),
        study.part.load.link,
    )


def position(table: TablePart, row: Mapping[str, str], column: Mapping[str, str]) -> dict[str, str]:
    """Return the conditions of a place in a table: a column's values replace the row's and the table's."""
    return {**({"group": table.group} if table.group else {}), **row, **column}


def published_figure(study: Study, conditions: Mapping[str, str], statistic: str) -> float | None:
    """Return a cell's published value: from the row and column of a metric's tables that mean just this cell."""
    if study.published is None:
        return None
    for table in study.tables:
        if table.published is None or table.statistic != statistic:
            continue
        for row in table.rows:
            for column in table.columns:
                if not (row.published and column.published):
                    continue
                if position(table, row.where.conditions(), column.where.conditions()) == conditions:
                    value = study.published.figure(table.published, row.published, column.published)
                    if value is not None:
                        return value
    return None
