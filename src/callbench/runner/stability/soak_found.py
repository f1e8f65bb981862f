"""What a soak came to, reckoned from its journal: a step, its figures, its episodes, its deaths."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from callbench.analysis.health import LEAST_GROWTH_BYTES, LEAST_GROWTH_THREADS, Growth, growth
from callbench.runner.stability.record import notes
from callbench.runner.stability.slices import SPEED, slice_of, times, window_in
from callbench.runner.stability.slowness import Pace, pace
from callbench.stats.histogram import merged
from callbench.stats.rate import Window
from callbench.stats.recovery import Episode, State, episodes
from callbench.store.run import Run

# A descriptor more or less is no leak.
LEAST_GROWTH_FILES = 8
_POOL = 0.01
# A median call that takes so much longer in the end is slower.
_SLOWER = 1.25


@dataclass(frozen=True)
class Grown:
    """How a figure grew over a step, or over the whole.

    Attributes:
        per_thousand: with each thousand calls, its interval beside it; None where there is too little to tell.
        leaks: whether it grows beyond doubt, and by more than any pool does.
        may_leak: whether its interval leaves room for that.
    """

    per_thousand: float | None
    low: float | None
    high: float | None
    leaks: bool
    may_leak: bool

    @classmethod
    def of(cls, found: Growth | None, least: float, size: float = 0.0) -> "Grown":
        """Of what was computed.

        Args:
            found: the slope, or None.
            least: what a pool may grow by.
            size: of the figure itself: a hundredth of it more or less is no leak.
        """
        if found is None:
            return cls(None, None, None, leaks=False, may_leak=True)
        slope, most = found.per_thousand, found.most()
        may = most is None or most > max(least, _POOL * size)
        return cls(slope.middle, slope.low, slope.high, found.leaks(least), may)


@dataclass(frozen=True)
class Side:
    """What one side took in a step.

    Attributes:
        processor_us: of processor time a call.
        begin: everything at the step's begin, as /proc has it; then at its end, and after the rest.
        given_back: bytes resident at the end and no more after the rest.
        threads_made: threads made a call.
        memory: growth of resident bytes.
    """

    processor_us: float | None
    begin: Mapping[str, Any] | None
    end: Mapping[str, Any] | None
    rested: Mapping[str, Any] | None
    given_back: int | None
    resident_peak: int
    threads_peak: int
    threads_made: float | None
    files_peak: int | None
    memory: Grown
    threads: Grown
    files: Grown


@dataclass(frozen=True)
class Step:
    """One step of concurrency.

    Attributes:
        rate_per_s: calls answered rightly, over all its time; then the median and the 5th and 95th percentile over
            the slices.
        latency: microseconds, of all its calls together; empty where none was answered.
        slices: how many.
        lasted_s: from the begin of the first to the end of the last: what lies between two takes its time too.
        pace: how the last tenth compares with the first; None for less than 20 slices with answers.
        worst_s: the longest time without a right answer that slices can tell.
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
    pace: Pace | None
    errors: Mapping[str, int]
    said: Mapping[str, str]
    sides: Mapping[str, Side]
    episodes: Sequence[Episode]


@dataclass(frozen=True)
class Soaked:
    """A soak, whole.

    Attributes:
        over: why it ended before its time, or "".
        deaths: the journal's lines.
        notes: what a reader should know.
        restarts: how often it was started again after it had died.
    """

    run: Run
    steps: Sequence[Step]
    deaths: Sequence[Mapping[str, Any]]
    over: str
    notes: Sequence[str]
    slices: Sequence[Mapping[str, Any]]
    rests: Sequence[Mapping[str, Any]]
    restarts: int


