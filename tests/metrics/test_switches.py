"""Context switches of a call, from what the probe read of both sides."""

import json
from pathlib import Path
from typing import Any

import pytest

from callbench.analysis.cells.read_results import read
from callbench.store.record import Record
from report.synthetic import write as synthetic


def side(name: str, voluntary: int, involuntary: int) -> dict[str, Any]:
    """What the probe saw of a side: counters of a process that was not young when the load began."""
    begin = {"voluntary": 1000, "involuntary": 50}
    return {"side": name, "begin": begin, "end": {"voluntary": 1000 + voluntary, "involuntary": 50 + involuntary}}


def run_with(folder: Path, *sides: tuple[str, float, float]) -> Record:
    """A run of one stack whose sides switch so often in each call: to wait, and because they must."""
    synthetic(folder, only=("native/json+supertcp",), quick=True)
    journal = folder / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    for line in lines:
        if line["kind"] == "trial":
            calls = line["done"]["calls"]
            each = [side(name, round(waits * calls), round(taken * calls)) for name, waits, taken in sides]
            line["processes"] = {"load_ms": 20, "rest_ms": None, "sides": each}
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return Record(folder)


def test_each_side_has_its_switches_by_the_calls(tmp_path: Path) -> None:
    run = run_with(tmp_path / "run", ("client", 1.0, 0.01), ("server", 2.0, 0.0))
    for one in read(run).cells:
        forks = set(one.by_fork["rate_per_s"])
        assert one.by_fork["client_switches_per_call"] == dict.fromkeys(forks, 1.0)
        assert one.by_fork["server_switches_per_call"] == dict.fromkeys(forks, 2.0)
        assert one.by_fork["client_preemptions_per_call"] == pytest.approx(dict.fromkeys(forks, 0.01), rel=0.1)
        assert "server_preemptions_per_call" not in one.by_fork, "none is no value: values are compared as ratios"


def test_a_process_that_plays_both_sides_has_them_on_each(tmp_path: Path) -> None:
    one = read(run_with(tmp_path / "run", ("both", 0.5, 0.25))).cells[0]
    for name in ("client", "server"):
        assert one.by_fork[f"{name}_switches_per_call"][0] == pytest.approx(0.5, rel=0.01)
        assert one.by_fork[f"{name}_preemptions_per_call"][0] == pytest.approx(0.25, rel=0.01)


def test_what_was_not_read_has_no_value(tmp_path: Path) -> None:
    """A kernel that hides the switches of others' threads."""
    run = run_with(tmp_path / "run", ("server", 1.0, 1.0))
    text = run.journal_file.read_text()
    run.journal_file.write_text(text.replace('"voluntary": 1000,', '"voluntary": null,'))
    one = read(Record(run.path)).cells[0]
    assert "server_switches_per_call" not in one.by_fork
    assert one.by_fork["server_preemptions_per_call"][0] == pytest.approx(1.0)
    assert "client_switches_per_call" not in one.by_fork
