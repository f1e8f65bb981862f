"""Tables of a report as rows of plain values, and the names of their columns."""

from collections.abc import Iterable, Mapping, Sequence

from callbench.report.text.section import Section

Row = Mapping[str, object]


def sheet_rows(sections: Iterable[Section]) -> list[dict[str, object]]:
    """Return a row for each value of the tables of a report, as the report writes it."""
    return [
        {"section": section.id, "table": sheet.title, "row": row[0], "column": column, "value": value}
        for section in sections
        for sheet in section.every_sheet
        for row in sheet.rows
        for column, value in zip(sheet.columns[1:], row[1:], strict=True)
    ]


def columns_of(rows: Sequence[Row]) -> list[str]:
    """Name the columns of rows, in the order in which they first occur."""
    return list(dict.fromkeys(name for row in rows for name in row))
