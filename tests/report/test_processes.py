"""What a run's processes used, computed from its journal: peaks, growth, rests and deaths."""

import json
from pathlib import Path
from typing import Any

import pytest

from callbench.analysis.judge.health import LEAST_GROWTH_BYTES, growth
from callbench.analysis.run.subject import subject
from callbench.report.export.show import cell_records
from callbench.report.sections import processes as section_of
from callbench.report.text.summary import cautions
from callbench.store.record import Record
from report import synthetic

MIB = 2**20
LEAK = 3.0  # KiB with each call
SECONDS = 20


def moment(resident: int, threads: int = 2) -> dict[str, Any]:
    """What /proc said at one end of a trial."""
    fields = ("processes", "files", "voluntary", "involuntary", "user_ms", "system_ms", "minor_faults", "major_faults")
    rest = dict.fromkeys(fields, 1)
    return {**rest, "threads": threads, "resident_bytes": resident, "unique_bytes": resident // 2} | {
        "proportional_bytes": None
    }


def side(name: str, calls: int, leak: float, seconds: float = SECONDS) -> dict[str, Any]:
    """A side whose memory grows by so many KiB with each call."""
    ends = 10 * MIB + int(leak * 1024 * calls)
    times = [place / (10 * seconds) for place in range(int(10 * seconds))]
    samples = [[int(t * seconds * 1e3), 10 * MIB + int(leak * 1024 * calls * t), 3, 1, 5, 5] for t in times]
    made = {"threads_made": 4, "threads_ended": 4, "processes_made": 0, "processes_ended": 0}
    of = {"side": name, "begin": moment(10 * MIB), "end": moment(ends), "rest": moment(ends - MIB), "heap_bytes": MIB}
    return {**of, "peak_bytes": ends + 5, "peak_threads": 3, **made, "samples": samples}


def watched(folder: Path, *, seconds: float = SECONDS) -> Record:
    """A run of one stack whose server leaks and whose client does not; its second fork saw a death."""
    synthetic.write(folder, only=("native/json+supertcp",), quick=False)
    journal = folder / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    for line in lines:
        if line["kind"] == "trial":
            calls = line["done"]["calls"]
            line["done"]["intervals"] = [[int(seconds * 1e9), calls, 0]]
            sides = [side("client", calls, 0.0, seconds), side("server", calls, LEAK, seconds)]
            line["processes"] = {"load_ms": int(seconds * 1e3), "rest_ms": 2_000, "sides": sides}
    place = {"fork": 1, "start": 1000, "trial": 9, "cell": lines[1]["cell"], "stack": "native/json+supertcp"}
    lines.append({"kind": "death", **place, "how": "out-of-memory", "why": "the server died"})
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return Record(folder)


def test_a_study_can_ask_for_memory_threads_and_what_was_answered(tmp_path: Path) -> None:
    run = watched(tmp_path / "run")
    journal = run.path / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    cell = lines[-1]["cell"]
    asked = next(one["calls"] for one in json.loads((run.path / "plan.json").read_text())["cells"] if one["id"] == cell)
    lines[-1]["answered"] = asked // 4
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = next(one for one in subject(Record(run.path)).results.cells if one.id == cell)
    assert found.by_fork["memory_begin_mib"] == dict.fromkeys(found.by_fork["rate_per_s"], 10.0)
    assert found.by_fork["memory_rest_mib"][0] == pytest.approx(found.by_fork["memory_end_mib"][0] - 1)
    assert found.by_fork["memory_per_call_bytes"][0] == pytest.approx(LEAK * 1024, rel=0.01)
    assert found.by_fork["threads_made_per_call"][0] > 0
    assert found.by_fork["answered_share"][0] == 1.0
    assert found.by_fork["answered_share"][1] == pytest.approx(0.25, abs=0.02)
    assert found.died == f"died after {asked // 4:,} calls"


def test_a_leak_is_found_reported_and_warned_of(tmp_path: Path) -> None:
    about = subject(watched(tmp_path / "run"))
    by_side = {one.side: one for one in about.health if one.cell.attributes["group"] == "Sum"}
    server, client = by_side["server"], by_side["client"]
    assert server.memory is not None
    assert server.memory.per_thousand.middle == pytest.approx(LEAK * 1024 * 1000, rel=0.05)
    assert (server.leaks_memory, server.leaks_threads) == (True, False)
    assert (client.leaks_memory, client.leaks_threads) == (False, False)
    assert server.returned_bytes == MIB
    assert client.figures["heap_bytes"] == MIB

    found = section_of.section(about)
    assert found is not None
    assert [sheet.title for sheet in found.sheets][-1] == "Growth and memory after a rest"
    assert all(len(row) == len(sheet.columns) for sheet in found.sheets for row in sheet.rows)
    assert [chart.id for chart in found.charts] == ["processes-time"]
    told = cautions(about)
    assert sum("grew by" in one for one in told) == 3
    assert any("ran out of memory" in one for one in told)
    assert not any("the client grew" in one for one in told)

    record = cell_records(about)["cells"][0]["processes"]
    assert record["server"]["memory_slope"]["leaks"] is True
    assert record["client"]["memory_slope"]["per_thousand_calls"] == 0


def test_a_peak_is_never_below_an_end(tmp_path: Path) -> None:
    run = watched(tmp_path / "run")
    journal = run.path / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    for line in lines:
        for one in line.get("processes", {}).get("sides", ()):
            one["peak_bytes"], one["peak_threads"] = MIB, 1
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for one in subject(Record(run.path)).health:
        most = max(one.figures[name] or 0.0 for name in ("resident_begin", "resident_end", "resident_rest"))
        assert (one.figures["resident_peak"] or 0.0) >= most
        assert one.figures["threads_peak"] == 2


def test_short_trials_claim_no_slope(tmp_path: Path) -> None:
    about = subject(watched(tmp_path / "run", seconds=2))
    assert {one.memory for one in about.health} == {None}
    assert not any("grew by" in one for one in cautions(about))


def test_growth_that_differs_from_trial_to_trial_is_no_leak() -> None:
    calls = [float(place) * 1e3 for place in range(200)]

    def rising(rise: float) -> tuple[list[float], list[float]]:
        return calls, [MIB + rise * made for made in calls]

    steady = growth([rising(10.0), rising(10.5), rising(9.5)])
    assert steady is not None
    assert steady.leaks(LEAST_GROWTH_BYTES)
    chance = growth([rising(30.0), rising(-20.0), rising(20.0)])
    assert chance is not None
    assert not chance.leaks(LEAST_GROWTH_BYTES)
    little = growth([rising(0.5), rising(0.6), rising(0.55)])
    assert little is not None
    assert not little.leaks(LEAST_GROWTH_BYTES)
    assert growth([]) is None


def test_a_run_that_was_not_watched_has_no_such_section(tmp_path: Path) -> None:
    about = subject(Record(synthetic.write(tmp_path / "run", only=("native/json+supertcp",))))
    assert section_of.section(about) is None
    assert cell_records(about)["cells"][0]["processes"] == {}
