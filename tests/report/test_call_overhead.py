"""Overhead: time divided into baseline, codec and a rest, with answers known by hand."""

import json
from pathlib import Path

import pytest

from callbench.analysis.cells.results import Latency, Result
from callbench.analysis.judge.overhead import MessageCost, read, split
from callbench.analysis.run.subject import subject
from callbench.report.sections import call_overhead as tax_section
from callbench.store.record import Record
from report import synthetic

PARTS = MessageCost(request_bytes=100, answer_bytes=1_000, codec_us=10.0)


def cell(*mean_us: float) -> Result:
    attributes = {"cell": "c001", "stack": "native/json+supertcp"}
    by_fork = {"mean_us": dict(enumerate(mean_us))}
    return Result(attributes, {}, 1, {}, 1, by_fork, None, Latency(None, None, None), batched=False, agree=True)


def test_baseline_and_codec_that_reach_the_whole_add_up() -> None:
    echoes = {fork: {(100, 500): 18.0 + fork, (100, 1_500): 22.0 + fork} for fork in range(3)}
    found = split(cell(30.1, 31.0, 31.9), echoes, PARTS)
    assert found is not None
    assert found.baseline.middle == pytest.approx((20 * 21 * 22) ** (1 / 3))
    assert found.overhead.middle == pytest.approx(10.0)
    assert found.times.middle == pytest.approx((30.1 / 20 * 31.0 / 21 * 31.9 / 22) ** (1 / 3))
    assert found.rest.middle == pytest.approx(0.0)
    assert found.adds_up is True


@pytest.mark.parametrize(("whole", "rest"), [((50.0, 50.2, 49.8), 20.0), ((24.0, 24.1, 23.9), -6.0)])
def test_a_rest_of_either_sign_does_not_add_up(whole: tuple[float, ...], rest: float) -> None:
    found = split(cell(*whole), {fork: {(100, 1_000): 20.0} for fork in range(3)}, PARTS)
    assert found is not None
    assert found.adds_up is False
    assert found.rest.middle == pytest.approx(rest)
    assert found.rest.holds(rest)
    assert found.overhead.middle == pytest.approx(rest + 10.0)


def test_only_forks_with_a_baseline_count_and_one_alone_judges_nothing() -> None:
    found = split(cell(30.0, 99.0), {0: {(100, 1_000): 20.0}, 7: {(100, 1_000): 5.0}}, PARTS)
    assert found is not None
    assert found.time.middle == pytest.approx(30.0)
    assert (found.time.forks, found.adds_up) == (1, None)
    assert split(cell(30.0), {3: {(100, 1_000): 20.0}}, PARTS) is None


def test_an_interval_that_holds_everything_judges_nothing() -> None:
    found = split(cell(10.0, 30.0, 90.0), {fork: {(100, 1_000): 20.0} for fork in range(3)}, PARTS)
    assert found is not None
    assert found.adds_up is None


def with_baselines(folder: Path) -> Record:
    """A run of three stacks, each with a baseline of 20 microseconds except one without a baseline."""
    only = ("native/soap+supertcp", "native/json+supertcp", "native/json+inproc")
    synthetic.write(folder, only=only)
    journal = folder / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    stacks = {cell["id"]: cell["stack"] for cell in json.loads((folder / "plan.json").read_text())["cells"]}
    for line in list(lines):
        if line["kind"] == "trial" and stacks[line["cell"]].endswith("+supertcp"):
            done = {"calls": 100, "errors": {}, "elapsed_ns": 2_000_000, "in_call_ns": "2000000", "batch": 1}
            place = {key: line[key] for key in ("fork", "start")}
            octets = {"request_bytes": 40, "answer_bytes": 900}
            of = {"stack": "baseline/echo+supertcp", "options": {}, "cells": [line["cell"]]}
            lines.append({"kind": "baseline", **place, **octets, **of, "done": done})
    # The codecs of another adapter's message of the same name are not these stacks'.
    lines += [{**line, "stack": "java/json+inproc"} for line in lines if line["kind"] == "codec"]
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return Record(folder)


def test_a_run_is_taken_apart_from_its_journal(tmp_path: Path) -> None:
    run = with_baselines(tmp_path / "run")
    about = subject(run)
    found = read(run, about.results.cells)
    groups = {"Sum", "GetPersons", "GetBinaryData"}
    assert {(one.cell.attributes["stack"], one.cell.attributes["group"]) for one in found} == {
        (stack, group) for stack in ("native/soap+supertcp", "native/json+supertcp") for group in groups
    }
    for one in found:
        assert one.baseline.middle == pytest.approx(20.0)
        assert one.overhead.middle == pytest.approx(sum(one.cell.by_fork["mean_us"].values()) / 3 - 20.0)

    section = tax_section.section(about)
    assert section is not None
    assert [len(sheet.rows) for sheet in section.sheets] == [2, 2, 2]
    assert [chart.id for chart in section.charts] == [
        f"call-overhead-{group}" for group in ("Sum", "GetPersons", "GetBinaryData")
    ]
    assert all(len(row) == len(sheet.columns) for sheet in section.sheets for row in sheet.rows)
    assert "json+supertcp" in section.found[0]
    assert "soap+supertcp" in section.found[0]


def test_a_run_without_baselines_has_no_such_section(tmp_path: Path) -> None:
    run = Record(synthetic.write(tmp_path / "run", only=("native/json+supertcp",)))
    assert tax_section.section(subject(run)) is None
