"""Fills the pages in docs/middleware from a run: bench/middleware_pages.py RUN, made by docs/middleware/capture.

Text between `<!-- captured: STACK -->` or `<!-- costs: STACK STACK ... -->` and `<!-- end -->` is written again. If the
run has none of a part's stacks, the part stays as it was.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from callbench.analysis.run.subject import subject
from callbench.model.errors import BadInput, CallbenchError
from callbench.report.export.show import cell_records
from callbench.runner.wire.exchange import exchanges
from callbench.store.record import Record

PAGES = Path(__file__).resolve().parents[1] / "docs" / "middleware"
FORK = re.compile(r"(<!-- (captured|costs): ([^>]*?) -->\n).*?(<!-- end -->)", re.DOTALL)
HEAD = (
    "| stack | set-up | first call | a steady call | in IP packets | round trips | a whole life"
    " | sum: mean, processor | 100 persons: mean, processor |\n"
    "|---|---|---|---|---|---|---|---|---|\n"
)
NONE = "not measured"
EXACT = "Bytes are exact."
VARIED = "mean of"
VARIES = (
    "Bytes are exact, but where a mean stands: there not every call sends the same (a ping, a header that changes), and"
    " the mean of several counts stands with the least and the greatest."
)


def main() -> None:
    """Writes the pages."""
    if len(sys.argv) != 2:
        sys.exit("say which run: bench/middleware_pages.py RUN")
    try:
        run = Record(Path(sys.argv[1]))
        written = filled(run)
    except CallbenchError as failure:
        sys.exit(f"middleware_pages: {failure}")
    print(f"{written} forks written")


def filled(run: Record) -> int:
    """Writes every fork that the run has something for. Returns how many."""
    cells = cell_records(subject(run))["cells"]
    by_stack: dict[str, dict[str, Any]] = {}
    for cell in cells:
        by_stack.setdefault(cell["stack"], {})[cell["group"]] = cell
    phases = _phases(run)
    written = 0
    for page in sorted(PAGES.glob("*.md")):
        old = page.read_text()
        new = FORK.sub(lambda found: _fork(found, run, by_stack, phases), old)
        written += sum(1 for a, b in zip(FORK.findall(old), FORK.findall(new), strict=True) if a or b)
        page.write_text(new)
    return written


def _fork(found: re.Match[str], run: Record, cells: Mapping[str, Any], phases: Mapping[str, Any]) -> str:
    start, kind, names, end = found.groups()
    stacks = [name for name in names.split() if name in phases]
    if not stacks:
        return found[0]
    text = _captured(run, stacks[0]) if kind == "captured" else _costs(run, stacks, cells, phases)
    return f"{start}{text}{end}"


def _captured(run: Record, stack: str) -> str:
    try:
        _, _, told = next(exchanges(run, [stack], "sum")).text().partition("\n\n")
    except BadInput as failure:
        sys.exit(f"middleware_pages: {failure}")
    return f"`Sum(1, 2)` by `{stack}`, a client that connects, calls once and ends:\n\n```text\n{told}\n```\n\n"


def _costs(run: Record, stacks: Sequence[str], cells: Mapping[str, Any], phases: Mapping[str, Any]) -> str:
    rows = "".join(_row(stack, cells.get(stack, {}), phases[stack]) for stack in stacks)
    told = run.environment()
    machine = f"{told['processors']['online']} processors ({told['machine']['model']}), {told['system']}"
    said = (
        "\nBytes of the streams, both ways; mean time of a call, and processor time of both sides"
        f" together. Indicative: one client, {machine}, kernel {told['kernel']['release']}, {told['at'][:10]},"
        f" Callbench {told['callbench']} at {told['commit']}; versions of libraries are on each stack's card."
        f" {EXACT} The times are of a few calls on a machine that other work kept busy, with runtimes hardly"
        " warm: they tell milliseconds from microseconds, and rank nothing.\n\n"
    )
    said = said.replace(EXACT, VARIES) if VARIED in rows or "(counts" in rows else said
    return f"{HEAD}{rows}{said}"


def _row(stack: str, groups: Mapping[str, Any], phases: Mapping[str, tuple[float, float, float]]) -> str:
    stream = [f"{phases[name][0]:,.0f}" for name in ("set-up", "first call")]
    steady, packets, turns = phases["steady call"]
    life = f"{phases['life'][0]:,.0f}"
    times = [_time(groups.get(name)) for name in ("sum", "persons")]
    told = [_steady(steady, groups.get("sum")), _count(packets), f"{turns / 2:.3g}"]
    return f"| `{stack}` | {' | '.join([*stream, *told, life, *times])} |\n"


def _steady(steady: float, cell: Mapping[str, Any] | None) -> str:
    """Write a steady call's bytes: `75`, `75 (counts 75 to 75.5)`, `86.75, mean of counts from 86.5 to 87`."""
    wire = (cell or {}).get("wire") or {}
    if "stream_bytes_least" not in wire:
        return _count(steady) if wire.get("exact") else f"{_count(steady)}, {VARIED} calls that differ"
    ends = f"{_count(wire['stream_bytes_least'])} to {_count(wire['stream_bytes_most'])}"
    return f"{_count(steady)} (counts {ends})" if wire["exact"] else f"{_count(steady)}, {VARIED} counts from {ends}"


def _count(value: float) -> str:
    """Format a count as an integer if it is one, else as a mean."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.5g}"


def _time(cell: Mapping[str, Any] | None) -> str:
    found = (cell or {}).get("metrics", {})
    if "rate_per_s" not in found:
        return NONE
    time = f"{1e3 / found['rate_per_s']['value']:.3g} ms"
    return f"{time}, {found['cpu_us']['value'] / 1e3:.2g} ms" if "cpu_us" in found else time


def _phases(run: Record) -> dict[str, dict[str, tuple[float, float, float]]]:
    """By stack and phase: bytes of the streams, bytes of the IP packets, turns."""
    asked = (
        "SELECT c.stack, w.phase, sum(w.payload), sum(w.ip + w.tcp + w.payload + w.retransmitted), sum(w.turns)"
        " FROM wire w JOIN cells c USING (cell) WHERE c.\"group\" = 'sum' AND w.phase IS NOT NULL GROUP BY ALL"
    )
    found: dict[str, dict[str, tuple[float, float, float]]] = {}
    with run.connection() as connection:
        for stack, phase, stream, packets, turns in connection.execute(asked).fetchall():
            found.setdefault(stack, {})[phase] = (float(stream), float(packets), float(turns))
    return found


if __name__ == "__main__":
    main()
