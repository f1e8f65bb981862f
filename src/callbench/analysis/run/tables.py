"""A study's tables, filled from a run, with the published value beside each."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from callbench.analysis.cells.loop_time import LoopTime
from callbench.analysis.cells.metric_queries import queries
from callbench.analysis.cells.results import Result, Results
from callbench.analysis.cells.table_rows import SIDES_SQL, TRAFFIC_SQL, TRIALS_SQL
from callbench.analysis.cells.validity import CellValidity
from callbench.analysis.metrics.metric_values import bound_of, value_of, why_unknown
from callbench.analysis.wording import limits
from callbench.analysis.wording.naming import named
from callbench.analysis.wording.words import listed
from callbench.catalog.study import Study
from callbench.catalog.study.cells import LOOPBACK
from callbench.catalog.study.places import position
from callbench.catalog.study.report_parts import Line, TablePart
from callbench.model.metrics.metric import Better, Metric, ValueFormat
from callbench.model.metrics.registry import METRICS, TIMED_EACH
from callbench.stats.estimate.digits import BOUNDS, end, figure, share
from callbench.stats.estimate.interval import Interval
from callbench.stats.wire.break_even import break_even


@dataclass(frozen=True)
class TableCell:
    """One place of a table.

    Attributes:
        text: the value, with no more digits than its interval supports; "" if there is none.
        spread: half of its interval as a share: `± 4 %`.
        published: the published value as it was printed, or "".
        why: why there is no figure: `needs a link`.
        about: trials, forks, interval: what lies behind the value.
        heat: 0 for the worst of the table to 1 for the best, on a logarithmic scale; None without a value.
        value: the value itself, in the table's unit.
        interval: its interval, in the table's unit.
        cell: the cell's id, or "".
        tried: whether trials were made of it, answered or not.
    """

    text: str = ""
    spread: str = ""
    published: str = ""
    why: str = ""
    about: str = ""
    heat: float | None = None
    value: float | None = None
    interval: Interval | None = None
    cell: str = ""
    tried: bool = False


# What writes a value of a cell: the cell, and the name of the metric.
WritePlace = Callable[[Result, str], TableCell]


@dataclass(frozen=True)
class Row:
    """A row: its label, a note if it has one, and its places."""

    section: str
    label: str
    note: str
    places: Sequence[TableCell]


@dataclass(frozen=True)
class FilledTable:
    """A table with its values.

    Attributes:
        missing: one sentence where the whole table waits for something, or "".
        mixed: whether its columns have statistics of their own, each in its unit.
        left_out: one sentence that names the optional rows of which nothing was measured, or "".
    """

    id: str
    title: str
    about: str
    statistic: str
    metric: Metric
    columns: Sequence[str]
    rows: Sequence[Row]
    beside: bool
    missing: str
    source: str
    by_channel: bool = False
    left_out: str = ""
    mixed: bool = False

    @property
    def in_words(self) -> bool:
        """Whether its places are words: what limited a cell."""
        return self.statistic == limits.STATISTIC and not self.mixed

    @property
    def head(self) -> str:
        """What its rows are, if they are channels, as in most studies."""
        return "channel" if self.by_channel else ""

    @property
    def cells(self) -> bool:
        """Whether the run has a cell of it."""
        return any(cell.cell or cell.why for row in self.rows for cell in row.places)

    @property
    def sections(self) -> bool:
        """Whether its rows stand under headings."""
        return any(row.section for row in self.rows)


def filled(study: Study, results: Results, without: str = "", write: WritePlace | None = None) -> list[FilledTable]:
    """Fill every table of a study; `without` is why the run had no link between two hosts.

    `write` writes a value of a cell beside another. Published values, which are absolute, are left out then. A table
    of which the run has no cell, as a quick run may leave out, is not there, unless it says what it waits for
    or has published values.
    """
    every = [_filled(study, table, results, without, write) for table in study.tables]
    return [table for table in every if table.missing or table.beside or table.cells]


def _filled(study: Study, table: TablePart, results: Results, without: str, write: WritePlace | None) -> FilledTable:
    """Fill one table."""
    put = write or table_cell
    every = [[_choose(table, row, column, results, put) for column in table.columns] for row in table.rows]
    kept = [
        (row, line)
        for row, line in zip(table.rows, every, strict=True)
        if not row.optional or any(cell.text or cell.tried for cell in line)
    ]
    lines = [line for _, line in kept]
    hidden = [row.label for row in table.rows if row not in [row for row, _ in kept]]
    values = [cell.value for line in lines for cell in line if cell.value]
    mixed = any(column.statistic for column in table.columns)
    spans = [
        _span(line[index] for line in lines) if mixed else _span(itertools.chain(*lines))
        for index in range(len(table.columns))
    ]
    rows = []
    for row, line in kept:
        places = []
        for column, cell, (lowest, highest) in zip(table.columns, line, spans, strict=True):
            heat = None
            better = METRICS[column.statistic or table.statistic].better
            if cell.value and highest > lowest and better is not Better.NEITHER:
                heat = (math.log(cell.value) - lowest) / (highest - lowest)
                heat = heat if better is Better.HIGHER else 1 - heat
            published = "" if write else _published(study, table, row, column)
            places.append(TableCell(**{**cell.__dict__, "heat": heat, "published": published}))
        rows.append(Row(row.section or "", row.label, row.note, places))
    waits = not values and _without_link(table.link, results)
    return FilledTable(
        id=table.id,
        title=table.title,
        about=table.about,
        statistic=table.statistic,
        metric=METRICS[table.statistic],
        mixed=mixed,
        columns=[column.label for column in table.columns],
        rows=rows,
        beside=any(cell.published for row in rows for cell in row.places),
        missing=f"Needs a link between two hosts ({table.link}). This run had none. {without}".strip() if waits else "",
        source=_source(table),
        by_channel=all(row.where.channel for row in table.rows),
        left_out=f"Not measured in this run: {listed(hidden)}." if hidden else "",
    )


def _span(places: Iterable[TableCell]) -> tuple[float, float]:
    """Return the logarithms of the least and the greatest value, for the heat of all between."""
    logs = [math.log(cell.value) for cell in places if cell.value]
    return (min(logs), max(logs)) if logs else (0.0, 0.0)


def _choose(table: TablePart, row: Line, column: Line, results: Results, write: WritePlace) -> TableCell:
    """Find the cell of one place and write its value."""
    if column.sections and row.section not in column.sections:
        return TableCell(about="No value in this section.")
    conditions = {"link": table.link, **position(table, row.where.conditions(), column.where.conditions())}
    cells = results.where(conditions)
    statistic = column.statistic or table.statistic
    if statistic == "break_even_mbit":
        against = row.against.conditions() if row.against else None
        return _break_even(cells, results.where({**conditions, **against}) if against else ())
    if len(cells) > 1:
        return TableCell(
            why=f"{len(cells)} cells", about="More than one cell belongs here. The study must distinguish them."
        )
    if not cells:
        waits = _without_link(table.link, results)
        return TableCell(why="needs a link" if waits else "", about="Not part of this run.")
    if statistic == limits.STATISTIC and limits.word(cells[0], None):
        return _limit(cells[0], results.validity.cells.get(cells[0].id))
    return write(cells[0], statistic)


def _without_link(link: str, results: Results) -> bool:
    """Return whether a run had no link of this kind: where it had, a cell that is not there was not chosen."""
    return link != LOOPBACK and not results.where({"link": link})


def _limit(result: Result, known: CellValidity | None) -> TableCell:
    """Write what limited a cell."""
    why = result.verdict.why if result.verdict else ""
    about = f"{named(result)}: {why}"
    return TableCell(limits.word(result, known), limits.busy_shares(known), about=about, cell=result.id, tried=True)


def table_cell(result: Result, statistic: str) -> TableCell:
    """Write one cell's value."""
    metric = METRICS[statistic]
    interval = value_of(result, statistic)
    spent = result.costs.get(statistic)
    if spent is not None and spent.under is not None:
        about = "Too short for the clock of processor time with so few calls."
        return TableCell(f"under {figure(spent.under)}", about=f"{named(result)}: {about}", cell=result.id)
    if interval is None:
        errors = ", ".join(f"{count} x {kind}" for kind, count in result.errors.items())
        batched = statistic in TIMED_EACH and result.batched
        missed = result.open_loop.missed if result.open_loop else None
        why = "not reached" if missed else result.died
        failed = "failed" if errors and result.rate is None else ""
        never = "not steady" if result.not_steady else ""
        unknown = why_unknown(result, statistic)
        few = ("few calls" if statistic in result.too_few else "varies") if unknown else ""
        why = why or ("batches" if batched else "excluded" if result.excluded else never or failed or few)
        about = (
            result.excluded
            or missed
            or (result.unsteady.why if result.unsteady and never else "")
            or errors
            or (f"{unknown[0].upper()}{unknown[1:]}." if unknown else "")
            or ("No percentiles: too short for single timing." if batched else "No trial.")
        )
        tried = bool(result.trials or never)
        return TableCell(why=why, about=f"{named(result)}: {about}", cell=result.id, tried=tried)
    counted = f"{round(interval.middle):,}" if metric.form is ValueFormat.WHOLE else ""
    is_rate = statistic == "rate_per_s"
    paced = result.open_loop is not None or result.think_ms > 0
    return TableCell(
        text=counted or BOUNDS[bound_of(result, statistic)] + figure(interval.middle, interval.half_width),
        # A pace that was asked for has no interval of its own: that of a schedule kept says nothing of the stack.
        spread="" if counted or (is_rate and paced) else share(interval.half_width),
        about=details(result, interval, metric),
        value=interval.middle,
        interval=interval,
        cell=result.id,
    )


