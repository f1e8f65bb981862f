"""A torture in tables, charts and sentences: a verdict for each test, with its values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from callbench.analysis.stability.findings import FAILING, UNFINISHED, Finding, closing_sentence, unfinished
from callbench.analysis.stability.formatting import (
    episode_text,
    errors_text,
    mib,
    microseconds,
    over_text,
    recovery_text,
    whole,
)
from callbench.analysis.stability.lines import notes, valid_lines
from callbench.analysis.stability.other_programs import median_others, others_text
from callbench.analysis.stability.slices import slice_of, window_of_line
from callbench.analysis.stability.slowness import SlownessVerdict, judge_slowness
from callbench.report.charts.draw import chart
from callbench.report.charts.over_time import Panel, over_time
from callbench.report.record_report import RecordReport
from callbench.report.text.section import Chart, Section, Sheet
from callbench.stats.decision import Outcome
from callbench.stats.recovery import Episode, Recovery, State, Verdict, episodes, recovery, state_of, verdict, worst
from callbench.store.record import Record

_SOURCE = "journal.jsonl: lines of kind test, slice, connections, tested (docs/reference/run-folder.md)"
COLUMNS = (
    "test", "verdict", "recovered", "p50 before, µs", "p50 during, µs", "longest, ms", "calls during", "errors",
    "MiB left over", "files left over", "threads left over",
)  # fmt: skip
CONNECTION_COLUMNS = (
    "test", "opened", "peak open", "refused", "not accepted in time", "answered", "closed by the server",
    "reset by the server", "MiB sent", "KiB received", "no free ports or files",
)  # fmt: skip


@dataclass(frozen=True)
class TestView:
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
    verdict: Verdict
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
    connections: Mapping[str, Any]
    loss: Mapping[str, str] | None
    others: str
    slow: SlownessVerdict
    slow_after: SlownessVerdict | None


def torture_report(run: Record) -> RecordReport:
    """Describe a torture.

    Raises:
        BadInput: the folder is damaged.
    """
    lines = valid_lines(run.lines(), "test")
    tests = [found for line in lines if line["kind"] == "test" and (found := _tested(line, lines)) is not None]
    left_out = {line["test"]: line["why"] for line in lines if line["kind"] == "left-out"}
    request = run.request
    about = (
        f"{request['name']}{over_text(request)}. One client calls normally before, during and after each test."
        f" In a test, up to {request['connections']:,} bad connections attack the server for {request['seconds']:g} s."
    )
    record = {
        "kind": "torture",
        "folder": str(run.path),
        "of": request,
        "state": run.info["state"],
        "tests": [{**asdict(one), "verdict": one.verdict.value} for one in tests],
        "left_out": left_out,
    }
    findings = [*unfinished(run.info), *_findings(tests, left_out)]
    work = f"it survived {', '.join(one.name for one in tests)}"
    sentences = [*_sentences(tests, left_out), *notes(lines), closing_sentence(findings, work, FAILING["torture"])]
    return RecordReport(run, about, sentences, _sections(tests, lines), record, findings, verdict=_title(tests))


def _title(tests: Sequence[TestView]) -> str:
    """Count the tests that the server survived, and name the others, the worst first: the title of the page."""
    survived = sum(one.verdict is Verdict.SURVIVED for one in tests)
    parts = [f"The server survived {survived} of {len(tests)} tests"]
    for verdict_ in reversed(Verdict):
        names = [one.name for one in tests if one.verdict is verdict_ is not Verdict.SURVIVED]
        parts += [f"{verdict_.value} in {', '.join(names)}"] if names else []
    return "; ".join(parts)


def _findings(tests: Sequence[TestView], left_out: Mapping[str, str]) -> Iterator[Finding]:
    """What was wrong, or cannot be told; who was only slow while others were busy may have survived."""
    if not tests:
        yield Finding(UNFINISHED, Outcome.UNDECIDED, f"no test was run{': ' if left_out else ''}{', '.join(left_out)}")
    for one in tests:
        if one.verdict is not Verdict.SURVIVED:
            only_slow = {each.state for each in one.episodes} <= {State.WELL, State.SLOW}
            text = f"{one.name}: {one.verdict}" + (f"; {one.slow.text}" if only_slow else "")
            yield Finding(one.verdict.value, one.slow.outcome if only_slow else Outcome.FAILED, text)
        if one.well_again is None and one.loss is None:
            text = f"{one.name}: did not recover within {one.watched_s:.1f} s"
            text += f"; {one.slow_after.text}" if one.slow_after else ""
            yield Finding("not-recovered", one.slow_after.outcome if one.slow_after else Outcome.FAILED, text)


def _tested(test: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> TestView | None:
    name = test["test"]
    own = [line for line in lines if line.get("test") == name]
    ended = next((line for line in own if line["kind"] == "tested"), None)
    if ended is None:
        return None
    seen = [line for line in own if line["kind"] == "slice" and line["phase"] != "before"]
    during = [line for line in seen if line["phase"] == "during"]
    slices, limit = [slice_of(line) for line in seen], test["limit_us"]
    before = [line for line in own if line["kind"] == "slice" and line["phase"] == "before"]
    after = [line for line in seen if line["phase"] == "after"]
    again = recovery(slices, ended["ended_s"], limit)
    state, later = (worst([state_of(slice_of(line), limit) for line in part]) for part in (during, after))
    allowed = limit / test["before_us"]
    at_last = judge_slowness(before, after, allowed, "after it")
    # One process of several may have ended: who continues answering has not died.
    dead = ended["loss"] is not None and not (slices and slices[-1].calls)
    speeds = sorted(line["p50_us"] for line in during if "p50_us" in line)
    errors: dict[str, int] = {}
    for line in seen:
        for kind, count in line["errors"].items():
            errors[kind] = errors.get(kind, 0) + count
    return TestView(
        name=name,
        about=test["about"],
        verdict=Verdict.DIED if dead else verdict(slices, limit),
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


def _resources_left(begin: Mapping[str, Any] | None, end: Mapping[str, Any] | None) -> dict[str, int | None]:
    def of(name: str) -> int | None:
        known = begin is not None and end is not None and begin.get(name) is not None and end.get(name) is not None
        return end[name] - begin[name] if known and begin and end and end["processes"] else None

    return {name: of(name) for name in ("resident_bytes", "files", "threads")}


def _sentences(tests: Sequence[TestView], left_out: Mapping[str, str]) -> Iterator[str]:
    for one in sorted(tests, key=lambda one: list(Verdict).index(one.verdict), reverse=True):
        troubled_episodes = [each for each in one.episodes if each.state is not State.WELL]
        if one.loss is not None:
            yield f"{one.name}: {one.verdict}: {one.loss['why']}."
        elif troubled_episodes:
            worst = max(troubled_episodes, key=lambda each: (list(State).index(each.state), each.end_s - each.start_s))
            again = recovery_text(one.well_again, one.watched_s)
            yield f"{one.name}: {one.verdict}: {episode_text(worst)}; recovered after the test: {again}."
        else:
            yield f"{one.name}: {one.verdict}."
    for name, why in left_out.items():
        yield f"{name} was left out: {why}."


def _sections(tests: Sequence[TestView], lines: Sequence[Mapping[str, Any]]) -> list[Section]:
    if not tests:
        return []
    about = (
        "The verdict is the worst state that a normal client saw. It makes a new connection every half second."
        " Survived: no trouble. Degraded: slow, or some calls failed. Refused: a slice without an accepted connection."
        " Hung: a slice without an answer. Died: the server's process ended. Left over: what the server held in"
        " addition, one second after the end of the bad connections. The bad connections run on the client's"
        " processors."
    )
    return [
        Section("tests", "Tests", about, sheets=[Sheet("Tests", COLUMNS, [_row(one) for one in tests])],
                charts=_charts(tests, lines), source=_SOURCE),
        Section("connections", "Bad connections", "Counted by the attacking side.",
                sheets=[Sheet("Bad connections", CONNECTION_COLUMNS, [_connections_row(one) for one in tests])],
                source=_SOURCE),
    ]  # fmt: skip


def _row(one: TestView) -> tuple[str, ...]:
    left = one.left_over
    return (
        one.name,
        one.verdict.value,
        "" if one.loss is not None else recovery_text(one.well_again, one.watched_s),
        microseconds(one.before_us),
        microseconds(one.during_us),
        "" if one.longest_us is None else f"{one.longest_us / 1e3:,.1f}",
        whole(one.calls),
        errors_text(one.errors),
        mib(left["resident_bytes"]),
        whole(left["files"]),
        whole(left["threads"]),
    )


def _connections_row(one: TestView) -> tuple[str, ...]:
    counts = ("opened", "max_open", "refused", "timed_out", "answered", "closed_by_server", "reset_by_server")
    return (
        one.name,
        *(whole(one.connections[name]) for name in counts),
        f"{one.connections['sent_bytes'] / 2**20:,.1f}",
        f"{one.connections['received_bytes'] / 2**10:,.1f}",
        whole(one.connections["out_of_resources"]),
    )


def _charts(tests: Sequence[TestView], lines: Sequence[Mapping[str, Any]]) -> list[Chart]:
    found = []
    for one in tests:
        own = [line for line in lines if line.get("test") == one.name]
        seen = [line for line in own if line["kind"] == "slice"]
        start = seen[0]["at_s"]
        begun = next(line["at_s"] for line in seen if line["phase"] == "during") - start
        ended = next(line["ended_s"] for line in own if line["kind"] == "tested") - start
        times = [(line["at_s"] - start, line["p50_us"]) for line in seen if "p50_us" in line]
        calls = [(line["at_s"] - start, window_of_line(line).per_s) for line in seen if line["seconds"]]
        failed = [(line["at_s"] - start, sum(line["errors"].values()) / line["seconds"]) for line in seen]
        bad = [(begun + line["at_ms"] / 1e3, line["open_now"]) for line in own if line["kind"] == "connections"]
        panels = [
            Panel("calls/s", {"answered": calls} | ({"failed": failed} if one.errors else {})),
            Panel("median call, µs", {"answered": times}),
            Panel("bad connections", {"open": bad}),
        ]
        about = f"Each {one.about}. The bad connections ran between the broken lines. Verdict: {one.verdict}."
        spec = over_time(panels, {begun: "begin", ended: "end"})
        drawn = chart(f"torture-{one.name}", one.name, about, spec, _SOURCE)
        found += [drawn] if drawn else []
    return found
