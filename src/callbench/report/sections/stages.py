"""Where the own time of a server went that tells it: stage by stage, within its processor time."""

from collections.abc import Mapping, Sequence
from typing import Any

from callbench.report.section import Section, Sheet
from callbench.report.subject import Subject
from callbench.results import rows_of
from callbench.stats.digits import figure
from callbench.stats.interval import geometric_mean

ABOUT = (
    "A server that tells where its time goes has read the clock around each stage of its work. The rest of its"
    " processor time is what it has not told of: sockets, HTTP, its runtime's collector. A clock goes on where another"
    " takes the processor, so that stages can come to more than the processor time: trials of which that is true are"
    " counted."
)
# A tick of the accounts of processor time is no more than this, each way.
_TICK_NS = 10_000_000
STAGES_SQL = """
SELECT trials.cell, trials.block, stage, sum(ns) AS ns, sum(times) AS times, any_value(trials.calls) AS calls,
       any_value(server_user_ns + server_system_ns) AS processor_ns
FROM stages JOIN trials USING (trial) GROUP BY trials.trial, trials.cell, trials.block, stage ORDER BY ALL"""


def section(subject: Subject) -> Section | None:
    """Show the stages of every cell whose server tells of them, group by group."""
    with subject.run.connection() as connection:
        rows = list(rows_of(connection, STAGES_SQL))
    if not rows:
        return None
    trials: dict[str, dict[int, dict[str, Any]]] = {}
    for row in rows:
        one = trials.setdefault(row["cell"], {}).setdefault(
            row["block"], {"stages": {}, "calls": row["calls"], "processor_ns": row["processor_ns"]}
        )
        one["stages"][row["stage"]] = row["ns"]
    # In the order of the work, as the server names them first: an object of JSON has none that lasts.
    names = sorted({row["stage"] for row in rows}, key=_order)
    sheets = []
    for group in dict.fromkeys(one.attributes["group"] for one in subject.results.cells):
        cells = [one for one in subject.results.cells if one.attributes["group"] == group and one.id in trials]
        if cells:
            lines = [_line(subject, one.attributes, names, list(trials[one.id].values())) for one in cells]
            columns = ("", *(f"{name}, µs" for name in names), "together", "rest", "processor time an answer, µs")
            sheets.append(Sheet(f"A server's own time: {group}", columns, lines))
    every = [one for blocks in trials.values() for one in blocks.values()]
    within = sum(sum(one["stages"].values()) <= one["processor_ns"] + _TICK_NS for one in every)
    told = f"In {within} of {len(every)} trials the stages lie within the server's processor time."
    return Section("stages", "A server's own time", ABOUT, found=[told], sheets=sheets, source=STAGES_SQL.strip())


def _order(name: str) -> tuple[int, str]:
    known = ("decode", "transform", "encode")
    return (known.index(name) if name in known else len(known), name)


def _line(
    subject: Subject, of: Mapping[str, str], names: Sequence[str], blocks: Sequence[Mapping[str, Any]]
) -> list[str]:
    answered = [one for one in blocks if one["calls"]]
    label = subject.names.get(of["stack"], of["stack"])
    link = "" if of["link"] == "loopback" else f", {of['link']}"
    head = f"{label}, {of['clients']} clients{link}"
    if not answered:
        return [head, *([""] * (len(names) + 3))]
    each = [[one["stages"].get(name, 0) / one["calls"] / 1e3 for one in answered] for name in names]
    together = [sum(one["stages"].values()) / one["calls"] / 1e3 for one in answered]
    processor = [one["processor_ns"] / one["calls"] / 1e3 for one in answered]
    rest = sum(processor) / len(processor) - sum(together) / len(together)
    return [
        head,
        *(_figure(values) for values in each),
        _figure(together),
        f"{rest:.0f}" if rest >= 0 else "",
        _figure(processor),
    ]


def _figure(values: Sequence[float]) -> str:
    if any(value <= 0 for value in values):
        return f"{sum(values) / len(values):.3g}"
    interval = geometric_mean(values)
    return figure(interval.middle, interval.half_width)
