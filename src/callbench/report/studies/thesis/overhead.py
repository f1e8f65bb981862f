"""What sweeps found: a fresh client's life by type and by size, how it grows, and the published counts beside it."""

from collections.abc import Mapping, Sequence
from functools import partial

from callbench.analysis.run.subject import Subject
from callbench.analysis.wire.accounts import SWEEPS_SQL, Sweep
from callbench.catalog.study.loads import SweepPart
from callbench.report.charts.draw import to_svg
from callbench.report.studies.thesis.growth_chart import growth as chart_of
from callbench.report.studies.thesis.overhead_beside import (
    Series,
    figures_of,
    numbers,
    published_fits,
    published_sizes,
    published_table,
    then_and_now,
)
from callbench.report.text.section import Chart, Section, Sheet
from callbench.stats.wire.growth import accumulated, growth, rhythm

_SIZES = 10
_JUMPS = 4
_DRAWN = 200
_NONE = "–"  # noqa: RUF001 - a mark, not a minus


def section(subject: Subject) -> Section | None:
    """Write the section, where a study has sweeps."""
    gathered = _gathered(subject)
    if not gathered:
        return None
    sheets: list[Sheet] = []
    charts: list[Chart] = []
    differ: list[str] = []
    for title, (part, series) in gathered.items():
        if part.published:
            charts += figures_of(subject, title, part, series)
        if all(sweep.swept is None for sweep in series.values()):
            sheets.append(_by_value(subject, title, part, series))
            if not any(numbers(sweep) for sweep in series.values()):
                compared, notes = then_and_now(subject, title, part, series)
                sheets += compared
                differ += notes
            continue
        sheets.append(_findings(subject, title, part, series))
        rows = published_sizes(subject, part)
        if rows:
            sheets += [_by_size(title, series, rows), _growth(title, series, rows)]
        if part.published:
            charts += _charts(title, series)
    return Section(
        id="overhead",
        title="Bytes by type and size",
        about=(
            "Bytes above TCP, both ways, in the life of a new client that connects, makes one call and ends. The"
            " thesis of 2003 counted the same bytes with a sniffer. The counts are exact, so only a few sizes are"
            " counted. The others are computed if they follow from these. Published rows stand below the measured"
            " ones."
        ),
        found=[*_sentences(gathered), *differ],
        sheets=sheets,
        charts=charts,
        source=SWEEPS_SQL,
    )


def _gathered(subject: Subject) -> dict[str, tuple[SweepPart, Series]]:
    """Put the sweeps of groups with the same title together."""
    parts = {group.group: group.sweep for group in subject.study.groups if group.sweep is not None}
    found: dict[str, tuple[SweepPart, Series]] = {}
    for cell in subject.results.cells:
        sweep, part = subject.results.sweeps.get(cell.id), parts.get(cell.attributes["group"])
        if sweep is not None and part is not None:
            title = part.title or cell.attributes["group"]
            stack = cell.attributes["stack"]
            found.setdefault(title, (part, {}))[1][subject.names.get(stack, stack)] = sweep
    return found


def _by_value(subject: Subject, title: str, part: SweepPart, series: Series) -> Sheet:
    """Write counts by value, as the thesis's table of primitive types."""
    values = next(iter(series.values())).values
    rows = [[stack, *_row([sweep.counts.get(value) for value in values])] for stack, sweep in series.items()]
    table = published_table(subject, part)
    for place, name in enumerate(table.get("columns", [])):
        published = [table[value][place] if value in table else None for value in values]
        rows.append([f"published: {name}", *_row(published)])
    data = next(iter(series.values())).payloads
    note = "Data in these bytes: " + ", ".join(f"{value} {data[value]}" for value in values) + "."
    return Sheet(f"Bytes of a life: {title}", ["stack", *values, "mean"], rows, note)


def _row(counts: Sequence[float | None]) -> list[str]:
    known = [count for count in counts if count is not None]
    mean = f"{sum(known) / len(known):,.1f}" if known else ""
    return [*(_NONE if count is None else f"{count:,.0f}" for count in counts), mean]


def _findings(subject: Subject, title: str, part: SweepPart, series: Series) -> Sheet:
    """Write what each stack's counts follow."""
    columns = [
        "stack",
        "counted",
        "known",
        "smallest",
        "bytes per item",
        "data per item",
        "grows",
        "jumps",
        "line",
        "largest residual",
    ]
    rows = []
    for stack, sweep in series.items():
        if sweep.swept is None or sweep.line is None:
            continue
        known = len(sweep.swept.measured) + len(sweep.swept.inferred)
        rows.append(
            [
                stack,
                f"{len(sweep.swept.measured)}{'' if sweep.reused else ' processes'}",
                f"{known} of {len(sweep.swept.grid)}",
                f"{sweep.swept.measured[sweep.swept.grid[0]]:,}",
                f"{sweep.per_item:.5g}",
                f"{sweep.item:.4g}",
                formula(sweep),
                _jumps(sweep),
                f"{sweep.line.slope * part.step:,.2f} x + {sweep.line.intercept:,.1f}",
                f"{sweep.line.greatest:,.1f}",
            ]
        )
    for name, fit in published_fits(subject, part).items():
        rows.append([f"published: {name}", "", "", f"{fit[1]:,}", "", "", "", "", f"{fit[0]:,} x + {fit[1]:,}", ""])
    note = (
        f"Line: least squares through the counted sizes, x in steps of {part.step}. Grows: the regular growth of the"
        " count. Jumps are listed separately. Largest residual: distance from the line, in bytes."
    )
    if published_fits(subject, part):
        note += " The published lines do not include one byte per character."
    return Sheet(f"Growth of bytes: {title}", columns, rows, note)