def read(run: Run) -> Soaked:
    """Reckon a soak, finished or not.

    Raises:
        BadInput: the folder is damaged.
    """
    lines = list(run.lines())
    slices = [line for line in lines if line["kind"] == "slice"]
    over = next((str(line["why"]) for line in lines if line["kind"] == "over"), "")
    return Soaked(
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
    """Count the starts that follow a death: one that goes on after it was stopped is none."""
    happened = [line["kind"] for line in lines if line["kind"] in {"death", "start"}]
    return sum(pair == ("death", "start") for pair in itertools.pairwise(happened))


def _step(lines: Sequence[Mapping[str, Any]], step: int) -> Step:
    mine = [line for line in lines if line.get("step") == step]
    slices = [line for line in mine if line["kind"] == "slice"]
    seconds = sum(line["seconds"] for line in slices)
    calls = sum(line["calls"] for line in slices)
    windows = [window_in(line) for line in slices]
    rates = sorted(window.per_s for window in windows)
    said: dict[str, str] = {}
    for line in slices:
        said = {**line["said"], **said}
    return Step(
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
        errors=_added(line["errors"] for line in slices),
        said=said,
        sides={side: _side(mine, slices, side, calls) for side in _sides(slices)},
        episodes=episodes([slice_of(line) for line in slices]),
    )


def _latency(histograms: Sequence[Mapping[str, Any]]) -> Mapping[str, float]:
    if not histograms:
        return {}
    buckets = merged(dict(line["buckets"]) for line in histograms)
    return times(buckets, min(line["min_ns"] for line in histograms), max(line["max_ns"] for line in histograms))


def _pace(slices: Sequence[Mapping[str, Any]]) -> Pace | None:
    """Compare both ends of a step, a tenth of its slices each."""
    answered = [line for line in slices if line.get(SPEED)]
    tenth = len(answered) // 10
    return pace(answered[:tenth], answered[-tenth:], _SLOWER) if tenth else None


def _added(every: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for errors in every:
        for kind, count in errors.items():
            total[kind] = total.get(kind, 0) + count
    return dict(sorted(total.items(), key=lambda item: -item[1]))


def _sides(slices: Sequence[Mapping[str, Any]]) -> list[str]:
    return [side for side in ("server", "client", "both") if any(side in line["sides"] for line in slices)]


def _side(lines: Sequence[Mapping[str, Any]], slices: Sequence[Mapping[str, Any]], side: str, calls: int) -> Side:
    seen = [line["sides"][side] for line in slices if side in line["sides"]]
    moments = {line["moment"]: line["sides"].get(side) for line in lines if line["kind"] == "moment"}
    # Between two looks a size is seen ten times a second: what a moment found is not above the peak, but part of it.
    known = [one for one in moments.values() if one]
    end, rested = moments.get("end"), moments.get("rested")
    used_us = 1e3 * sum(one["user_ms"] + one["system_ms"] for one in seen)
    files = _each([*seen, *known], "files")
    sizes = _each(seen, "resident_bytes")
    return Side(
        processor_us=used_us / calls if calls else None,
        begin=moments.get("begin"),
        end=end,
        rested=rested,
        given_back=end["resident_bytes"] - rested["resident_bytes"] if end and rested else None,
        resident_peak=max(_each(seen, "resident_peak") + _each([*seen, *known], "resident_bytes")),
        threads_peak=max(_each(seen, "threads_peak") + _each([*seen, *known], "threads")),
        threads_made=sum(one["threads_made"] for one in seen) / calls if calls else None,
        files_peak=max(files, default=None),
        memory=Grown.of(_grown(slices, side, "resident_bytes"), LEAST_GROWTH_BYTES, max(sizes)),
        threads=Grown.of(_grown(slices, side, "threads"), LEAST_GROWTH_THREADS),
        files=Grown.of(_grown(slices, side, "files"), LEAST_GROWTH_FILES),
    )


def _each(seen: Sequence[Mapping[str, Any]], name: str) -> list[int]:
    """What was seen of a figure, where it is known."""
    return [one[name] for one in seen if one.get(name) is not None]


def _grown(slices: Sequence[Mapping[str, Any]], side: str, name: str) -> Growth | None:
    """Each start of the server is a series of its own: a new process begins where it begins."""
    series: dict[int, tuple[list[float], list[float]]] = {}
    made: dict[int, int] = {}
    for line in slices:
        value = line["sides"].get(side, {}).get(name)
        start = line["start"]
        made[start] = made.get(start, 0) + line["calls"]
        if value is not None and not line["dead"]:
            calls, values = series.setdefault(start, ([], []))
            calls.append(float(made[start]))
            values.append(float(value))
    return growth(list(series.values()))


def _written(step: Step) -> dict[str, Any]:
    """Write a step out; the slices of its last tenth stand among all slices."""
    flat = asdict(step)
    if flat["pace"] is not None:
        del flat["pace"]["last"]
    return flat


def sick(step: Step) -> list[Episode]:
    """The episodes in which not all was well."""
    return [one for one in step.episodes if one.state is not State.WELL]


def record(found: Soaked) -> dict[str, Any]:
    """For programs. Times in microseconds where a name says so, else in seconds; sizes in bytes."""
    return {
        "kind": "soak",
        "folder": str(found.run.path),
        "of": found.run.info["soak"],
        "state": found.run.info["state"],
        "over": found.over,
        "notes": list(found.notes),
        "deaths": [{name: value for name, value in death.items() if name != "kind"} for death in found.deaths],
        "restarts": found.restarts,
        "steps": [_written(step) for step in found.steps],
        "slices": [{name: value for name, value in line.items() if name != "kind"} for line in found.slices],
        "rests": [{name: value for name, value in line.items() if name != "kind"} for line in found.rests],
    }
