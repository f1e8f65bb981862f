"""`callbench soak`: real servers that stay well, crash, hang, refuse, answer wrongly or leak."""

import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from ending import code_of
from neighbours import machine

from callbench.adapter.placement import choose_placement
from callbench.analysis.stability.findings import failing_kinds, outcome
from callbench.analysis.stability.soak_findings import LEAST_SLICES
from callbench.model.process_readings import FullReading
from callbench.report.record_report import RecordReport
from callbench.report.stability import soak_report
from callbench.runner.stability import record
from callbench.runner.stability.soak import slice_s
from callbench.stats.decide.decision import Outcome
from callbench.store.lines.sides import SideUse
from callbench.store.lines.soak import SoakDeathLine, SoakLine, SoakMomentLine, SoakSliceLine
from callbench.store.record import Record
from conftest import eventually
from left_behind import marked
from loaded_program import Begin
from sealed import sealed

if TYPE_CHECKING:
    from callbench.store.lines.sides import SideRead

HERE = Path(__file__).resolve().parent
Program = Callable[..., subprocess.CompletedProcess[str]]
# Answers 10 calls, and ends.
DYING = """
import os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    protocol_version, wbufsize, left = "HTTP/1.1", -1, 10

    def do_GET(self):
        Handler.left -= 1
        if Handler.left < 0:
            os._exit(3)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.fixture(autouse=True)
def troubled_episodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The adapter whose server falls ill."""
    monkeypatch.setenv("CALLBENCH_ADAPTERS", str(HERE / "sick"))


