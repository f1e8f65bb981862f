"""What a run did to the processes of each cell: memory, threads and files at their ends, and how they grow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from callbench.analysis.cells.results import Result
from callbench.model.metrics.readings import READINGS
from callbench.stats.decide.decision import Decision, by_difference
from callbench.stats.estimate import difference
from callbench.stats.estimate.difference import Difference
from callbench.stats.steady.trend import SETTLING, slope
from callbench.store.record import Record
from callbench.store.rows import grouped, lines_of, rows_of

if TYPE_CHECKING:
    import duckdb

PROCESSES_SQL = """
SELECT processes.*, trials.cell
FROM processes JOIN trials USING (trial) ORDER BY trials.cell, side, trial"""
# Shorter trials have too few samples for a slope: ten a second are taken.
LONG_MS = 6_000
SAMPLES_SQL = f"""
SELECT trial, side, at_ms, process_samples.resident_bytes, process_samples.threads
FROM process_samples JOIN processes USING (trial, side)
WHERE load_ms >= {LONG_MS} AND at_ms <= load_ms ORDER BY trial, side, at_ms"""  # noqa: S608 - our own number
CALLS_SQL = f"""
SELECT trial, at_ns, calls FROM intervals
WHERE trial IN (SELECT trial FROM processes WHERE load_ms >= {LONG_MS}) ORDER BY trial, at_ns"""  # noqa: S608 - our own number
DEATHS_SQL = """
SELECT stack, how, count(*) AS times, min(why) AS why, min(coalesce(since_start, answered)) AS least,
       max(coalesce(since_start, answered)) AS most, count(*) FILTER (WHERE again) AS restarts
FROM deaths GROUP BY stack, how ORDER BY stack, how"""

# What a slope must come to over the half it was taken from, before anybody is warned: an allocator's arena and a
# worker more are no leak, and a kernel counts pages in batches.
LEAST_GROWTH_BYTES = 256 * 1024
LEAST_GROWTH_THREADS = 4


@dataclass(frozen=True)
class Growth:
    """How fast a value grows.

    Attributes:
        per_thousand: for each thousand calls, with its interval: over the trials if there are several, else
            within the one.
        over_trial: what that comes to over the half of a trial that it was taken from.
        calls: made in that half.
    """

    per_thousand: Difference
    over_trial: float
    calls: float

    def most(self) -> float | None:
        """Return what it may come to over that half at the most; None if a slope has no interval."""
        high = self.per_thousand.high
        return None if high is None else high * self.calls / 1e3

    def leaks(self, least: float) -> bool:
        """Whether it grows beyond doubt, and by at least so much."""
        return by_difference(self.per_thousand) is Decision.BETTER and self.over_trial >= least


@dataclass(frozen=True)
class TrialSamples:
    """One trial's samples: seconds, resident bytes, threads."""

    seconds: Sequence[float]
    resident_bytes: Sequence[float]
    threads: Sequence[float]


@dataclass(frozen=True)
class Health:
    """One side of one cell, over all its trials.

    Attributes:
        side: `client`, `server`, or `both` where one process plays both.
        figures: medians over the trials of what the table `processes` has; peaks are the greatest. None if the
            kernel or the runtime does not tell.
        per_call: of the values that are counts, the mean of each call: threads_made, and the readings that only rise.
        memory: growth of resident memory in bytes, None if the trials are too short.
        threads: growth of the number of threads, likewise.
        track: the longest trial's samples, None if all are short.
    """

    cell: Result
    side: str
    trials: int
    figures: Mapping[str, float | None]
    per_call: Mapping[str, float | None]
    memory: Growth | None
    threads: Growth | None
    track: TrialSamples | None

    @property
    def leaks_memory(self) -> bool:
        """Whether memory grows with the calls beyond doubt."""
        return self.memory is not None and self.memory.leaks(LEAST_GROWTH_BYTES)

    @property
    def leaks_threads(self) -> bool:
        """Whether threads do."""
        return self.threads is not None and self.threads.leaks(LEAST_GROWTH_THREADS)

    @property
    def returned_bytes(self) -> float | None:
        """What was resident at the end of the load and no more after the rest, in bytes."""
        end, rest = self.figures["resident_end"], self.figures["resident_rest"]
        return None if end is None or rest is None else end - rest


@dataclass(frozen=True)
class EndedProcesses:
    """Processes of a stack that ended in a trial.

    Attributes:
        how: `out-of-memory`, `crash`, `killed`, `exit`.
        why: the sentence of one of them.
        least: calls answered rightly since the start of one, the fewest of them; None if no one knows.
        most: the most.
        restarts: how often the stack was started again.
    """

    stack: str
    how: str
    times: int
    why: str
    least: int | None = None
    most: int | None = None
    restarts: int = 0


