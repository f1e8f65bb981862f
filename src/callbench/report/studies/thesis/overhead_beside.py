"""What sweeps found beside the published counts: the published values drawn again, and where the bytes differ."""

from collections.abc import Mapping, Sequence
from typing import Any

from callbench.analysis.run.subject import Subject
from callbench.analysis.wire.accounts import SWEEPS_SQL, Ledger, Sweep
from callbench.analysis.wire.counts import FIRST, SET_UP, STEADY, stream
from callbench.catalog.study.loads import SweepPart
from callbench.report.charts.chart import chart
from callbench.report.studies.thesis.published_lines import marks, published_lines
from callbench.report.text.section import Chart, Sheet
from callbench.stats.wire.growth import accumulated, growth

Series = dict[str, Sweep]
# The published lines are over steps of that many characters.
_STEP = 500
# What grows by more than this in all does not go in steps: its chart would hide those that do.
_STEPS_WITHIN = 400
_SIZE = {
    "type": "quantitative",
    "axis": {"title": "items or characters", "format": ",d", "tickCount": 8, "grid": False},
}
_BROKEN = " Solid lines: this run. Broken lines: published."


def published_table(subject: Subject, part: SweepPart) -> dict[str, Any]:
    """Find the published table of a sweep."""
    node: Any = subject.study.published.tree if subject.study.published and part.published else {}
    for step in (part.published or "").split("."):
        node = node.get(step, {}) if isinstance(node, dict) else {}
    return node if isinstance(node, dict) else {}


def published_sizes(subject: Subject, part: SweepPart) -> dict[str, dict[int, float]]:
    """Read a published table whose rows are sizes: counts by size, by column."""
    table = published_table(subject, part)
    sizes = sorted(int(key) for key in table if key.isdigit())
    return {
        name: {size: float(table[str(size)][place]) for size in sizes}
        for place, name in enumerate(table.get("columns", []))
        if sizes
    }


def published_fits(subject: Subject, part: SweepPart) -> dict[str, Sequence[float]]:
    """Read a published table of lines: slope and intercept by name."""
    table = published_table(subject, part)
    return {name: fit for name, fit in table.items() if isinstance(fit, list) and len(fit) == 2 and not name.isdigit()}


def _here(subject: Subject, name: str, series: Series) -> str:
    """Call a published thing as its first row of this run is called, so that both have one colour."""
    return next(
        (row.label for row in subject.study.part.rows if row.published == name and row.label in series),
        f"{name} (published only)",
    )


def figures_of(subject: Subject, title: str, part: SweepPart, series: Series) -> list[Chart]:
    """Draw the published value again, with the published counts in it."""
    slug = "".join(char if char.isalnum() else "-" for char in title)
    sizes, fits = published_sizes(subject, part), published_fits(subject, part)
    if not any(numbers(sweep) for sweep in series.values()):
        table = published_table(subject, part)
        values = next(iter(series.values())).values
        here = {name: {value: float(count) for value, count in sweep.counts.items()} for name, sweep in series.items()}
        there = {
            _here(subject, name, series): {value: float(table[value][place]) for value in values if value in table}
            for place, name in enumerate(table.get("columns", []))
        }
        drawn = chart(
            f"beside-{slug}", title, "Bytes of a life by type." + _BROKEN, marks(here, there, "bytes"), SWEEPS_SQL
        )
        return [drawn] if drawn else []
    if sizes:
        there_lines = {_here(subject, name, series): [*counts.items()] for name, counts in sizes.items()}
        within = max(size for counts in sizes.values() for size in counts)
        about = "Bytes of a life by size, up to the largest published size." + _BROKEN
        spec = published_lines(_lines(series, 0.0, within), there_lines, _SIZE, "bytes")
        drawn = chart(f"beside-{slug}", title, about, spec, SWEEPS_SQL)
        stepped = _steps(subject, slug, series, sorted(next(iter(sizes.values()))))
        return [picture for picture in (drawn, stepped) if picture]
    within = max(known(sweep)[-1][0] for sweep in series.values() if numbers(sweep))
    level = {
        _here(subject, name, series): [(float(at), fit[0] * at / _STEP + fit[1]) for at in (0, within)]
        for name, fit in fits.items()
    }
    about = "Bytes of a life by length, without one byte per character." + _BROKEN
    spec = published_lines(_lines(series, 1.0, within), level, _SIZE, "bytes without one per character", straight=True)
    drawn = chart(f"beside-{slug}", title, about, spec, SWEEPS_SQL)
    return [drawn] if drawn else []


def numbers(sweep: Sweep) -> bool:
    """Return whether a sweep ran over numbers."""
    return all(value.isdigit() for value in sweep.values)


