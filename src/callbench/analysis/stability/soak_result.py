"""The result of a soak, computed from its journal: steps, episodes, deaths."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from callbench.analysis.judge.health import LEAST_GROWTH_BYTES, LEAST_GROWTH_THREADS, Growth, growth
from callbench.analysis.load.endpoints import Endpoint, endpoint_record, summed
from callbench.analysis.stability.lines import notes
from callbench.analysis.stability.slices import SPEED, slice_of, times, window_of_line
from callbench.analysis.stability.slowness import PaceChange, pace
from callbench.stats.estimate.histogram import merged
from callbench.stats.load.rate import Window
from callbench.stats.load.recovery import Episode, State, episodes
from callbench.store.record import Record

# A file descriptor more or less is not a leak.
LEAST_GROWTH_FILES = 8
_POOL = 0.01
# A median call that takes so many times as long in the end is slower.
_SLOWER = 1.25


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
    begin: Mapping[str, Any] | None
    end: Mapping[str, Any] | None
    rested: Mapping[str, Any] | None
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
    latency: Mapping[str, float]
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
    deaths: Sequence[Mapping[str, Any]]
    over: str
    notes: Sequence[str]
    slices: Sequence[Mapping[str, Any]]
    rests: Sequence[Mapping[str, Any]]
    restarts: int


def read(run: Record) -> SoakResult:
    """Compute the result of a soak, finished or not.

    Raises:
        BadInput: the folder is damaged.
    """
    lines = list(run.lines())
    slices = [line for line in lines if line["kind"] == "slice"]
    over = next((str(line["why"]) for line in lines if line["kind"] == "over"), "")
    return SoakResult(
        run,
        [_step(lines, step) for step in sorted({line["step"] for line in slices})],
        [line for line in lines if line["kind"] == "death"],
        over,
        notes(lines),
        slices,
        [line for line in lines if line["kind"] == "rest"],
        _restarts(lines),
    )


def _restarts(lines: Iterable[Mapping[str, Any]]) -> int:
    """Count the starts that follow a death. A resumed soak is not a restart."""
    happened = [line["kind"] for line in lines if line["kind"] in {"death", "start"}]
    return sum(pair == ("death", "start") for pair in itertools.pairwise(happened))


def _step(lines: Sequence[Mapping[str, Any]], step: int) -> SoakStep:
    mine = [line for line in lines if line.get("step") == step]
    slices = [line for line in mine if line["kind"] == "slice"]
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
        rate_per_s=sum(windows, Window(0.0, 0)).per_s,
        rate_median=median(rates),
        rate_low=rates[int(0.05 * (len(rates) - 1))],
        rate_high=rates[-1 - int(0.05 * (len(rates) - 1))],
        latency=_latency([line for line in mine if line["kind"] == "histogram"]),
        slices=len(slices),
        lasted_s=round(slices[-1]["at_s"] + slices[-1]["seconds"] - slices[0]["at_s"], 4),
        pace=_pace(slices),
        errors=_sum_errors(line["errors"] for line in slices),
        error_messages=error_messages,
        sides={side: _side(mine, slices, side, calls) for side in _sides(slices)},
        episodes=episodes([slice_of(line) for line in slices]),
        endpoints=summed([line["endpoints"] for line in mine if line["kind"] == "endpoints"]),
        unserved=min(map(_unserved, slices)),
    )


def _unserved(line: Mapping[str, Any]) -> int:
    """Count the clients without a right answer in a slice. Where nothing was answered, that is all of them."""
    return int(line.get("unserved", 0) if line["calls"] else line["clients"])


def _latency(histograms: Sequence[Mapping[str, Any]]) -> Mapping[str, float]:
    if not histograms:
        return {}
    buckets = merged(dict(line["buckets"]) for line in histograms)
    return times(buckets, min(line["min_ns"] for line in histograms), max(line["max_ns"] for line in histograms))


def _pace(slices: Sequence[Mapping[str, Any]]) -> PaceChange | None:
    """Compare both ends of a step, with a tenth of its slices each."""
    answered = [line for line in slices if line.get(SPEED)]
    tenth = len(answered) // 10
    return pace(answered[:tenth], answered[-tenth:], _SLOWER) if tenth else None


def _sum_errors(every: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for errors in every:
        for kind, count in errors.items():
            total[kind] = total.get(kind, 0) + count
    return dict(sorted(total.items(), key=lambda item: -item[1]))


def _sides(slices: Sequence[Mapping[str, Any]]) -> list[str]:
    return [side for side in ("server", "client", "both") if any(side in line["sides"] for line in slices)]


def _side(
    lines: Sequence[Mapping[str, Any]], slices: Sequence[Mapping[str, Any]], side: str, calls: int
) -> SideResources:
    seen = [line["sides"][side] for line in slices if side in line["sides"]]
    moments = {line["moment"]: line["sides"].get(side) for line in lines if line["kind"] == "moment"}
    # Sizes are sampled ten times a second. A reading at a moment may be higher, so it is part of the peak.
    known = [moment for moment in moments.values() if moment]
    end, rested = moments.get("end"), moments.get("rested")
    used_us = 1e3 * sum(moment["user_ms"] + moment["system_ms"] for moment in seen)
    files = _known_values([*seen, *known], "files")
    sizes = _known_values(seen, "resident_bytes")
    return SideResources(
        processor_us=used_us / calls if calls else None,
        begin=moments.get("begin"),
        end=end,
        rested=rested,
        returned_bytes=end["resident_bytes"] - rested["resident_bytes"] if end and rested else None,
        resident_peak=max(_known_values(seen, "resident_peak") + _known_values([*seen, *known], "resident_bytes")),
        threads_peak=max(_known_values(seen, "threads_peak") + _known_values([*seen, *known], "threads")),
        threads_made=sum(moment["threads_made"] for moment in seen) / calls if calls else None,
        files_peak=max(files, default=None),
        memory=GrowthResult.of(_growth_of(slices, side, "resident_bytes"), LEAST_GROWTH_BYTES, max(sizes)),
        threads=GrowthResult.of(_growth_of(slices, side, "threads"), LEAST_GROWTH_THREADS),
        files=GrowthResult.of(_growth_of(slices, side, "files"), LEAST_GROWTH_FILES),
    )


def _known_values(seen: Sequence[Mapping[str, Any]], name: str) -> list[int]:
    """Return the known values of a member."""
    return [moment[name] for moment in seen if moment.get(name) is not None]


def _growth_of(slices: Sequence[Mapping[str, Any]], side: str, name: str) -> Growth | None:
    """Return the growth over calls. Each start of the server is a series of its own."""
    series: dict[int, tuple[list[float], list[float]]] = {}
    result: dict[int, int] = {}
    for line in slices:
        value = line["sides"].get(side, {}).get(name)
        start = line["start"]
        result[start] = result.get(start, 0) + line["calls"]
        if value is not None and not line["dead"]:
            calls, values = series.setdefault(start, ([], []))
            calls.append(float(result[start]))
            values.append(float(value))
    return growth(list(series.values()))


def _step_record(step: SoakStep) -> dict[str, Any]:
    """Return the JSON object of a step. The slices of its last tenth are left out, because all slices are listed."""
    flat = asdict(step)
    if flat["pace"] is not None:
        del flat["pace"]["last"]
    return {**flat, "endpoints": [endpoint_record(endpoint) for endpoint in step.endpoints]}


def troubled_episodes(step: SoakStep) -> list[Episode]:
    """Return the episodes with problems."""
    return [episode for episode in step.episodes if episode.state is not State.WELL]


def record(result: SoakResult) -> dict[str, Any]:
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