def said(finished: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found = sealed("soak", finished.stdout)
    assert finished.returncode == code_of(found), finished.stderr
    return found


def soaked(callbench: Program, tmp_path: Path, *words: object) -> dict[str, Any]:
    short = ["--seconds", "2", "--rest", "0", "--every", "0.2", "--timeout", "30", "--clients", "2"]
    return said(callbench("soak", "sick/tcp", *short, *words, "--out", tmp_path / "soak", "--json"))


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_left")
def test_who_stays_well_is_reported_step_by_step(callbench: Program, tmp_path: Path) -> None:
    found = soaked(callbench, tmp_path, "--clients", "1,3", "--rest", "0.5")
    assert [step["clients"] for step in found["steps"]] == [1, 3]
    assert found["deaths"] == []
    for step in found["steps"]:
        assert step["calls"] > 0
        assert step["errors"] == {}
        assert [one["state"] for one in step["episodes"]] == ["well"]
        assert step["calls"] == sum(one["calls"] for one in found["slices"] if one["clients"] == step["clients"])
        for side in ("server", "client"):
            seen = step["sides"][side]
            assert seen["resident_peak"] > 0
            assert seen["files_peak"] >= step["clients"]
            assert {"begin", "end", "rested"} <= seen.keys()
            assert seen["rested"]["resident_bytes"] > 0
    assert found["rests"]
    # Ten slices have no slope: the report says so, and what duration would give one.
    assert re.match("Undecided: .*it needs 32 of one start, so give --seconds", found["found"][-1])
    assert {one["kind"] for one in found["findings"]} <= {"growth", "slower"}
    page = (tmp_path / "soak" / "report.html").read_text()
    assert "<svg" in page
    assert "soak of sick/tcp" in page
    assert ">callbench soak sick/tcp " in page, "the command that measures it again"
    assert callbench("report", tmp_path / "soak", "--format", "md").returncode == 0
    assert "| clients | seconds |" in (tmp_path / "soak" / "report.md").read_text()


@pytest.mark.parametrize(
    ("sickness", "state", "kinds"),
    [
        ("hang", "hung", {"timeout"}),
        ("refuse", "refusing", {"refused", "closed"}),
        ("wrong", "wrong", {"wrong-answer"}),
    ],
)
@pytest.mark.usefixtures("nothing_left")
def test_problems_are_distinguished_and_timed(  # noqa: PLR0917 - fixtures and cases
    callbench: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sickness: str, state: str, kinds: set[str]
) -> None:
    monkeypatch.setenv("SICK", f"{sickness} 100")
    # Only a server that hangs needs a short time-out, and more than one slice that waits for it to its end; on a busy
    # machine others would seem to hang by it.
    hangs = ("--timeout", "5", "--seconds", "8") if sickness == "hang" else ()
    found = soaked(callbench, tmp_path, *hangs)
    last = found["steps"][0]["episodes"][-1]
    assert last["state"] == state
    assert found["found"][-1].startswith("Failed: 2 clients: ")
    assert ("errors", "failed") in {(one["kind"], one["outcome"]) for one in found["findings"]}
    assert last["errors"].keys() <= kinds | {"timeout", "closed"}
    assert last["end_s"] > last["start_s"]
    assert found["deaths"] == []
    # The stand-in's client takes the first answer of each slice for the right one.
    assert found["steps"][0]["calls"] <= 100 + len(found["slices"])


@pytest.mark.usefixtures("nothing_left")
def test_who_crashes_has_died_after_so_many_calls_and_is_not_started_again_unasked(
    callbench: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SICK", "crash 100")
    found = soaked(callbench, tmp_path)
    (death,) = found["deaths"]
    assert (death["how"], death["side"]) == ("crash", "server")
    # All its life: the call that was made before anything too.
    assert 98 <= death["calls"] <= 100
    assert "--restart was not given" in found["over"]
    assert f"It died after {death['calls']:,} calls" in found["found"][0]
    assert found["found"][-1].startswith("Failed: it died")


@pytest.mark.usefixtures("nothing_left")
def test_who_crashes_is_started_again_if_requested(
    callbench: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # After few calls: a busy machine may make no hundred of them in that time.
    monkeypatch.setenv("SICK", "crash 10")
    found = soaked(callbench, tmp_path, "--restart", "--seconds", "4")
    assert len(found["deaths"]) >= 1
    assert found["restarts"] == len(found["deaths"])
    assert "It was restarted" in " ".join(found["found"])
    assert found["over"] == ""
    assert {one["start"] for one in found["slices"]} == set(
        range(len(found["deaths"]) + (not found["slices"][-1]["dead"]))
    )
    assert found["steps"][0]["calls"] > found["deaths"][0]["calls"]


@pytest.mark.usefixtures("nothing_left")
def test_clients_that_think_call_as_seldom_as_that(callbench: Program, tmp_path: Path) -> None:
    (step,) = soaked(callbench, tmp_path, "--think", "100", "--every", "1")["steps"]
    # Two clients for two seconds, which begin again in each slice of one.
    assert 0 < step["calls"] <= 2 * 2 * 11


def test_who_cannot_think_is_refused_and_leaves_no_folder(
    callbench: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SICK_LACKS", "think")
    finished = callbench("soak", "sick/tcp", "--think", "100", "--out", tmp_path / "soak")
    assert (finished.returncode, finished.stderr.count("\n")) == (2, 1)
    assert "think time, and the adapter sick has none" in finished.stderr
    assert not (tmp_path / "soak").exists()


@pytest.mark.usefixtures("lab", "nothing_left")
def test_a_link_may_lie_between(callbench: Program, tmp_path: Path) -> None:
    found = soaked(callbench, tmp_path, "--link", "wan50")
    (step,) = found["steps"]
    assert step["errors"] == {}
    # There and back over it no call is faster than its delay.
    assert step["latency"]["p50_us"] > 40_000
    assert found["of"]["link"] == "wan50"
    assert "sick/tcp over wan50" in (tmp_path / "soak" / "report.html").read_text()


@pytest.mark.usefixtures("nothing_left")
def test_what_a_leak_comes_to_is_seen(callbench: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SICK", "leak 1")
    (step,) = soaked(callbench, tmp_path, "--rest", "0.2", "--clients", "1")["steps"]
    server, client = step["sides"]["server"], step["sides"]["client"]
    # 4 KiB a call, and a little for the list that holds them.
    grown = server["end"]["resident_bytes"] - server["begin"]["resident_bytes"]
    assert grown > 0.9 * 4096 * step["calls"]
    assert server["returned_bytes"] < 0.1 * grown
    assert client["end"]["resident_bytes"] - client["begin"]["resident_bytes"] < grown


@pytest.mark.parametrize(("a_call", "leaks"), [(4096, True), (0, False)])
def test_a_leak_is_reported_with_its_slope_also_over_a_restart(tmp_path: Path, a_call: int, leaks: bool) -> None:
    lines: list[SoakLine] = []
    for start in (0, 1):
        for place in range(100):
            size = 50_000_000 + (place + 1) * 200 * a_call + 4096 * (place * 7 % 5)
            lines.append(slice_line(start, place + 100 * start, size))
    lines.append(
        SoakDeathLine(kind="death", side="server", start=0, step=0, at_s=100.0, calls=20_000, how="crash", why="x")
    )
    info = {"name": "x/y", "clients": [1], "seconds": 200.0, "rest_s": 0.0, "every_s": 1.0}
    folder = tmp_path / "soak"
    with record.create_record("soak", "x/y", info, folder, choose_placement()) as run:
        for line in lines:
            run.append(line)
    told = soak_report.soak_report(Record(folder))
    assert told.found[-1].startswith("Failed: it died")
    assert any(one.kind == "growth" and one.outcome is Outcome.FAILED for one in told.findings) is leaks
    memory = told.record["steps"][0]["sides"]["server"]["memory"]
    assert memory["leaks"] is leaks
    assert abs(memory["per_thousand"] - 1000 * a_call) < 20_000
    assert any("grew by" in sentence for sentence in told.found) is leaks
    assert "after 20,000 calls" in told.found[0]


def kept(tmp_path: Path, lines: Sequence[SoakLine]) -> RecordReport:
    """A soak that never took place, as reported."""
    info = {"name": "x/y", "clients": [1], "seconds": 200.0, "rest_s": 0.0, "every_s": 1.0}
    folder = tmp_path / "soak"
    with record.create_record("soak", "x/y", info, folder, choose_placement()) as run:
        for line in lines:
            run.append(line)
        run.end("finished")
    return soak_report.soak_report(Record(folder))


def paced(at_s: int, p50_us: float, share: float, *, known: bool = True) -> SoakSliceLine:
    times_us = p50_us + at_s % 3
    line = slice_line(0, at_s, 50_000_000)
    return {**line, "p50_us": times_us, "p99_us": times_us, "machine": machine(share, known=known)}


@pytest.mark.parametrize(
    ("late_us", "late_share", "outcome_", "says"),
    [
        (100.0, 0.03, Outcome.PASSED, "^Passed: 20,000 calls in 100 s, none failed"),
        (190.0, 0.03, Outcome.FAILED, "^Failed: 1 client: the median call took .* other programs took 3 % of"),
        (190.0, 0.60, Outcome.UNDECIDED, r"Undecided: .* \(cc1plus\) took 60 % .*, 3 % before, which may be the cause"),
    ],
)
def test_who_became_slower_while_others_were_busy_is_not_judged_by_it(
    tmp_path: Path, late_us: float, late_share: float, outcome_: Outcome, says: str
) -> None:
    """It said "1.8 times slower" there without a word of who had taken the processors, and then "All was well"."""
    told = kept(tmp_path, [paced(at, *((100.0, 0.03) if at < 50 else (late_us, late_share))) for at in range(100)])
    assert outcome(told.findings, failing_kinds("soak", None)) is outcome_
    assert re.search(says, told.found[-1])
    assert outcome(told.findings, failing_kinds("soak", "died,errors")) is Outcome.PASSED
    assert outcome(told.findings, failing_kinds("soak", "none")) is Outcome.PASSED
    if late_us > 100:
        assert re.search(
            "became 1.* times slower; other programs.* of the processors during that time, 3 % before", told.found[0]
        )


def test_a_server_with_unknown_processes_is_undecided(tmp_path: Path) -> None:
    lines: list[SoakSliceLine] = [
        {**paced(at, 190.0 if at > 50 else 100.0, 0.0, known=False), "sides": {}} for at in range(100)
    ]
    told = kept(tmp_path, lines)
    assert outcome(told.findings, failing_kinds("soak", None)) is Outcome.UNDECIDED
    assert "give --pid" in told.found[-1]
    assert "the share of other programs is unknown" in told.found[-1]


def test_a_peak_is_never_below_what_is_shown_beside_it(tmp_path: Path) -> None:
    lines = [slice_line(0, at, 40_000_000 + at) for at in range(5)]
    size = cast("SideRead", FullReading(processes=1, resident_bytes=41_000_000, threads=9, files=12).record())
    moment = SoakMomentLine(kind="moment", step=0, clients=1, start=0, moment="end", at_s=5.0, sides={"server": size})
    (step,) = kept(tmp_path, [*lines, moment]).record["steps"]
    server = step["sides"]["server"]
    assert (server["resident_peak"], server["threads_peak"], server["files_peak"]) == (41_000_000, 9, 12)


@pytest.mark.parametrize(("seconds", "every", "is_"), [(60, None, 0.6), (600, None, 1.0), (5, None, 0.25), (60, 5, 5)])
def test_a_slice_is_short_enough_for_a_slope(seconds: float, every: float | None, is_: float) -> None:
    """A minute in slices of a second had too few of them for a slope, and was always too short."""
    assert slice_s(seconds, every) == is_


def test_the_length_that_would_tell_counts_what_lies_between_slices(tmp_path: Path) -> None:
    lines: list[SoakSliceLine] = [
        {**slice_line(0, 0, 50_000_000), "at_s": 0.5 * at, "seconds": 0.25} for at in range(29)
    ]
    (said,) = [one.text for one in kept(tmp_path, lines).findings if one.kind == "growth"]
    # 32 of them take half a second each, of which a quarter is driven: 16 s, and a fifth more to be sure.
    assert "29 slices, but it needs 32 of one start, so give --seconds 18.9" in said


def test_the_default_length_of_a_step_has_a_slope(tmp_path: Path) -> None:
    lines = [slice_line(0, at, 50_000_000 + 4096 * (at % 3)) for at in range(int(60 / slice_s(60, None)))]
    told = kept(tmp_path, lines)
    assert len(lines) >= LEAST_SLICES
    assert told.record["steps"][0]["sides"]["server"]["memory"]["per_thousand"] is not None
    assert not [one for one in told.findings if one.kind == "growth"]


def test_what_fails_a_soak_is_one_of_what_it_finds(callbench: Program, tmp_path: Path) -> None:
    wrong = callbench("soak", "sick/tcp", "--fail-on", "died,sloth", "--out", tmp_path / "soak")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    assert '--fail-on "sloth": soak does not find that' in wrong.stderr
    assert not (tmp_path / "soak").exists()


def slice_line(start: int, at_s: int, size: int) -> SoakSliceLine:
    side = SideUse(
        processes=1,
        resident_bytes=size,
        resident_peak=size - 9_999,
        threads=3,
        threads_peak=3,
        threads_made=0,
        threads_ended=0,
        files=9,
        user_ms=0,
        system_ms=0,
    )
    return SoakSliceLine(
        kind="slice",
        step=0,
        clients=1,
        start=start,
        at_s=float(at_s),
        calls=200,
        errors={},
        error_messages={},
        seconds=1.0,
        last_answer_s=1.0,
        dead=False,
        sides={"server": side},
        machine=machine(0.0),
    )


@pytest.mark.slow
def test_who_is_killed_continues_where_it_was(begin: Begin, callbench: Program, tmp_path: Path, mark: str) -> None:
    words = ["soak", "sick/tcp", "--seconds", "3", "--rest", "0", "--every", "0.2", "--clients", "1,2"]
    out = ["--out", tmp_path / "soak"]
    journal = tmp_path / "soak" / "journal.jsonl"
    with begin(*words, *out, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        assert eventually(lambda: journal.exists() and journal.read_text().count('"slice"') >= 3)
    assert eventually(lambda: not marked(mark)), "something outlives a killed soak"
    before = [line for line in journal.read_bytes().split(b"\n") if b'"slice"' in line]
    refused = callbench("soak", "sick/tcp", "--clients", "7", *out, "--resume")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "is another soak: its clients, every_s" in refused.stderr
    found = said(callbench(*words, *out, "--resume", "--json"))
    assert len(found["slices"]) > len(before)
    for clients in (1, 2):
        # 15 slices of 0.2 s make the 3 s; one that began again would have three more. A busy machine makes fewer.
        assert len([one for one in found["slices"] if one["clients"] == clients]) <= 17
    assert [one["at_s"] for one in found["slices"]] == sorted(one["at_s"] for one in found["slices"])
    assert found["state"] == "finished"
    assert any("resumed after" in note for note in found["notes"])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["nobody/tcp"], "nobody/tcp"),
        (["ftp://127.0.0.1/"], "is not an HTTP URL"),
        (["http://192.0.2.1/"], "--any-host"),
        (["http://127.0.0.1:1/"], "no server listens on this port"),
        (["http://127.0.0.1:1/", "--call", "Sum"], "omit --call"),
        (["sick/tcp", "--pid", "1"], "--pid: these options are for a server of your own"),
        (["sick/tcp", "--expect-body", "x"], "are for a server of your own"),
        (["sick/tcp", "--clients", "1,x"], "whole numbers"),
        (["sick/tcp", "--resume"], "needs --out"),
        (["sick/tcp", "--link", "wan51"], "wan50"),
        (["http://127.0.0.1:1/", "--link", "wan50"], "its server runs where its url says"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(callbench: Program, words: list[str], why: str) -> None:
    finished = callbench("soak", *words)
    assert finished.returncode == 2
    assert why in finished.stderr
    assert finished.stderr.count("\n") == 1


@pytest.mark.usefixtures("nothing_left")
def test_a_server_of_the_command_line_dies_under_no_invented_name(callbench: Program, tmp_path: Path) -> None:
    """It was called "given": the name under which its command is kept."""
    source = tmp_path / "dying.py"
    source.write_text(DYING, encoding="utf-8")
    start = f"{sys.executable} {source} {{port}}"
    ended = callbench("soak", "--start", start, "--path", "/", "--clients", "1", "--seconds", "60", "--rest", "0",
                      "--out", str(tmp_path / "out"))  # fmt: skip
    assert re.search(r"It died after [0-9,]+ calls, at [0-9.]+ s: the server died \(exit code 3\)", ended.stdout)
