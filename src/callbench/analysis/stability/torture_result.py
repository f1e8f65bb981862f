"""The result of a torture, computed from its journal: a verdict for each test, with its values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from callbench.analysis.stability.findings import UNFINISHED, Finding, unfinished
from callbench.analysis.stability.lines import notes, valid_lines
from callbench.analysis.stability.other_programs import median_others, others_text
from callbench.analysis.stability.slices import slice_of
from callbench.analysis.stability.slowness import SlownessVerdict, judge_slowness
from callbench.stats.decide.decision import Outcome
from callbench.stats.load.recovery import (
    Episode,
    MischiefVerdict,
    Recovery,
    State,
    episodes,
    recovery,
    verdict,
    worst,
)
from callbench.store.lines.sides import SideRead
from callbench.store.lines.torture import (
    TORTURE_LINES,
    AttackLine,
    ConnectionTotals,
    HowEnded,
    TortureLine,
)
from callbench.store.record import Record


@dataclass(frozen=True)
class TortureTest:
    """One test.

    Attributes:
        verdict: what the observer experienced during the misbehaviour and after it.
        well_again: when the server had recovered after it; None: not during the observation.
        watched_s: seconds of observation after it.
        before_us: the median call before.
        during_us: the median over the slices during it of their median calls; None without answers.
        longest_us: the longest successful call, during it and after.
        calls: successful calls during it.
        errors: by kind, during it and after.
        left_over: how much more the server uses than before: `resident_bytes`, `files`, `threads`; None: unknown.
        connections: the totals of the misbehaving connections.
        loss: how the server ended, or None.
        others: the processor use of other programs since it began, as a part of a sentence.
        slow: whether calls were slower during it, or after it if they were not, all slices together.
        slow_after: the same after it; None if the server had recovered, or was worse than slow.
    """

    name: str
    about: str
    verdict: MischiefVerdict
    well_again: Recovery | None
    watched_s: float
    before_us: float
    limit_us: float
    during_us: float | None
    longest_us: float | None
    calls: int
    errors: Mapping[str, int]
    episodes: Sequence[Episode]
    left_over: Mapping[str, int | None]
    connections: ConnectionTotals
    loss: HowEnded | None
    others: str
    slow: SlownessVerdict
    slow_after: SlownessVerdict | None


@dataclass(frozen=True)
class TortureResult:
    """The result of a torture.

    Attributes:
        tests: the finished tests.
        left_out: why a test was not made, by its name.
        lines: the journal without interrupted tests.
        notes: notes for the reader.
    """

    run: Record
    tests: Sequence[TortureTest]
    left_out: Mapping[str, str]
    lines: Sequence[TortureLine]
    notes: Sequence[str]


def read(run: Record) -> TortureResult:
    """Compute the result of a torture, finished or not.

    Raises:
        BadInput: the folder is damaged.
    """
    lines = valid_lines(TORTURE_LINES.read(run.lines(), run.journal_file), "test")
    tests = [test for line in lines if line["kind"] == "test" and (test := _tested(line, lines)) is not None]
    left_out = {line["test"]: line["why"] for line in lines if line["kind"] == "left-out"}
    return TortureResult(run, tests, left_out, lines, notes(run, lines))


def record(result: TortureResult) -> dict[str, object]:
    """Return the torture as a JSON object."""
    return {
        "kind": "torture",
        "folder": str(result.run.path),
        "of": result.run.request,
        "state": result.run.info["state"],
        "tests": [{**asdict(test), "verdict": test.verdict.value} for test in result.tests],
        "left_out": result.left_out,
    }


def torture_findings(result: TortureResult) -> list[Finding]:
    """Return all findings: what was wrong, or cannot be told."""
    return [*unfinished(result.run), *_findings(result.tests, result.left_out)]


def _findings(tests: Sequence[TortureTest], left_out: Mapping[str, str]) -> Iterator[Finding]:
    """What was wrong, or cannot be told; who was only slow while others were busy may have survived."""
    if not tests:
        yield Finding(UNFINISHED, Outcome.UNDECIDED, f"no test was run{': ' if left_out else ''}{', '.join(left_out)}")
    for test in tests:
        if not test.episodes and test.loss is None:
            yield Finding(UNFINISHED, Outcome.UNDECIDED, f"{test.name}: nobody called: the machine was too busy")
        if test.verdict is not MischiefVerdict.SURVIVED:
            only_slow = {each.state for each in test.episodes} <= {State.WELL, State.SLOW}
            text = f"{test.name}: {test.verdict}" + (f", as {test.slow.text}" if only_slow else "")
            yield Finding(test.verdict.value, test.slow.outcome if only_slow else Outcome.FAILED, text)
        if test.well_again is None and test.loss is None:
            text = f"{test.name}: did not recover within {test.watched_s:.1f} s"
            text += f", and afterwards {test.slow_after.text}" if test.slow_after else ""
            yield Finding("not-recovered", test.slow_after.outcome if test.slow_after else Outcome.FAILED, text)


def _tested(test: AttackLine, lines: Sequence[TortureLine]) -> TortureTest | None:
    name = test["test"]
    ended = next((line for line in lines if line["kind"] == "tested" and line["test"] == name), None)
    if ended is None:
        return None
    own = [line for line in lines if line["kind"] == "slice" and line["test"] == name]
    seen = [line for line in own if line["phase"] != "before"]
    during = [line for line in seen if line["phase"] == "during"]
    slices, limit = [slice_of(line) for line in seen], test["limit_us"]
    before = [line for line in own if line["phase"] == "before"]
    after = [line for line in seen if line["phase"] == "after"]
    again = recovery(slices, ended["ended_s"], limit)
    state, later = (worst([slice_of(line) for line in part], limit) for part in (during, after))
    allowed = limit / test["before_us"]
    at_last = judge_slowness(before, after, allowed, "after it")
    # One process of several may have ended: who continues answering has not died.
    dead = ended["loss"] is not None and not (slices and slices[-1].calls)
    speeds = sorted(line["p50_us"] for line in during if "p50_us" in line)
    errors: dict[str, int] = {}
    for line in seen:
        for kind, count in line["errors"].items():
            errors[kind] = errors.get(kind, 0) + count
    return TortureTest(
        name=name,
        about=test["about"],
        verdict=MischiefVerdict.DIED if dead else verdict(slices, limit),
        well_again=again,
        watched_s=max(0.0, slices[-1].end_s - ended["ended_s"]) if slices else 0.0,
        before_us=test["before_us"],
        limit_us=limit,
        during_us=speeds[len(speeds) // 2] if speeds else None,
        longest_us=max((line["max_us"] for line in seen if "max_us" in line), default=None),
        calls=sum(line["calls"] for line in during),
        errors=errors,
        episodes=episodes(slices, limit),
        left_over=_resources_left(test["begin"].get("server"), ended["end"].get("server")),
        connections=ended["connections"],
        loss=ended["loss"],
        others=others_text(seen, median_others(before)),
        slow=at_last if state is State.WELL else judge_slowness(before, during, allowed, "during it"),
        slow_after=at_last if again is None and later is State.SLOW else None,
    )


_Resource = Literal["resident_bytes", "files", "threads"]
_RESOURCES: tuple[_Resource, ...] = ("resident_bytes", "files", "threads")


def _resources_left(begin: SideRead | None, end: SideRead | None) -> dict[str, int | None]:
    def of(name: _Resource) -> int | None:
        if begin is None or end is None or not end["processes"]:
            return None
        earlier, later = begin[name], end[name]
        return None if earlier is None or later is None else later - earlier

    return {name: of(name) for name in _RESOURCES}
