"""`callbench history`: from records to changes, and from a change to the two records."""

import json
import shutil
import subprocess
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from callbench.analysis.history.history import history
from callbench.analysis.history.series import collected
from callbench.report.history.terminal import lines
from callbench.store.shelf import Shelf
from conftest import ROOT, assert_one_sentence
from records_over_time import write
from report import synthetic

SCHEMA = json.loads((files("callbench.report.history") / "history.schema.json").read_text())
Callbench = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Thirty days; from the 21st on, ten percent more calls a second."""
    write(tmp_path / "runs", 30, 20, 1.1)
    return tmp_path / "runs"


def test_a_change_leads_to_the_two_records(callbench: Callbench, folder: Path) -> None:
    ended = callbench("history", str(folder))
    assert ended.returncode == 0, ended.stderr
    first, _, what, change, where, *rest = ended.stdout.splitlines()
    assert first == "1 change in 2 series of 30 records"
    assert what == "load of python3 server.py {port} pool 2 10: 2 clients"
    assert change.startswith("  calls a second, calls/s: +") or "calls/s: +" in change
    assert ", better; noise " in change
    assert where == "  between load-19 (2026-03-20 12:00) and load-20 (2026-03-21 12:00)"
    assert "In about 2 % of series without a change, chance alone shows one." in "\n".join(rest)


def test_the_size_and_the_noise_of_a_change_are_those_that_were_put_in(folder: Path) -> None:
    (change,) = history(collected(Shelf(folder))).changes
    assert change.ratio.low is not None
    assert change.ratio.high is not None
    assert change.ratio.low < 1.1 < change.ratio.high
    assert change.ratio.high / change.ratio.low < 1.03
    assert change.noise == pytest.approx(0.01, rel=0.4)
    assert change.better


def test_the_json_keeps_its_schema(callbench: Callbench, folder: Path) -> None:
    shutil.copytree(ROOT / "tests/records/torture", folder / "torture")
    shutil.copytree(ROOT / "tests/records/soak", folder / "broken")
    (folder / "broken/record.json").write_text("{")
    document = json.loads(callbench("history", str(folder), "--json").stdout)
    jsonschema.validate(document, SCHEMA)
    assert document["records"] == 30
    assert set(document["left_out"]) == {"torture", "broken"}
    assert [len(one["points"]) for one in document["series"]] == [30, 30]
    assert document["series"][0]["levels"] == [0, 20]
    assert document["changes"][0]["before"]["record"] == "load-19"


def test_copies_of_a_record_count_once(tmp_path: Path) -> None:
    write(tmp_path / "runs", 2, 1, 1.1)
    for number in range(5):
        shutil.copytree(tmp_path / "runs/load-01", tmp_path / f"runs/load-01-{number}")
    found = history(collected(Shelf(tmp_path / "runs")))
    assert found.collected.records == ["load-00", "load-01"]
    assert found.collected.copies == {f"load-01-{number}": "load-01" for number in range(5)}
    assert {len(one.points) for one in found.series} == {2}
    assert "5 copies of these records left out." in list(lines(found))


def test_other_options_and_other_machines_are_other_series(folder: Path) -> None:
    for day in range(30):
        record = folder / f"load-{day:02d}"
        info = json.loads((record / "record.json").read_text())
        if day % 3 == 1:
            info["request"]["clients"] = 7
        (record / "record.json").write_text(json.dumps(info))
        if day % 3 == 2:
            environment = json.loads((record / "environment.json").read_text())
            environment["machine"]["model"] = "another"
            (record / "environment.json").write_text(json.dumps(environment))
    found = collected(Shelf(folder), ["rate_per_s"])
    assert sorted(len(points) for points in found.series.values()) == [10, 10, 10]


def test_cells_of_runs_are_followed_by_what_they_are(tmp_path: Path) -> None:
    for name in ("a", "b"):
        synthetic.write(tmp_path / "runs" / name)
    file = tmp_path / "runs/b/record.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "started": "2026-11-22T03:00:00.000Z"}))
    found = history(collected(Shelf(tmp_path / "runs"), ["rate_per_s"]))
    assert found.collected.read == 2
    assert found.series
    assert {len(one.points) for one in found.series} == {2}
    assert not any(one.looked_at for one in found.series)


@pytest.mark.parametrize(
    ("words", "says"),
    [(["--metric", "speed"], ["--metric speed", "no such metric"]), ([], ["there is no record"])],
)
def test_bad_input_is_one_sentence(callbench: Callbench, tmp_path: Path, words: list[str], says: list[str]) -> None:
    ended = callbench("history", str(tmp_path / "none"), *words)
    assert ended.returncode == 2
    assert_one_sentence(ended.stderr.strip().removeprefix("callbench: "), says)


def test_a_few_records_say_that_they_are_few(callbench: Callbench, tmp_path: Path) -> None:
    write(tmp_path / "runs", 9, 4, 2.0)
    said = callbench("history", str(tmp_path / "runs")).stdout
    assert "No changes in 2 series of 9 records" in said
    assert "2 of these series are too short: a change is found from 10 records of a series on." in said