def _break_even(cells: Sequence[Result], against: Sequence[Result]) -> TableCell:
    """Write the rate of a link below which the cell pays against the other."""
    if len(cells) != 1 or len(against) != 1:
        return TableCell(about="Not part of this run.")
    cell, other = cells[0], against[0]
    sizes = [side.interval("bytes") for side in (cell, other)]
    times = [side.by_fork.get("mean_us", {}) for side in (cell, other)]
    if not (sizes[0] and sizes[1]):
        return TableCell(why="no sizes", about=f"{cell.attributes['stack']}: the size of its messages is not known.")
    saved = sizes[1].middle - sizes[0].middle
    rate = break_even(saved, *times)
    if rate is None:
        return TableCell(about="Not part of this run.")
    about = f"{named(cell)} against {named(other)}: {saved:,.0f} bytes saved, {rate.forks} forks"
    if rate.middle == 0:
        return TableCell(text="never", about=about, cell=cell.id)
    if math.isinf(rate.middle) or rate.high is None or math.isinf(rate.high):
        least = rate.low
        certain = least is not None and not math.isinf(least)
        return TableCell(text=f"over {figure(least)}" if least and certain else "always", about=about, cell=cell.id)
    interval = Interval(rate.middle, rate.low, rate.high, rate.forks)
    ends = [end(bound, rate.middle, interval.half_width) for bound in (rate.low or 0.0, rate.high)]
    return TableCell(
        text=figure(rate.middle, interval.half_width),
        spread=f"{ends[0]} to {ends[1]}",
        about=about,
        value=rate.middle,
        interval=interval,
        cell=cell.id,
    )