def formula(sweep: Sweep) -> str:
    """Write the rhythm in words: `500 bytes every 500`, `1,016 bytes every 1,000, 16 more than the data`."""
    # Where a third of the steps leave the rhythm, there is none: lengths follow what is sent.
    if sweep.swept is None or not sweep.swept.exact or 3 * len(sweep.swept.jumps) > len(sweep.swept.grid):
        return "depends on the values"
    grid, tact = sweep.swept.grid, sweep.swept.rhythm
    items = (grid[1] - grid[0]) * tact.steps
    beyond = tact.rise - sweep.item * items
    more = (
        f", {beyond:,.0f} more than the data"
        if beyond > 0
        else f", {-beyond:,.0f} less than the data"
        if beyond < 0
        else ""
    )
    fine = _fine(sweep)
    return f"{tact.rise:,} bytes every {items:,}{more}{fine}"


def _fine(sweep: Sweep) -> str:
    """Describe with what period the count grows item by item, if it is not item by item."""
    counts = [count for _, count in sorted(sweep.fine.items())][1:]
    if len(counts) < 4:
        return ""
    tact = rhythm(counts)
    return f"; near 0 {tact.rise:,} bytes every {tact.steps} items" if tact.steps > 1 else ""


def _jumps(sweep: Sweep) -> str:
    if sweep.swept is None or not sweep.swept.exact or 3 * len(sweep.swept.jumps) > len(sweep.swept.grid):
        return ""
    jumps = sweep.swept.jumps
    texts = [f"{jump.bytes:+d} after {jump.after:,}" for jump in jumps[:_JUMPS]]
    return "; ".join(texts) + (f"; {len(jumps) - _JUMPS} more" if len(jumps) > _JUMPS else "")


def _by_size(title: str, series: Series, published: Mapping[str, Mapping[int, float]]) -> Sheet:
    """Write counts at the published sizes."""
    sizes = list(next(iter(published.values())))[:_SIZES]
    rows = [
        [stack, *_row([sweep.swept.count(size) if sweep.swept else None for size in sizes])]
        for stack, sweep in series.items()
    ]
    rows += [[f"published: {name}", *_row([counts[size] for size in sizes])] for name, counts in published.items()]
    return Sheet(f"Bytes of a life by size: {title}", ["stack", *map(str, sizes), "mean"], rows)


def _growth(title: str, series: Series, published: Mapping[str, Mapping[int, float]]) -> Sheet:
    """Write how overhead grows from size to size, and what has come together."""
    sizes = list(next(iter(published.values())))[:_SIZES]
    every: dict[str, tuple[Sequence[int], int]] = {}
    for stack, sweep in series.items():
        counts = [sweep.swept.count(size) if sweep.swept else None for size in sizes]
        if None not in counts:
            every[stack] = [count for count in counts if count is not None], round(sweep.item)
    every |= {f"published: {name}": ([round(counts[size]) for size in sizes], 1) for name, counts in published.items()}
    rows = []
    for name, (by_size, unit) in every.items():
        deltas = growth(sizes, by_size, unit)
        if any(deltas):
            rows.append(
                [name, *(f"{delta:+d} ({total:+d})" for delta, total in zip(deltas, accumulated(deltas), strict=True))]
            )
        else:
            rows.append([name, *(["0"] * len(deltas))])
    note = "d(n) = f(n) - f(n') - data between n' and n. In brackets: the sum since the first size."
    return Sheet(f"Overhead growth: {title}", ["stack", *(str(size) for size in sizes[1:])], rows, note)


def _charts(title: str, series: Series) -> list[Chart]:
    """Draw the counts over the whole range, as far as they are known."""
    lines = {stack: _points(sweep, 0.0) for stack, sweep in series.items() if sweep.swept}
    about = "Bytes of a life by size, as far as known."
    spec = chart_of(lines, "items or characters", "bytes of a life")
    draw = partial(to_svg, spec, f"{title}: {about} The values are in the tables above.")
    slug = "".join(char if char.isalnum() else "-" for char in title)
    return [Chart(f"overhead-bytes-{slug}", f"{title}: whole range", about, draw, SWEEPS_SQL, spec=spec)]


def _points(sweep: Sweep, unit: float) -> list[tuple[float, float]]:
    assert sweep.swept is not None  # noqa: S101 - the caller has looked
    known = [(size, sweep.swept.count(size)) for size in sweep.swept.grid]
    points = [(float(size), count - unit * size) for size, count in known if count is not None]
    every = max(1, len(points) // _DRAWN)
    return points[::every]


def _sentences(gathered: Mapping[str, tuple[SweepPart, Series]]) -> list[str]:
    """Name who grows least and most."""
    texts = []
    for title, (_, series) in gathered.items():
        slopes = {stack: sweep.per_item for stack, sweep in series.items() if sweep.per_item}
        if len(slopes) < 2:
            continue
        least, most = (
            min(slopes, key=lambda name: slopes[name] or 0.0),
            max(slopes, key=lambda name: slopes[name] or 0.0),
        )
        texts.append(
            f"{title}: one more item takes from {slopes[least]:.4g} bytes ({least}) to {slopes[most]:.4g} ({most})."
        )
    counted = sum(len(sweep.counts) + len(sweep.fine) for _, series in gathered.values() for sweep in series.values())
    whole = sum(
        len(sweep.swept.grid) if sweep.swept else len(sweep.counts)
        for _, series in gathered.values()
        for sweep in series.values()
    )
    texts.append(f"{counted:,} lives were counted. They give the bytes of {whole:,} values.")
    return texts
