"""Two stored runs, compared by the values of their forks, and by the echoes of their own rounds."""

import json
import math
import shutil
from pathlib import Path

import pytest
from comparison_schema import valid

from callbench.analysis.compare import comparison, stored
from callbench.analysis.compare.verdicts import Rule
from callbench.model.errors import BadInput
from callbench.report.compare import show
from callbench.stats.decide.decision import Outcome
from callbench.store.record import Record
from report.synthetic import write as synthetic

RECORDS = Path(__file__).resolve().parents[1] / "records"


def without_echoes(folder: Path) -> None:
    """Takes the echo's lines out of a run's journal."""
    journal = folder / "journal.jsonl"
    kept = [line for line in journal.read_text().splitlines(keepends=True) if json.loads(line)["kind"] != "echo"]
    journal.write_text("".join(kept))


def test_two_stored_runs(tmp_path: Path) -> None:
    one = synthetic(tmp_path / "one", only=("native/soap+supertcp", "native/bin+supertcp"))
    other = synthetic(tmp_path / "other", only=("native/bin+supertcp", "native/json+supertcp"))
    for folder in (one, other):
        without_echoes(folder)
    found = stored.compared(Record(one), Record(other), Rule())
    assert {cell.figures.stacks[0] for cell in found.cells if cell.ratio} == {"native/bin+supertcp"}
    assert {cell.figures.stacks[0] for cell in found.missing} == {"native/soap+supertcp"}
    assert "not compared: native/soap+supertcp Sum rate: B has no such cell" in show.sentences(found)
    assert found.outcome is not Outcome.PASSED
    assert found.method == "two stored runs, as two samples of forks, compared by their values"
    valid(show.record(found))
    assert "at least one has no echo" in found.notes[0]
    for folder, calls in ((one, 100), (other, 107)):
        with (folder / "journal.jsonl").open("a") as journal:
            song = {"calls": calls, "elapsed_ns": 1000, "p50_ns": 1, "p99_ns": 1}
            line = {"kind": "echo", "fork": 0, "place": "start", "started": "2026-11-21T03:00:00Z", "echo": song}
            journal.write(json.dumps(line) + "\n")
    moved = stored.compared(Record(one), Record(other), Rule())
    assert moved.rule.shift == pytest.approx(math.log(1.07))
    assert "changed by 7.0 %" in moved.notes[0]
    copy = shutil.copytree(one, tmp_path / "copy")
    same = stored.compared(Record(one), Record(copy), Rule())
    assert {cell.ratio.middle for cell in same.cells if cell.ratio} == {1.0}
    assert Outcome.FAILED not in {cell.outcome for cell in same.cells}


@pytest.mark.parametrize("kind", ["load", "soak", "capacity", "overload", "torture", "compare"])
def test_what_is_no_run_is_refused_by_its_name(kind: str, tmp_path: Path) -> None:
    """Two loads ended with a traceback, and one alone was called a run of a study."""
    folder = shutil.copytree(RECORDS / kind, tmp_path / kind)
    run = Record(synthetic(tmp_path / "run", only=("native/bin+supertcp",)))
    name = "comparison" if kind == "compare" else kind
    for pair in ((Record(folder), Record(folder)), (run, Record(folder)), (Record(folder), run)):
        with pytest.raises(BadInput, match=f"{kind} is a record of {name}, and only runs"):
            stored.compared(*pair, Rule())
    if kind != "compare":
        with pytest.raises(BadInput, match=f"{kind} is a record of {name}, not a comparison"):
            comparison.read(Record(folder))
    with pytest.raises(BadInput, match="is a run of a study, not a comparison"):
        comparison.read(run)


def with_echoes(folder: Path, speed: int) -> Record:
    """A run on a machine that is faster by a factor, with an echo in its rounds: calls and echoes change alike."""
    without_echoes(folder)
    journal = folder / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    for done in (line["done"] for line in lines if line["kind"] == "trial"):
        for name in ("elapsed_ns", "in_call_ns", "gap_ns"):
            done[name] = int(done[name]) // speed
        if done["latency"]:
            done["latency"]["sum_ns"] = int(done["latency"]["sum_ns"]) // speed
    for fork in sorted({line["fork"] for line in lines if line["kind"] == "trial"}):
        done = {"calls": 500, "errors": {}, "elapsed_ns": 10_000_000 // speed}
        place = {"stack": "baseline/echo+supertcp", "options": {}, "request_bytes": 16, "answer_bytes": 16, "cells": []}
        times = {"started": "2026-11-21T03:00:00.000Z", "p50_ns": 20_000, "p99_ns": 40_000}
        where = {"fork": fork, "batch": 0, "round": 0, "idle": "as it is", "started": times["started"]}
        lines.append({"kind": "round", **where, "slices": [], "echoes": [{**place, **times, "done": done}]})
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return Record(folder)


def test_two_runs_are_compared_by_multiples_of_the_echo_of_their_own_rounds(tmp_path: Path) -> None:
    runs = [with_echoes(synthetic(tmp_path / str(speed), only=("native/json+supertcp",)), speed) for speed in (1, 2)]
    found = stored.compared(runs[0], runs[1], Rule())
    rates = [one for one in found.cells if one.figures.metric == "rate"]
    assert rates
    for one in rates:
        assert one.ratio is not None, one.why
        assert one.ratio.middle == pytest.approx(1.0, rel=1e-4)
        a, b = one.values
        assert a
        assert b
        assert b / a == pytest.approx(2.0, rel=1e-4)
    assert "changed by 100.0 %" in found.notes[0]
    assert "multiples of the raw echo" in found.method
    assert found.rule.shift == 0