def details(result: Result, interval: Interval, metric: Metric) -> str:
    """Describe what lies behind a value, in a line."""
    parts = [
        named(result),
        _count(result.trials, "trial") + " in " + _count(interval.forks, "fork"),
    ]
    parts.append(f"{result.calls:,} calls")
    if metric.name == "rate_per_s" and result.loop is not None:
        parts.append(loop_text(result.loop))
    if interval.low is not None and interval.high is not None:
        ends = [end(bound, interval.middle, interval.half_width) for bound in (interval.low, interval.high)]
        parts.append(f"95 % interval {ends[0]} to {ends[1]} {metric.unit}")
    else:
        parts.append("one fork: no interval")
    if result.errors:
        parts.append("errors: " + ", ".join(f"{count} x {kind}" for kind, count in result.errors.items()))
    if result.batched:
        parts.append("timed in batches")
    if result.died:
        parts.append(result.died)
    if not result.agree:
        parts.append("client and server counted differently")
    return "; ".join(parts)


def loop_text(loop: LoopTime) -> str:
    """Write what was taken off a rate: `the load loop's own time, 4.0 µs of 55 (3.8 to 4.2), is taken off`."""
    us = loop.us
    ends = (
        []
        if us.low is None or us.high is None
        else [end(bound, us.middle, us.half_width) for bound in (us.low, us.high)]
    )
    interval = f" ({' to '.join(ends)})" if ends else ""
    whole = figure(loop.whole_us.middle, loop.whole_us.half_width)
    return f"the load loop's own time, {figure(us.middle, us.half_width)} µs of {whole}{interval}, is taken off"


