"""A torture in tables, charts and sentences: a verdict for each test, with its values."""

from collections.abc import Iterator, Sequence
from typing import Final

from callbench.analysis.stability.findings import FAILING, closing_sentence, outcome
from callbench.analysis.stability.formatting import (
    episode_text,
    errors_text,
    mib,
    microseconds,
    over_text,
    recovery_text,
    whole,
)
from callbench.analysis.stability.slices import window_of_line
from callbench.analysis.stability.torture_result import TortureResult, TortureTest, read, record, torture_findings
from callbench.analysis.wording.words import counted
from callbench.report.charts.chart import chart
from callbench.report.charts.over_time import DECIMAL, Panel, over_time
from callbench.report.record_report import RecordReport
from callbench.report.text.section import Chart, Section, Sheet
from callbench.stats.estimate.digits import given
from callbench.stats.load.recovery import MischiefVerdict, State
from callbench.store.lines.torture import TortureLine
from callbench.store.record import Record
from callbench.store.requested.torture import RequestedTorture

_SOURCE = "journal.jsonl: lines of kind test, slice, connections, tested (docs/reference/run-folder.md)"
COLUMNS = (
    "test", "verdict", "recovered", "p50 before, µs", "p50 during, µs", "longest, ms", "calls during", "errors",
    "MiB left over", "files left over", "threads left over",
)  # fmt: skip
CONNECTION_COLUMNS = (
    "test", "opened", "peak open", "refused", "not accepted in time", "answered", "closed by the server",
    "reset by the server", "MiB sent", "KiB received", "no free ports or files",
)  # fmt: skip


_COUNTS: Final = ("opened", "max_open", "refused", "timed_out", "answered", "closed_by_server", "reset_by_server")


def torture_report(run: Record) -> RecordReport:
    """Describe a torture.

    Raises:
        BadInput: the folder is damaged.
    """
    result, requested = read(run), run.requested(RequestedTorture)
    about = (
        f"{requested.name}{over_text(requested.link)}. One client calls normally before, during and after each test."
        f" In a test, up to {requested.connections:,} bad connections attack the server for"
        f" {given(requested.seconds)} s."
    )
    findings = torture_findings(result)
    work = "it neither died nor hung, and recovered after each test"
    sentences = [*_sentences(result), *result.notes, closing_sentence(findings, work, FAILING["torture"])]
    sections = _sections(result.tests, result.lines)
    verdict = f"{outcome(findings, FAILING['torture']).capitalize()}: {_tested(result.tests)}"
    return RecordReport(run, about, sentences, sections, record(result), findings, verdict=verdict)


def _tested(tests: Sequence[TortureTest]) -> str:
    """Count the tests that the server survived, and name the others, the worst first."""
    survived = sum(test.verdict is MischiefVerdict.SURVIVED for test in tests)
    parts = [f"the server survived {survived} of {counted(len(tests), 'test')}"]
    for verdict_ in reversed(MischiefVerdict):
        names = [test.name for test in tests if test.verdict is verdict_ is not MischiefVerdict.SURVIVED]
        parts += [f"{verdict_.value} in {', '.join(names)}"] if names else []
    return "; ".join(parts)


def _sentences(result: TortureResult) -> Iterator[str]:
    for test in sorted(result.tests, key=lambda test: list(MischiefVerdict).index(test.verdict), reverse=True):
        troubled = [each for each in test.episodes if each.state is not State.WELL]
        if test.loss is not None:
            yield f"{test.name}: {test.verdict}: {test.loss['why']}."
        elif troubled:
            worst = max(troubled, key=lambda each: (list(State).index(each.state), each.end_s - each.start_s))
            again = recovery_text(test.well_again, test.watched_s)
            yield f"{test.name}: {test.verdict}: {episode_text(worst)}; recovered after the test: {again}."
        else:
            yield f"{test.name}: {test.verdict}."
    for name, why in result.left_out.items():
        yield f"{name} was left out: {why}."


def _sections(tests: Sequence[TortureTest], lines: Sequence[TortureLine]) -> list[Section]:
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
        Section("tests", "Tests", about, sheets=[Sheet("Tests", COLUMNS, [_row(test) for test in tests])],
                charts=_charts(tests, lines), source=_SOURCE),
        Section("connections", "Bad connections", "Counted by the attacking side.",
                sheets=[Sheet("Bad connections", CONNECTION_COLUMNS, [_connections_row(test) for test in tests])],
                source=_SOURCE),
    ]  # fmt: skip


def _row(test: TortureTest) -> tuple[str, ...]:
    left = test.left_over
    return (
        test.name,
        test.verdict.value,
        "" if test.loss is not None else recovery_text(test.well_again, test.watched_s),
        microseconds(test.before_us),
        microseconds(test.during_us),
        "" if test.longest_us is None else f"{test.longest_us / 1e3:,.1f}",
        whole(test.calls),
        errors_text(test.errors),
        mib(left["resident_bytes"]),
        whole(left["files"]),
        whole(left["threads"]),
    )


def _connections_row(test: TortureTest) -> tuple[str, ...]:
    return (
        test.name,
        *(whole(test.connections[name]) for name in _COUNTS),
        f"{test.connections['sent_bytes'] / 2**20:,.1f}",
        f"{test.connections['received_bytes'] / 2**10:,.1f}",
        whole(test.connections["out_of_resources"]),
    )


def _charts(tests: Sequence[TortureTest], lines: Sequence[TortureLine]) -> list[Chart]:
    found = []
    for test in tests:
        seen = [line for line in lines if line["kind"] == "slice" and line["test"] == test.name]
        start = seen[0]["at_s"]
        begun = next(line["at_s"] for line in seen if line["phase"] == "during") - start
        ended = (
            next(line["ended_s"] for line in lines if line["kind"] == "tested" and line["test"] == test.name) - start
        )
        times = [(line["at_s"] - start, line["p50_us"] / 1e3) for line in seen if "p50_us" in line]
        calls = [(line["at_s"] - start, window_of_line(line).per_s) for line in seen if line["seconds"]]
        failed = [
            (line["at_s"] - start, sum(line["errors"].values()) / line["seconds"]) for line in seen if line["seconds"]
        ]
        bad = [
            (begun + line["at_ms"] / 1e3, line["open_now"])
            for line in lines
            if line["kind"] == "connections" and line["test"] == test.name
        ]
        panels = [
            Panel(
                "calls/s", "{value} calls/s {line}", {"answered": calls} | ({"failed": failed} if test.errors else {})
            ),
            Panel("median call, ms", "median call {value} ms", {"answered": times}, DECIMAL),
            Panel("bad connections", "bad connections {line}: {value}", {"open": bad}),
        ]
        about = f"Each {test.about}. The bad connections ran between the broken lines. Verdict: {test.verdict}."
        spec = over_time(panels, {begun: "begin", ended: "end"})
        drawn = chart(f"torture-{test.name}", test.name, about, spec, _SOURCE)
        found += [drawn] if drawn else []
    return found
