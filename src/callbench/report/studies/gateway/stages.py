"""Where the own time of a server went that tells it: stage by stage, of its processor time; and what it waited for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from callbench.analysis.run.subject import Subject
from callbench.analysis.wording.words import processor_time_text
from callbench.report.text.section import Section, Sheet
from callbench.stats.estimate.processor_time import ForkUse, ProcessorTime, step_of
from callbench.store.rows import rows_of

ABOUT = (
    "Some servers report their own stages. Such a server reads its processor time before and after each stage of its"
    " work. Other programs on its processor therefore do not count. A reading takes about a microsecond, and half of"
    " it counts for the stage. The rest is outside all stages: sockets, HTTP, garbage collection. A wait is measured"
    " by the clock, from the question until the whole answer was there. It includes queues within the server. Bytes"
    " are the mean body size per answer."
)
# A tick of the accounts of processor time is no more than this, each way.
_TICK_NS = 10_000_000
STAGES_SQL = """
SELECT trials.cell, trials.fork, stage, sum(ns) AS ns, sum(processor_ns) AS processor_ns, sum(bytes) AS bytes,
       sum(times) AS times, any_value(trials.calls + trials.error_count) AS calls,
       any_value(server_user_ns + server_system_ns) AS used_ns
FROM stages JOIN trials USING (trial) GROUP BY trials.trial, trials.cell, trials.fork, stage ORDER BY ALL"""
_KNOWN = ("decode", "transform", "encode")


class _StageRow(TypedDict):
    """A stage of a server in one trial, beside all calls and all processor time of that trial."""

    cell: str
    fork: int
    stage: str
    ns: int | None
    processor_ns: int | None
    bytes: int | None
    times: int | None
    calls: int
    used_ns: int


_Sum = Literal["ns", "processor_ns", "bytes", "times"]


@dataclass(frozen=True)
class _StagedTrial:
    """A trial of a server that tells its stages."""

    calls: int
    used_ns: int
    stages: dict[str, _StageRow] = field(default_factory=dict)


def section(subject: Subject) -> Section | None:
    """Show the stages of every cell whose server tells of them, group by group."""
    with subject.run.connection() as connection:
        rows = rows_of(connection, STAGES_SQL, _StageRow)
    if not rows:
        return None
    trials: dict[str, dict[int, _StagedTrial]] = {}
    for row in rows:
        forks = trials.setdefault(row["cell"], {})
        forks.setdefault(row["fork"], _StagedTrial(row["calls"], row["used_ns"])).stages[row["stage"]] = row
    names = sorted({row["stage"] for row in rows}, key=_order)
    worked = [name for name in names if any(row["stage"] == name and row["processor_ns"] is not None for row in rows)]
    carried = [name for name in names if any(row["stage"] == name and row["bytes"] for row in rows)]
    waits = [name for name in names if name not in worked]
    columns = (
        "",
        *worked,
        "rest",
        "all",
        *(f"{name}, by the clock" for name in waits),
        *(f"bytes to {name}" for name in carried),
    )
    sheets = []
    for group in dict.fromkeys(cell.attributes["group"] for cell in subject.results.cells):
        cells = [cell for cell in subject.results.cells if cell.attributes["group"] == group and cell.id in trials]
        lines = [[_label(subject, cell.attributes), *_line(trials[cell.id], worked, waits, carried)] for cell in cells]
        if lines:
            sheets.append(Sheet(f"Server stages: {group} (µs per answer)", columns, lines))
    every = [trial for forks in trials.values() for trial in forks.values()]
    within = sum(_worked(trial, worked) <= trial.used_ns + _TICK_NS for trial in every)
    sentence = f"In {within} of {len(every)} trials, the stages add up to no more than the server's processor time."
    return Section("stages", "Server stages", ABOUT, found=[sentence], sheets=sheets, source=STAGES_SQL.strip())


def _order(name: str) -> tuple[int, str]:
    """In the order of the work: an object of JSON has none that lasts."""
    return (_KNOWN.index(name) if name in _KNOWN else len(_KNOWN), name)


def _label(subject: Subject, of: Mapping[str, str]) -> str:
    link = "" if of["link"] == "loopback" else f", {of['link']}"
    return f"{subject.names.get(of['stack'], of['stack'])}, {of['clients']} clients{link}"


def _worked(trial: _StagedTrial, names: Sequence[str]) -> int:
    """All stages of a trial together, nanoseconds of a processor."""
    return sum(_of(trial, name, "processor_ns") for name in names)


def _line(
    forks: Mapping[int, _StagedTrial], worked: Sequence[str], waits: Sequence[str], carried: Sequence[str]
) -> list[str]:
    """One cell: each stage an answer, summed over its trials; nothing if it answered nothing."""
    answered = {fork: trial for fork, trial in forks.items() if trial.calls}
    if not answered:
        return [""] * (len(worked) + 2 + len(waits) + len(carried))
    calls = sum(trial.calls for trial in answered.values())
    rest = sum(trial.used_ns - _worked(trial, worked) for trial in answered.values()) / calls / 1e3
    sizes = {name: sum(_of(trial, name, "bytes") for trial in answered.values()) / calls for name in carried}
    return [
        *(_figure(answered, name, "processor_ns") for name in worked),
        f"{rest:,.0f}" if rest >= 0 else "",
        _time_per_call({fork: (trial.used_ns, trial.calls) for fork, trial in answered.items()}),
        *(_figure(answered, name, "ns") for name in waits),
        *(f"{value:,.0f}" for value in sizes.values()),
    ]


def _of(trial: _StagedTrial, name: str, what: _Sum) -> int:
    return int(trial.stages[name][what] or 0) if name in trial.stages else 0


def _figure(forks: Mapping[int, _StagedTrial], name: str, what: _Sum) -> str:
    """Write what a stage took; "none" where the server never did it."""
    if not any(_of(trial, name, "times") for trial in forks.values()):
        return "none"
    return _time_per_call({fork: (_of(trial, name, what), trial.calls) for fork, trial in forks.items()})


def _time_per_call(forks: Mapping[int, tuple[int, int]]) -> str:
    """Write nanoseconds and calls of each fork as microseconds a call, as the other tables of cost do."""
    step = step_of(ns for ns, _ in forks.values())
    return processor_time_text(ProcessorTime({fork: ForkUse(ns, step, calls) for fork, (ns, calls) in forks.items()}))