def _count(number: int, name: str) -> str:
    """Write a number of things."""
    return f"{number} {name}" + ("" if number == 1 else "s")


def _published(study: Study, table: TablePart, row: Line, column: Line) -> str:
    """Write the published value as it stands in the published file."""
    if not (study.published and table.published and row.published and column.published):
        return ""
    value = study.published.printed(table.published, row.published, column.published)
    if value is None or isinstance(value, str):
        return value or ""
    if value >= 1000 or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.{study.published.decimals(table.published)}f}"


def _source(table: TablePart) -> str:
    """Write the query over the run that gives the table's figures: shown to a reader, never run here."""
    own = queries([METRICS[table.statistic]])
    if own:
        return own[0]
    conditions: Mapping[str, str] = {"link": table.link, **({"group": table.group} if table.group else {})}
    where = " AND ".join(f"\"{key}\" = '{value}'" for key, value in conditions.items())
    trials = "'parquet/trials.parquet' JOIN 'parquet/cells.parquet' USING (cell)"
    codecs = 'SELECT stack, message, "group",'
    texts = {
        "rate_per_s": f'SELECT stack, "group", exp(avg(ln(rate_per_s))) FROM {trials} WHERE {where} GROUP BY ALL',  # noqa: S608 - text for a reader, run by nobody here
        "mean_us": f'SELECT stack, "group", sum(sum_ns) / sum(count) / 1e3 FROM {trials} WHERE {where} GROUP BY ALL',  # noqa: S608 - text for a reader, run by nobody here
        "cpu_us": f'SELECT stack, "group", sum(user_ns + system_ns + server_user_ns + server_system_ns) / sum(calls) / 1e3 FROM {trials} WHERE {where} GROUP BY ALL',  # noqa: S608, E501 - text for a reader, run by nobody here
        "codec_us": f"{codecs} sum(encode_ns + decode_ns) FROM 'parquet/codecs.parquet' GROUP BY ALL",
        "break_even_mbit": "8 * (bytes of the one - bytes of the other) / (mean_us of the other - mean_us of the one)",
        "client_cpu_us": TRIALS_SQL,
        "server_cpu_us": TRIALS_SQL,
        "backend_cpu_us": TRIALS_SQL,
        "link_bytes": TRAFFIC_SQL,
        limits.STATISTIC: SIDES_SQL,
        "bytes": f"{codecs} sum(bytes) FROM 'parquet/codecs.parquet' GROUP BY ALL",
    }
    buckets = f"{trials} JOIN 'parquet/histograms.parquet' h USING (trial) WHERE name = 'latency' AND {where}"
    percentiles = f"SELECT cell, low_ns, width_ns, sum(h.count) FROM {buckets} GROUP BY ALL ORDER BY ALL"  # noqa: S608 - text for a reader, run by nobody here
    return texts.get(table.statistic, percentiles)
