"""A load as load generators print it: samples, average, least, greatest, deviation, errors, rate, kilobytes."""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import TypedDict

from callbench.analysis.run.subject import Subject
from callbench.catalog.study.published import Published
from callbench.catalog.study.report_parts import SUMMARY_KEYS, Line, SummaryPart
from callbench.report.text.section import Section, Sheet
from callbench.stats.estimate.digits import figure, share
from callbench.store.rows import rows_of

ABOUT = (
    "A summary in the form that older load generators print, over all trials of a cell. Samples are all calls, right"
    " or wrong. Times are of right answers. The deviation comes from the histogram, with buckets 0.8 % wide. A"
    " kilobyte has 1,024 bytes, of heads and bodies of answers. Calls during the start of the clients count."
)
COLUMNS = ("", "samples", "average, ms", "minimum", "maximum", "deviation", "errors", "samples/s", "KB/s")
SUMMARY_SQL = """
SELECT cell, sum(calls) AS calls, sum(error_count) AS errors, sum(window_ns) AS window_ns,
       sum(window_calls) AS window_calls, sum(count) AS count,
       sum(sum_ns) AS sum_ns, min(min_ns) AS min_ns, max(max_ns) AS max_ns, sum(received_bytes) AS bytes
FROM trials GROUP BY cell"""
SPREAD_SQL = """
SELECT cell, sum(h.count)::DOUBLE AS n, sum(h.count * (low_ns + width_ns / 2)) AS s1,
       sum(h.count * power(low_ns + width_ns / 2, 2)) AS s2
FROM histograms h JOIN trials USING (trial) WHERE name = 'latency' GROUP BY cell"""


class _SummaryRow(TypedDict):
    """All trials of a cell together; times in nanoseconds, None where no call was answered."""

    cell: str
    calls: int
    errors: int
    window_ns: int
    window_calls: float
    count: int | None
    sum_ns: int | None
    min_ns: int | None
    max_ns: int | None
    bytes: int | None


class _SpreadRow(TypedDict):
    """A cell's answers by their histogram: how many, and the sums of their times and of the squares of these."""

    cell: str
    n: float
    s1: float
    s2: float


def section(subject: Subject) -> Section | None:
    """Show every summary of which the run has a cell, the published values below each row."""
    parts = subject.study.part.summaries
    if not parts:
        return None
    with subject.run.connection() as connection:
        rows = {row["cell"]: row for row in rows_of(connection, SUMMARY_SQL, _SummaryRow)}
        spreads_ns = {
            row["cell"]: sqrt(max(0.0, row["s2"] / row["n"] - (row["s1"] / row["n"]) ** 2))
            for row in rows_of(connection, SPREAD_SQL, _SpreadRow)
        }
    sheets = [sheet for part in parts if (sheet := _sheet(part, subject, rows, spreads_ns)) is not None]
    if not sheets:
        return None
    return Section("summaries", "Load summary", ABOUT, sheets=sheets, source=SUMMARY_SQL.strip())


def _sheet(
    part: SummaryPart, subject: Subject, by_cell: Mapping[str, _SummaryRow], spreads_ns: Mapping[str, float]
) -> Sheet | None:
    rows: list[Sequence[str]] = []
    for line in part.rows:
        cells = subject.results.where({"group": part.group, "link": part.link, **line.where.conditions()})
        if len(cells) != 1:
            continue
        cell = cells[0]
        spread = f" {share(cell.rate.half_width)}" if cell.rate and cell.rate.half_width else ""
        row = _row(by_cell[cell.id], spreads_ns.get(cell.id), spread) if cell.id in by_cell else None
        rows.append((line.label, *(row or ("",) * (len(COLUMNS) - 2) + (cell.excluded or "no trial",))))
        published = _published(line, subject.study.published)
        if published:
            rows.append((f"{line.label}, published", *published))
    return Sheet(part.title, COLUMNS, rows, part.about) if rows else None


def _row(of: _SummaryRow, spread_ns: float | None, spread: str) -> list[str]:
    samples = of["calls"] + of["errors"]
    times = [(of["sum_ns"] or 0) / of["count"], of["min_ns"], of["max_ns"], spread_ns] if of["count"] else []
    written = [figure((ns or 0) / 1e6) for ns in times] or ["", "", "", ""]
    # What was in flight at the end of a window counts by its part, in samples and bytes alike.
    seconds = of["window_ns"] / 1e9 * (of["calls"] / of["window_calls"] if of["window_calls"] else 1.0)
    kilobytes = figure(of["bytes"] / 1024 / seconds) if of["bytes"] else ""
    return [
        f"{samples:,}",
        *written,
        f"{100 * of['errors'] / samples:.2f} %" if samples else "",
        figure(samples / seconds) + spread,
        kilobytes,
    ]


def _published(line: Line, published: Published | None) -> list[str] | None:
    """The values of the published table that the row names."""
    if published is None or line.published is None:
        return None
    table = published.tree[line.published]
    return [
        f"{value:,.2f} %" if key == "error_pct" else f"{value:,}" for key in SUMMARY_KEYS for value in (table[key],)
    ]