@dataclass(frozen=True)
class _ProcessRow:
    """What one side of a cell was seen to have in one trial: what the table `processes` has, by its columns."""

    trial: int
    cell: str
    side: str
    calls: int
    figures: Mapping[str, float | None]


class _SampleRow(TypedDict):
    """A sample of a side's processes, taken during a long trial."""

    trial: int
    side: str
    at_ms: int
    resident_bytes: int
    threads: int


class _CallsRow(TypedDict):
    """How many calls of a long trial had been answered at a time."""

    trial: int
    at_ns: int
    calls: int


_PEAKS = ("resident_peak", "threads_peak")
_COUNTS = ("threads_made", *(reading.name for reading in READINGS if reading.rises))


def read(run: Record, results: Sequence[Result]) -> tuple[list[Health], list[EndedProcesses]]:
    """Compute every cell's sides, in the order of the results, and the deaths.

    Raises:
        BadInput: the run is damaged.
    """
    with run.connection() as connection:
        rows = _process_rows(connection)
        samples = grouped(rows_of(connection, SAMPLES_SQL, _SampleRow), lambda row: (row["trial"], row["side"]))
        calls = grouped(rows_of(connection, CALLS_SQL, _CallsRow), lambda row: row["trial"])
        deaths = rows_of(connection, DEATHS_SQL, EndedProcesses)
    by_cell = grouped(grouped(rows, lambda row: (row.cell, row.side)).values(), lambda own: own[0].cell)
    healths = [_health(result, own, samples, calls) for result in results for own in by_cell.get(result.id, [])]
    return healths, deaths


def _process_rows(connection: "duckdb.DuckDBPyConnection") -> list[_ProcessRow]:
    return [
        _ProcessRow(
            trial=line.pop("trial"), cell=line.pop("cell"), side=line.pop("side"), calls=line.pop("calls"), figures=line
        )
        for line in lines_of(connection, PROCESSES_SQL)
    ]


def _health(
    cell: Result,
    rows: Sequence[_ProcessRow],
    samples: Mapping[tuple[int, str], Sequence[_SampleRow]],
    calls: Mapping[int, Sequence[_CallsRow]],
) -> Health:
    """Put one side together."""
    figures: dict[str, float | None] = {}
    for name in rows[0].figures:
        known = _known(rows, name)
        figures[name] = (max(known) if name in _PEAKS else median(known)) if known else None
    made = sum(row.calls for row in rows)
    per_call: dict[str, float | None] = {}
    for name in _COUNTS:
        known = _known(rows, name)
        per_call[name] = sum(known) / made if known and made else None
    seen = [(row.trial, samples.get((row.trial, row.side))) for row in rows]
    followed = [(_track(own), calls[trial]) for trial, own in seen if own and trial in calls]
    return Health(
        cell=cell,
        side=rows[0].side,
        trials=len(rows),
        figures=figures,
        per_call=per_call,
        memory=growth([(_calls_at(track, count), track.resident_bytes) for track, count in followed]),
        threads=growth([(_calls_at(track, count), track.threads) for track, count in followed]),
        track=max((track for track, _ in followed), key=lambda track: len(track.seconds), default=None),
    )


def _known(rows: Sequence[_ProcessRow], name: str) -> list[float]:
    return [figure for row in rows if (figure := row.figures[name]) is not None]


def _track(samples: Sequence[_SampleRow]) -> TrialSamples:
    return TrialSamples(
        seconds=[sample["at_ms"] / 1e3 for sample in samples],
        resident_bytes=[float(sample["resident_bytes"]) for sample in samples],
        threads=[float(sample["threads"]) for sample in samples],
    )


def _calls_at(track: TrialSamples, counts: Sequence[_CallsRow]) -> list[float]:
    """Find the calls answered at each sample, on the line between the client's own counts."""
    at = [0.0, *(point["at_ns"] / 1e9 for point in counts)]
    made = [0.0, *(float(point["calls"]) for point in counts)]
    return [float(value) for value in np.interp(track.seconds, at, made)]


def growth(trials: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Growth | None:
    """Compute a value's growth from the samples of each trial: calls made, and the value.

    Each trial is a process of its own, so if there are several the interval is that of their slopes' mean.
    """
    rises = [(rising, calls) for calls, values in trials if (rising := slope(calls, values)) is not None]
    if not rises:
        return None
    slopes = [rise.middle * 1e3 for rise, _ in rises]
    if len(rises) > 1:
        per_thousand = difference.mean(slopes)
    else:
        only = rises[0][0]
        low, high = (None if value is None else value * 1e3 for value in (only.low, only.high))
        per_thousand = Difference(slopes[0], low, high, 1)
    half = median(calls[-1] - calls[int(len(calls) * SETTLING)] for _, calls in rises)
    return Growth(per_thousand, per_thousand.middle * half / 1e3, half)