def known(sweep: Sweep) -> list[tuple[int, int]]:
    """Return sizes and counts as far as they are known, counted or computed, of a sweep over numbers."""
    if sweep.swept is None:
        return sorted((int(value), count) for value, count in sweep.counts.items())
    return [(size, count) for size in sweep.swept.grid if (count := sweep.swept.count(size)) is not None]


def _lines(series: Series, unit: float, within: float) -> dict[str, list[tuple[float, float]]]:
    """Return what is known of each stack up to a size, less `unit` bytes an item."""
    return {
        name: [(float(size), count - unit * size) for size, count in known(sweep) if size <= within]
        for name, sweep in series.items()
        if numbers(sweep)
    }


def _steps(subject: Subject, slug: str, series: Series, sizes: Sequence[int]) -> Chart | None:
    """Draw how overhead comes together from size to size, as the thesis's figure 16 does for DCOM."""
    here: dict[str, list[tuple[float, float]]] = {}
    for name, sweep in series.items():
        counts = [sweep.swept.count(size) if sweep.swept else None for size in sizes]
        counted = [count for count in counts if count is not None]
        if len(counted) == len(sizes) and len(sizes) > 2:
            totals = [0, *accumulated(growth(sizes, counted, round(sweep.item)))]
            if max(map(abs, totals)) <= _STEPS_WITHIN:
                here[name] = [(float(size), float(total)) for size, total in zip(sizes, totals, strict=True)]
    tree: Mapping[str, Any] = subject.study.published.tree if subject.study.published else {}
    steps = (tree.get("dcom_growth") or {}).get("steps") or []
    there = {_here(subject, "dcom", series): [(0.0, 0.0), *((float(at), float(total)) for at, _, total in steps)]}
    if not here:
        return None
    about = (
        f"Bytes added since size 0, without the data. Rows that add over {_STEPS_WITHIN} bytes are left out." + _BROKEN
    )
    spec = published_lines(here, there if steps else {}, _SIZE, "bytes added since size 0", straight=True)
    return chart(f"beside-steps-{slug}", "Figure 16: accumulated overhead", about, spec, SWEEPS_SQL)


def then_and_now(subject: Subject, title: str, part: SweepPart, series: Series) -> tuple[list[Sheet], list[str]]:
    """Describe by how many bytes each row differs from the published one, and in which part of a client's life.

    A difference that is the same for every type is not in the call, which writes each type at its own length: it is in
    what comes before it, the name service, handshakes and versions.
    """
    table = published_table(subject, part)
    columns = table.get("columns", [])
    ledgers = _ledgers(subject)
    rows, notes = [], []
    for row in subject.study.part.rows:
        sweep = series.get(row.label)
        if sweep is None or row.published not in columns:
            continue
        place = columns.index(row.published)
        apart = {value: count - int(table[value][place]) for value, count in sweep.counts.items() if value in table}
        least, most = min(apart.values()), max(apart.values())
        ledger = ledgers.get(row.label)
        phases = [round(stream(ledger.phases[name])) for name in (SET_UP, FIRST, STEADY)] if ledger else []
        texts = [f"{phase:,}" for phase in phases] or ["", "", ""]
        rows.append((row.label, f"{least:+,}", f"{most:+,}", *texts))
        notes.append(_difference(row.label, least, most, phases))
    if not rows:
        return [], []
    names = ("", "smallest", "largest", "set-up, this run", "first call, this run", "steady call, this run")
    note = (
        "Bytes of this run minus published bytes, by type. Then the phases of a call without parameters, streams only"
        " (wire ledger). The published counts include name service, handshake and call, without a distinction."
    )
    return [Sheet(f"Comparison with published bytes: {title}", names, rows, note)], notes


def _ledgers(subject: Subject) -> dict[str, Ledger]:
    """Find the account of each row's call without parameters."""
    found = {}
    for cell in subject.results.cells:
        ledger = subject.results.ledgers.get(cell.id)
        if ledger and ledger.phases and cell.attributes["call"] == "Empty":
            stack = cell.attributes["stack"]
            found[subject.names.get(stack, stack)] = ledger
    return found


def _difference(label: str, least: int, most: int, phases: Sequence[int]) -> str:
    """Write where the difference lies."""
    more = f"{abs(least):,} bytes {'more' if least > 0 else 'fewer'} than in 2003"
    if least == most == 0:
        return f"{label}: every type takes as many bytes as in 2003."
    before = f" (set-up {phases[0]:,} bytes, first call {phases[1]:,}, steady call {phases[2]:,})" if phases else ""
    if least == most:
        return (
            f"{label}: {more} for every type. The bytes of the call itself depend on its type as in 2003. So the"
            f" difference lies before and around the call{before}."
        )
    if most - least <= abs(least) // 10:
        return f"{label}: {least:+,} to {most:+,} bytes by type. Nearly all of it lies before the call{before}."
    return f"{label}: from {least:+,} to {most:+,} bytes by type, so the call itself is encoded differently{before}."
