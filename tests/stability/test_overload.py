"""`callbench overload`: what a server holds, and what becomes of it under more."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ending import code_of

from conftest import eventually
from left_behind import marked
from loaded_program import Begin
from sealed import sealed

HERE = Path(__file__).resolve().parent
Program = Callable[..., subprocess.CompletedProcess[str]]
SHORT = ["--seconds", "1", "--rest", "0.2", "--recovery-timeout", "20"]


@pytest.fixture(autouse=True)
def troubled_episodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The adapter whose server falls ill."""
    monkeypatch.setenv("CALLBENCH_ADAPTERS", str(HERE / "sick"))


def overloaded(callbench: Program, *words: object) -> dict[str, Any]:
    finished = callbench("overload", *words, *SHORT, "--out", "over", "--json")
    said = sealed("overload", finished.stdout)
    assert finished.returncode == code_of(said), finished.stderr
    return said


@pytest.mark.slow
@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_a_server_answers_no_more_than_requests_come_and_comes_back(callbench: Program, tmp_path: Path) -> None:
    found = overloaded(callbench, "native/json+http-keepalive", "--clients", "20", "--capacity", "200")
    assert found["capacity_per_s"] == 200
    assert [one["factor"] for one in found["overloads"]] == [2, 10]
    for one in found["overloads"]:
        assert one["asked_per_s"] == 200 * one["factor"]
        # Arrivals of a second: the calls that begin in it, and no more.
        assert 0 < one["calls"] <= one["asked_per_s"] + 1
        assert one["well_again"] is None or one["well_again"]["least_s"] <= one["well_again"]["most_s"]
    assert found["deaths"] == []
    assert {"begin", "end", "rested"} == found["moments"].keys()
    assert found["moments"]["begin"]["server"]["files"] >= 20
    assert "<svg" in (tmp_path / "over" / "report.html").read_text()
    again = callbench("report", tmp_path / "over", "--format", "json")
    assert again.returncode == 0
    assert json.loads((tmp_path / "over" / "report.json").read_text())["overloads"] == found["overloads"]


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_left")
def test_a_capacity_is_searched_for(callbench: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    # Four clients that wait in each call reach what they can without the whole machine.
    monkeypatch.setenv("SICK", "wait 0")
    found = overloaded(callbench, "sick/tcp", "--clients", "4", "--objective", "p99 under 1 s", "--times", "2")
    assert found["capacity_per_s"] > 0
    assert len(found["overloads"]) == 1


@pytest.mark.usefixtures("nothing_left")
def test_who_dies_of_it_has_died_after_so_many_calls(callbench: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    # Five seconds at half of 20 a second are answered, and the overload is not. All its life counts.
    monkeypatch.setenv("SICK", "crash 70")
    found = overloaded(callbench, "sick/tcp", "--clients", "4", "--capacity", "20", "--times", "10,20")
    (death,) = found["deaths"]
    assert death["how"] == "crash"
    assert 60 <= death["calls"] <= 70
    assert f"died after {death['calls']} calls" in " ".join(found["found"])
    assert found["found"][-1] == "Failed: it died."
    assert len(found["overloads"]) == 1


def test_who_has_no_open_loop_is_refused_and_leaves_no_folder(
    callbench: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SICK_LACKS", "open")
    finished = callbench("overload", "sick/tcp", "--out", "over")
    assert (finished.returncode, finished.stderr.count("\n")) == (2, 1)
    assert "open loop, and the adapter sick has none" in finished.stderr
    assert not (tmp_path / "over").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("lab", "nothing_left")
def test_who_is_killed_in_an_overload_makes_only_that_one_again_also_over_a_link(
    begin: Begin, callbench: Program, tmp_path: Path, mark: str
) -> None:
    words = ["overload", "sick/tcp", "--clients", "4", "--capacity", "20", "--times", "2,3", "--link", "pair", *SHORT]
    out = ["--out", tmp_path / "over"]
    journal = tmp_path / "over" / "journal.jsonl"
    with begin(*words, *out, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        assert eventually(lambda: journal.exists() and journal.read_text().count('"over"') >= 2, 170)
    assert eventually(lambda: not marked(mark)), "something outlives a killed overload"
    finished = callbench(*words, *out, "--resume", "--json")
    assert finished.returncode == code_of(json.loads(finished.stdout)), finished.stderr
    found = json.loads(finished.stdout)
    assert [one["factor"] for one in found["overloads"]] == [2, 3]
    assert found["state"] == "finished"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    assert [line["factor"] for line in lines if line["kind"] == "over"] == [2, 3, 3]
    assert [line["factor"] for line in lines if line["kind"] == "again"] == [3]
    assert sum(line["kind"] == "before" for line in lines) == 1
    assert any("resumed after" in said for said in found["found"])
    assert "sick/tcp over pair" in (tmp_path / "over" / "report.html").read_text()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["sick/tcp", "--objective", "fast"], "--objective"),
        (["sick/tcp", "--times", "2,x"], "whole numbers"),
        (["sick/tcp", "--times", "2,2"], "give each number only once"),
        (["sick/tcp", "--resume"], "needs --out: the folder of the overload"),
        (["native/json+unix", "--link", "lan1g"], "never leaves the host"),
        (["http://192.0.2.1/"], "--any-host"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(callbench: Program, words: list[str], why: str) -> None:
    finished = callbench("overload", *words)
    assert finished.returncode == 2
    assert why in finished.stderr
    assert finished.stderr.count("\n") == 1
