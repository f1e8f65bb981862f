"""The series of records of every kind: the values are those that the record's own result has."""

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from callbench.analysis.capacity import result as capacity_result
from callbench.analysis.history.history import history
from callbench.analysis.history.series import Collected, collected
from callbench.stats.load.saturation import Resource, Saturation
from callbench.store.shelf import Shelf
from conftest import ROOT

GOLDEN = ROOT / "tests/records/golden"


def days(folder: Path, kind: str, count: int = 1) -> Path:
    """Write so many records of a kind, one a day."""
    for day in range(count):
        record = folder / f"{kind}-{day:02d}"
        shutil.copytree(ROOT / "tests/records" / kind, record)
        journal = record / "journal.jsonl"
        # Others took most of the processors when the capacity was searched, so it would be known to be more.
        journal.write_text(re.sub(r'"neighbours":\s*[\d.]+', '"neighbours":0.0', journal.read_text()))
        info = json.loads((record / "record.json").read_text())
        info.pop("journal", None)
        (record / "record.json").write_text(
            json.dumps({**info, "state": "finished", "started": f"2026-03-{day + 1:02d}T12:00:00.000Z"})
        )
    return folder


def named(found: Collected) -> dict[tuple[str, str], float]:
    """The first value of each series, by its cell and its metric."""
    return {(name.cell, name.metric): points[0].value for name, points in found.series.items()}


def expected(kind: str, result: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    """What the result of a record says, as `--json` prints it."""
    if kind == "soak":
        cells = {f"{step['clients']} client{'s' * (step['clients'] > 1)}": step for step in result["steps"]}
        rates = {(cell, "rate_per_s"): step["rate_per_s"] for cell, step in cells.items()}
        return rates | {
            (cell, name): step["latency"][name] for cell, step in cells.items() for name in ("p50_us", "p99_us")
        }
    if kind == "overload":
        (step,) = result["overloads"]
        times = {("3 times its capacity", name): step["service"][name] for name in ("p50_us", "p99_us")}
        return {("3 times its capacity", "rate_per_s"): step["answered_per_s"], **times}
    return {
        ("p90 under 15 ms", "capacity_clients"): result["capacity"]["level"],
        ("p90 under 15 ms, at the capacity", "rate_per_s"): result["calls_per_s"]["middle"],
    }


@pytest.mark.parametrize("kind", ["capacity", "soak", "overload"])
def test_the_values_are_those_of_the_result(tmp_path: Path, kind: str) -> None:
    found = collected(Shelf(days(tmp_path / "runs", kind, 3)))
    assert found.read == 3
    assert not found.left_out
    assert {len(points) for points in found.series.values()} == {3}
    result = json.loads((GOLDEN / f"{kind}.json").read_text())
    assert named(found) == pytest.approx(expected(kind, result))


def test_both_generators_of_a_peer_are_followed(tmp_path: Path) -> None:
    found = collected(Shelf(days(tmp_path / "runs", "peer", 2)))
    (cell, *_) = json.loads((GOLDEN / "peer.json").read_text())["cells"]
    ours = [each["ours"] for each in cell["rounds"] if not each["unsteady"]]
    name = "one, long load/http1:some/server at 5 clients, by"
    values = named(found)
    assert values[f"{name} load driver", "rate_per_s"] == pytest.approx(ours[0]["rate_per_s"], rel=0.2)
    assert values[f"{name} load driver", "p50_us"] == pytest.approx(ours[0]["median_ms"] * 1e3, rel=0.2)
    assert (f"{name} JMeter", "rate_per_s") in values


def test_a_capacity_has_its_interval_and_its_change_is_found(tmp_path: Path) -> None:
    folder = days(tmp_path / "runs", "capacity", 16)
    for day in range(16):
        scale = 20 if day < 8 else 15
        file = folder / f"capacity-{day:02d}/journal.jsonl"
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        step = next(line for line in lines if line["kind"] == "step")
        # The coarse search, and crossings that end between neighbours.
        level = 5 * scale + day % 3
        tried = [(0, level, True), (0, level + 9, False), (0, level + 9, False)]
        for crossing in range(1, 8):
            tried += [(crossing, level + crossing, True), (crossing, level + crossing + 2, False)]
        steps = [{**step, "phase": phase, "level": float(at), "holds": holds} for phase, at, holds in tried]
        file.write_text("".join(json.dumps(line) + "\n" for line in steps))
        info = json.loads((file.parent / "record.json").read_text())
        info["request"]["search"]["most"] = 1000.0
        (file.parent / "record.json").write_text(json.dumps(info))
    result = history(collected(Shelf(folder), ["capacity_clients"]))
    (change,) = result.changes
    assert (change.before.record, change.after.record) == ("capacity-07", "capacity-08")
    assert not change.better
    assert change.ratio.middle == pytest.approx(0.75, rel=0.03)
    assert change.after.low is not None
    assert change.after.high is not None
    assert change.after.low <= change.after.value <= change.after.high
    assert change.after.low < change.after.high


def test_a_capacity_that_the_server_did_not_limit_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = capacity_result.read
    limited = Saturation(Resource.DRIVER, "the load driver was busy")
    monkeypatch.setattr(capacity_result, "read", lambda record: replace(read(record), saturation=limited))
    found = collected(Shelf(days(tmp_path / "runs", "capacity")))
    assert not found.series
    assert found.left_out == {
        "capacity-00": "something else than the server was the limit, so its capacity is not known"
    }


def test_a_new_option_that_is_not_used_does_not_begin_another_series(tmp_path: Path) -> None:
    folder = days(tmp_path / "runs", "soak", 2)
    file = folder / "soak-01/record.json"
    info = json.loads(file.read_text())
    info["request"] |= {"hosts": [], "any_host": True}
    file.write_text(json.dumps(info))
    assert {len(points) for points in collected(Shelf(folder)).series.values()} == {2}
    info["request"]["timeout_s"] = 3.0
    file.write_text(json.dumps(info))
    assert {len(points) for points in collected(Shelf(folder)).series.values()} == {1}
