"""Where a cell stands in a study: in which table, beside which published figure, over which link."""

from collections.abc import Mapping

from callbench.catalog.study.load import Study
from callbench.catalog.study.shown import TablePart


def link_of(study: Study, group: str | None) -> str:
    """Give the link that a group's cells lie over, the first where there are several."""
    return next((one.link[0] for one in study.groups if one.group == group and one.link), study.part.load.link)


def position(table: TablePart, row: Mapping[str, str], column: Mapping[str, str]) -> dict[str, str]:
    """Give the conditions of a place in a table: the column says more than the row, and the row more than the table."""
    return {**({"group": table.group} if table.group else {}), **row, **column}


def published_figure(study: Study, conditions: Mapping[str, str], statistic: str) -> float | None:
    """Find a cell's published figure through the tables of a statistic: the row and column that name just this cell."""
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
