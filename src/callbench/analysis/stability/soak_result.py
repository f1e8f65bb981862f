"""The result of a soak, computed from its journal: steps, episodes, deaths."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Literal

from callbench.analysis.judge.health import LEAST_GROWTH_BYTES, LEAST_GROWTH_THREADS, Growth, growth
from callbench.analysis.load.endpoints import Endpoint, endpoint_record, summed
from callbench.analysis.stability.lines import notes
from callbench.analysis.stability.slices import SPEED, slice_of, times, window_of_line
from callbench.analysis.stability.slowness import PaceChange, pace
from callbench.stats.estimate.histogram import merged
from callbench.stats.load.rate import Window, uncut
from callbench.stats.load.recovery import Episode, State, asked, episodes
from callbench.store.lines.overload import Moment
from callbench.store.lines.sides import SideRead, SideUse
from callbench.store.lines.slices import Percentiles
from callbench.store.lines.soak import (
    SOAK_LINES,
    HistogramLine,
    RestLine,
    SoakDeathLine,
    SoakLine,
    SoakSliceLine,
)
from callbench.store.record import Record

# A file descriptor more or less is not a leak.
LEAST_GROWTH_FILES = 8
_POOL = 0.01
Size = Literal["resident_bytes", "threads", "files"]
# A median call that takes so many times as long in the end is slower.
_SLOWER = 1.25
_LEAST_PART = 15
_LEAST_ANSWERED = 20


@dataclass(frozen=True)
class GrowthResult:
    """How a value grew over a step.

    Attributes:
        per_thousand: growth per thousand calls, with its interval; None if there is too little data.
        leaks: whether it certainly grows, and by more than a pool does.
        may_leak: whether the interval does not exclude that.
    """

    per_thousand: float | None
    low: float | None
    high: float | None
    leaks: bool
    may_leak: bool

    @classmethod
    def of(cls, trend: Growth | None, least: float, size: float = 0.0) -> "GrowthResult":
        """Build it from a computed slope.

        Args:
            trend: the slope, or None.
            least: the growth that a pool may have.
            size: the value itself: growth of up to 1 % of it is not a leak.
        """
        if trend is None:
            return cls(None, None, None, leaks=False, may_leak=True)
        slope, most = trend.per_thousand, trend.most()
        may = most is None or most > max(least, _POOL * size)
        return cls(slope.middle, slope.low, slope.high, trend.leaks(least), may)


@dataclass(frozen=True)
class SideResources:
    """The resources of one side in a step.

    Attributes:
        processor_us: processor time per call.
        begin: all values at the beginning of the step, from /proc; `end` and `rested` are those at its end and after
            the rest.
        returned_bytes: resident memory that was freed during the rest.
        threads_made: created threads per call.
        memory: growth of resident memory.
    """

    processor_us: float | None
    begin: SideRead | None
    end: SideRead | None
    rested: SideRead | None
    returned_bytes: int | None
    resident_peak: int
    threads_peak: int
    threads_made: float | None
    files_peak: int | None
    memory: GrowthResult
    threads: GrowthResult
    files: GrowthResult


@dataclass(frozen=True)
class SoakStep:
    """One step of concurrency.

    Attributes:
        rate_per_s: successful calls per second over the whole step; then median, 5th and 95th percentile over the
            slices.
        latency: percentiles of all calls in microseconds; empty without answers.
        slices: the number of slices.
        lasted_s: from the beginning of the first slice to the end of the last one.
        pace: the last tenth compared with the first; None for fewer than 20 slices with answers.
        endpoints: if clients call several.
        unserved: how many clients, at least, got no right answer in each slice.
    """

    clients: int
    seconds: float
    calls: int
    rate_per_s: float
    rate_median: float
    rate_low: float
    rate_high: float
    latency: Percentiles
    slices: int
    lasted_s: float
    pace: PaceChange | None
    errors: Mapping[str, int]
    error_messages: Mapping[str, str]
    sides: Mapping[str, SideResources]
    episodes: Sequence[Episode]
    endpoints: Sequence[Endpoint] = ()
    unserved: int = 0

    @property
    def title(self) -> str:
        """How sentences and tables name it."""
        return f"{self.clients} client{'' if self.clients == 1 else 's'}"


@dataclass(frozen=True)
class SoakResult:
    """The result of a whole soak.

    Attributes:
        over: why it ended early, or "".
        deaths: the journal lines of deaths.
        notes: notes for the reader.
        restarts: how often the server was restarted after its death.
    """

    run: Record
    steps: Sequence[SoakStep]
    deaths: Sequence[SoakDeathLine]
    over: str
    notes: Sequence[str]
    slices: Sequence[SoakSliceLine]
    rests: Sequence[RestLine]
    restarts: int


def read(run: Record) -> SoakResult:
    """Compute the result of a soak, finished or not.

    Raises:
        BadInput: the folder is damaged.
    """
    lines = list(SOAK_LINES.read(run.lines(), run.journal_file))
    slices = [line for line in lines if line["kind"] == "slice"]
    over = next((line["why"] for line in lines if line["kind"] == "over"), "")
    return SoakResult(
        run=run,
        steps=[_step(lines, step) for step in sorted({line["step"] for line in slices})],
        deaths=[line for line in lines if line["kind"] == "death"],
        over=over,
        notes=notes(run, lines),
        slices=slices,
        rests=[line for line in lines if line["kind"] == "rest"],
        restarts=_restarts(lines),
    )


def _restarts(lines: Iterable[SoakLine]) -> int:
    """Count the starts that follow a death. A resumed soak is not a restart."""
    happened = [line["kind"] for line in lines if line["kind"] in {"death", "start"}]
    return sum(pair == ("death", "start") for pair in itertools.pairwise(happened))


def _uncut(slices: Sequence[SoakSliceLine], calls: int, window: Window) -> Window:
    """Count each call with all of its time, also where it lasted beyond the window of its slice."""
    spent_ns = round(1e9 * sum(line.get("spent_s", 0.0) for line in slices))
    return uncut(window, slices[0]["clients"], calls, spent_ns)


def _step(lines: Sequence[SoakLine], step: int) -> SoakStep:
    slices = [line for line in lines if line["kind"] == "slice" and line["step"] == step]
    moments = {line["moment"]: line["sides"] for line in lines if line["kind"] == "moment" and line["step"] == step}
    seconds = sum(line["seconds"] for line in slices)
    calls = sum(line["calls"] for line in slices)
    windows = [window_of_line(line) for line in slices]
    rates = sorted(window.per_s for window in windows)
    error_messages: dict[str, str] = {}
    for line in slices:
        error_messages = {**line["error_messages"], **error_messages}
    return SoakStep(
        clients=slices[0]["clients"],
        seconds=seconds,
        calls=calls,
        rate_per_s=_uncut(slices, calls, sum(windows, Window(0.0, 0))).per_s,
        rate_median=median(rates),
        rate_low=rates[int(0.05 * (len(rates) - 1))],
        rate_high=rates[-1 - int(0.05 * (len(rates) - 1))],
        latency=_latency([line for line in lines if line["kind"] == "histogram" and line["step"] == step]),
        slices=len(slices),
        lasted_s=round(slices[-1]["at_s"] + slices[-1]["seconds"] - slices[0]["at_s"], 4),
        pace=_pace(slices),
        errors=_sum_errors(line["errors"] for line in slices),
        error_messages=error_messages,
        sides={side: _side(moments, slices, side, calls) for side in _sides(slices)},
        episodes=episodes([slice_of(line) for line in slices]),
        endpoints=summed([line["endpoints"] for line in lines if line["kind"] == "endpoints" and line["step"] == step]),
        unserved=min((_unserved(line) for line in slices if asked([slice_of(line)])), default=0),
    )


def _unserved(line: SoakSliceLine) -> int:
    """Count the clients without a right answer in a slice. Where nothing was answered, that is all of them."""
    return line.get("unserved", 0) if line["calls"] else line["clients"]


def _latency(histograms: Sequence[HistogramLine]) -> Percentiles:
    buckets = merged(dict(line["buckets"]) for line in histograms)
    if not any(buckets.values()):
        return {}
    return times(buckets, min(line["min_ns"] for line in histograms), max(line["max_ns"] for line in histograms))


def _pace(slices: Sequence[SoakSliceLine]) -> PaceChange | None:
    """Compare both ends of a step: a tenth of its slices each, and at least 15 if that is no more than a quarter."""
    answered = [line for line in slices if line.get(SPEED)]
    part = max(len(answered) // 10, min(_LEAST_PART, len(answered) // 4))
    return pace(answered[:part], answered[-part:], _SLOWER) if len(answered) >= _LEAST_ANSWERED else None


def _sum_errors(every: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for errors in every:
        for kind, count in errors.items():
            total[kind] = total.get(kind, 0) + count
    return dict(sorted(total.items(), key=lambda item: -item[1]))


def _sides(slices: Sequence[SoakSliceLine]) -> list[str]:
    return [side for side in ("server", "client", "both") if any(side in line["sides"] for line in slices)]


def _side(
    moments: Mapping[Moment, Mapping[str, SideRead]], slices: Sequence[SoakSliceLine], side: str, calls: int
) -> SideResources:
    seen = [line["sides"][side] for line in slices if side in line["sides"]]
    # Sizes are sampled ten times a second. A reading at a moment may be higher, so it is part of the peak.
    known = {moment: sides[side] for moment, sides in moments.items() if side in sides}
    end, rested = known.get("end"), known.get("rested")
    used_us = 1e3 * sum(moment["user_ms"] + moment["system_ms"] for moment in seen)
    largest = max(size["resident_bytes"] for size in seen)
    held: list[SideUse | SideRead] = [*seen, *known.values()]
    files = [size["files"] for size in held if size["files"] is not None]
    resident, threads = [size["resident_bytes"] for size in held], [size["threads"] for size in held]
    return SideResources(
        processor_us=used_us / calls if calls else None,
        begin=known.get("begin"),
        end=end,
        rested=rested,
        returned_bytes=end["resident_bytes"] - rested["resident_bytes"] if end and rested else None,
        resident_peak=max([*(size["resident_peak"] for size in seen), *resident]),
        threads_peak=max([*(size["threads_peak"] for size in seen), *threads]),
        threads_made=sum(moment["threads_made"] for moment in seen) / calls if calls else None,
        files_peak=max(files, default=None),
        memory=GrowthResult.of(_growth_of(slices, side, "resident_bytes"), LEAST_GROWTH_BYTES, largest),
        threads=GrowthResult.of(_growth_of(slices, side, "threads"), LEAST_GROWTH_THREADS),
        files=GrowthResult.of(_growth_of(slices, side, "files"), LEAST_GROWTH_FILES),
    )


def _growth_of(slices: Sequence[SoakSliceLine], side: str, name: Size) -> Growth | None:
    """Return the growth over calls. Each start of the server is a series of its own."""
    series: dict[int, tuple[list[float], list[float]]] = {}
    result: dict[int, int] = {}
    for line in slices:
        value = line["sides"][side][name] if side in line["sides"] else None
        start = line["start"]
        result[start] = result.get(start, 0) + line["calls"]
        if value is not None and not line["dead"]:
            calls, values = series.setdefault(start, ([], []))
            calls.append(float(result[start]))
            values.append(float(value))
    return growth(list(series.values()))


def _step_record(step: SoakStep) -> dict[str, object]:
    """Return the JSON object of a step. The slices of its last tenth are left out, because all slices are listed."""
    flat = asdict(step)
    if flat["pace"] is not None:
        del flat["pace"]["last"]
    return {**flat, "endpoints": [endpoint_record(endpoint) for endpoint in step.endpoints]}


def troubled_episodes(step: SoakStep) -> list[Episode]:
    """Return the episodes with problems."""
    return [episode for episode in step.episodes if episode.state is not State.WELL]


def record(result: SoakResult) -> dict[str, object]:
    """Return the soak as a JSON object.

    Times are in seconds, or in microseconds if the name says so; sizes in bytes.
    """
    return {
        "kind": "soak",
        "folder": str(result.run.path),
        "of": result.run.request,
        "state": result.run.info["state"],
        "over": result.over,
        "notes": list(result.notes),
        "deaths": [{name: value for name, value in death.items() if name != "kind"} for death in result.deaths],
        "restarts": result.restarts,
        "steps": [_step_record(step) for step in result.steps],
        "slices": [{name: value for name, value in line.items() if name != "kind"} for line in result.slices],
        "rests": [{name: value for name, value in line.items() if name != "kind"} for line in result.rests],
    }
