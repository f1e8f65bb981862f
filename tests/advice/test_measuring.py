"""What an advice lacks, as a study; and measured over a link."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from advice.counted import STACKS, run
from callbench.adapter.network import creation
from callbench.analysis.advice import result as advice_result
from callbench.analysis.advice.advice import advise
from callbench.analysis.run.subject import Subject, subject
from callbench.catalog.catalogue import load as catalogue
from callbench.catalog.links.profile import Link, builtin_links, part_of
from callbench.catalog.situation.file import situation_of
from callbench.catalog.situation.link_text import link_of
from callbench.catalog.study import Study, load
from callbench.catalog.study.made import made
from callbench.runner.advice import lacking, measuring
from callbench.runner.run import launch
from callbench.store.record import Record
from conftest import ROOT

STUDY = """
title = "Small"
about = "One call of three stacks."
[load]
calls = 5
seconds = 0.02
forks = 2
rounds = 2
minutes = 0.02
[[cells]]
group = "Sum"
stacks = ["native/soap+http-keepalive", "native/json+http-keepalive", "native/bin+supertcp"]
call = "Sum"
arguments = { a = 1, b = 2 }
ledger = true
"""


def test_the_study_has_the_best_the_next_and_todays(tmp_path: Path) -> None:
    found = subject(Record(run(tmp_path / "run")))
    said = {
        "links": [{"link": "1ms,1mbit"}, {"link": "loopback"}],
        "today": STACKS[0],
        "calls": [{"group": "GetPersons"}],
    }
    advice = advise(found, situation_of(said, "said"))
    part = lacking.study(advice, found.results, minutes=0.5)
    assert part is not None
    study = made("lacking", part)
    cells = study.cells(catalogue([ROOT / "engine"]).every, quick=False)
    assert advice.choice.comparison is not None
    after = [one.name for one in advice.choice.comparison.others[:2]]
    assert {cell.stack for cell in cells} == {advice.choice.best, *after, STACKS[0]}
    assert {cell.link for cell in cells} == {"loopback", "advice-1ms-1mbit"}
    assert {cell.call for cell in cells} == {"GetPersons"}
    assert all((cell.wire is not None) == (cell.link == "loopback") for cell in cells)
    kept = tmp_path / "study.toml"
    kept.write_bytes(study.source)
    again = load(kept)
    assert again.part == study.part
    assert {name: link.wire for name, link in again.links.items()} == {
        name: link.wire for name, link in study.links.items()
    }


def test_each_record_is_read_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also where something is measured in between: the record that it makes is read, and no other one again."""
    place = run(tmp_path / "run")
    reads, result = [], []

    def read(record: Record) -> Subject:
        reads.append(record.path.name)
        return subject(record)

    def launched(request: launch.RunRequest, _: object) -> Path:
        assert isinstance(request.study, Study)
        result.append(request.study)
        assert request.out is not None
        return run(request.out)

    for module in (measuring, advice_result):
        monkeypatch.setattr(module, "subject", read)
    monkeypatch.setattr(creation, "why_not", lambda _: None)
    monkeypatch.setattr(launch, "create_run", launched)
    monkeypatch.setattr(launch, "execute_run", lambda path, _, *, resumed: Record(path))  # noqa: ARG005 - its name
    situation = situation_of({"links": [{"link": "1ms,1mbit"}], "calls": [{"group": "GetPersons"}]}, "said")
    found = measuring.measured(Record(place), situation, catalogue([ROOT / "engine"]), 1, print)
    assert reads == ["run", "held-back-1"]
    assert [one.title for one in result] == [lacking.TITLE]
    assert [one.run.path.name for one in found.held_back] == ["held-back-1"]


@pytest.mark.engine
@pytest.mark.usefixtures("lab", "nothing_left")
def test_a_study_is_measured_first(
    callbench: Callable[..., CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Over the channels that leave the machine."""
    monkeypatch.delenv("CALLBENCH_ADAPTERS")
    text = STUDY.replace('"native/bin+supertcp"]', '"native/bin+supertcp", "native/bin+shm"]')
    (tmp_path / "small.toml").write_text(text)
    ended = callbench("advise", "small.toml", "--link", "2ms", "--budget", "1s", "--undecided", "pass", check=True)
    files = list((tmp_path / "runs").glob("small-*/advice.json"))
    assert len(files) == 1, ended.stderr
    record = json.loads(files[0].read_text())
    assert record["choice"]
    assert record["checks"]
    assert "native/bin+shm" not in {one["stack"] for one in record["left_out"]}


@pytest.mark.parametrize("name", [*builtin_links(), "25ms,20mbit,1%"])
def test_each_link_is_the_same_as_a_study_s_own(name: str) -> None:
    wire = link_of(name).wire
    if not wire.get("link"):
        return
    assert Link.of("advice-own", part_of(wire)).wire == wire


@pytest.mark.engine
@pytest.mark.usefixtures("lab", "nothing_left")
def test_cells_over_a_link_are_measured(
    callbench: Callable[..., CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CALLBENCH_ADAPTERS")
    (tmp_path / "small.toml").write_text(STUDY)
    callbench("run", "small.toml", "--out", "run", "--no-baselines", check=True)
    callbench("advise", "run", "--link", "25ms,20mbit", "--budget", "1s", "--undecided", "pass", check=True)
    record = json.loads((tmp_path / "run/advice.json").read_text())
    assert record["held_back"] == ["held-back-1"]
    assert {one["link"] for one in record["checks"]} == {"25ms,20mbit"}
    assert {one["figure"] for one in record["checks"]} >= {"mean time", "processor time, server"}
    assert "processor time of a call, server, over 25ms,20mbit" in {one["name"] for one in record["savings"]["lines"]}
    assert "Predictions tested" in callbench("show", "run/advice.json", check=True).stdout
    means = [one["measured_over_predicted"]["value"] for one in record["checks"] if one["figure"] == "mean time"]
    assert all(0.5 < one < 5 for one in means), means
    again = callbench("advise", "run", "--link", "25ms,20mbit", "--undecided", "pass", check=True)
    assert json.loads((tmp_path / "run/advice.json").read_text())["held_back"] == ["held-back-1"], again.stderr
