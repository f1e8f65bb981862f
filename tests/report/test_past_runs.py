"""What runs of one machine differ by is learned from the records beside a run, and claims have it in their verdicts."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from callbench.analysis.compare import stored
from callbench.analysis.compare.verdicts import Rule
from callbench.analysis.judge.claims import Verdict
from callbench.analysis.run.earlier_runs import earlier_runs, last_duration_s
from callbench.analysis.run.rankings import rankings
from callbench.analysis.run.subject import Subject, subject
from callbench.analysis.wording.words import claim_ratio_text, run_spread_text
from callbench.report.export.page import page
from callbench.report.text.choice import choices
from callbench.report.text.verdict import verdict
from callbench.stats.decide.decision import Decision
from callbench.store.record import Record

from .synthetic import CHANNEL_US, write


def changed(folder: Path, **members: object) -> Path:
    """Change members of a record's head."""
    file = folder / "record.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **members}))
    return folder


def runs(folder: Path, count: int, spread: float) -> list[Path]:
    """Write runs of one machine, an hour apart: each channel differs from run to run by itself."""
    dice = np.random.default_rng(3)
    made = []
    for number in range(count):
        slower = {channel: float(dice.lognormal(0, spread)) for channel in CHANNEL_US}
        run = write(folder / f"run-{number}", slower=slower, seed=number)
        began, ended = (f"2026-11-21T{3 + number:02}:0{minute}:00.000Z" for minute in (0, 5))
        made.append(changed(run, started=began, finished=ended))
    return made


def decided(found: Subject) -> int:
    return sum(claim.verdict in (Verdict.HOLDS, Verdict.FAILS) for claim in found.judged)


def test_claims_of_a_machine_whose_runs_differ_are_wider_than_those_of_one_run(tmp_path: Path) -> None:
    first, *_, last = runs(tmp_path, 4, spread=0.4)
    alone, later = subject(Record(first)), subject(Record(last))
    assert alone.results.run_spread.runs == 0
    assert "No earlier run" in run_spread_text(alone.results.run_spread)
    assert all(one.beyond is None for claim in alone.judged for one in claim.compared)
    assert later.results.run_spread.runs == 4
    assert "3 earlier runs" in run_spread_text(later.results.run_spread)
    wider = [one for claim in later.judged for one in claim.compared if one.ratio and one.beyond]
    assert wider
    for one in wider:
        assert one.ratio is not None
        assert one.beyond is not None
        assert one.beyond.middle == pytest.approx(one.ratio.middle)
        assert (one.beyond.half_width or 0) >= (one.ratio.half_width or 0)
        assert "from run to run" in claim_ratio_text(one)
    # The same values, judged as of one run alone, decide at least as much.
    assert decided(later) <= decided(alone)
    assert any(claim.deciding.decided_alone and claim.verdict is Verdict.UNDECIDED for claim in later.judged)
    assert "from run to run" in page(later)


def test_runs_that_agree_turn_no_verdict_and_open_hardly_any(tmp_path: Path) -> None:
    *_, last = runs(tmp_path, 4, spread=0.0)
    found = subject(Record(last))
    for folder in sorted(tmp_path.glob("run-[012]")):
        changed(folder, state="stopped")
    alone = subject(Record(last))
    assert alone.results.run_spread.runs == 0
    pairs = [(one.verdict, other.verdict) for one, other in zip(found.judged, alone.judged, strict=True)]
    differing = [pair for pair in pairs if pair[0] is not pair[1]]
    assert all(verdict is Verdict.UNDECIDED for verdict, _ in differing)
    assert len(differing) <= 0.1 * len(pairs)


def test_only_earlier_finished_runs_of_the_same_study_version_and_machine_count(tmp_path: Path) -> None:
    *earlier, last = runs(tmp_path, 5, spread=0.1)
    assert [run.path.name for run in earlier_runs(Record(last))] == ["run-3", "run-2", "run-1", "run-0"]
    # Between other machines it was another measurement, though this one was the core of both.
    between = earlier[3] / "environment.json"
    hosts = {"hosts": {"server": {"name": "alpha"}, "client": {"name": "beta"}}}
    between.write_text(json.dumps({**json.loads(between.read_text()), **hosts}))
    assert [run.path.name for run in earlier_runs(Record(last))] == ["run-2", "run-1", "run-0"]
    changed(earlier[0], title="Another study")
    changed(earlier[1], callbench="0.0.9")
    environment = earlier[2] / "environment.json"
    environment.write_text(json.dumps({**json.loads(environment.read_text()), "machine": "another"}))
    (earlier[3] / "record.json").write_text("{")
    (tmp_path / "no-record").mkdir()
    assert earlier_runs(Record(last)) == []


def test_how_long_the_last_such_run_took_is_known(tmp_path: Path) -> None:
    first, second = runs(tmp_path, 2, spread=0.0)
    assert last_duration_s(Record(first)) is None
    assert last_duration_s(Record(second)) == 300.0
    with (first / "journal.jsonl").open("a") as journal:
        journal.write('{"kind":"note","text":"resumed"}\n')
    # Its time has a pause in it.
    assert last_duration_s(Record(second)) is None


def test_a_run_of_other_cells_says_nothing_of_how_long_this_one_takes(tmp_path: Path) -> None:
    first, second = runs(tmp_path, 2, spread=0.0)
    request = json.loads((first / "record.json").read_text())["request"]
    changed(first, request={**request, "select": ["message=json"]})
    assert last_duration_s(Record(second)) is None


def test_a_run_of_few_cells_beside_the_others_does_not_hide_them(tmp_path: Path) -> None:
    *earlier, last = runs(tmp_path, 4, spread=0.1)
    shutil.rmtree(earlier[2])
    few = write(tmp_path / "few", only=("native/json+pipe", "native/soap+pipe"))
    changed(few, started="2026-11-21T05:00:00.000Z")
    assert subject(Record(last)).results.run_spread.runs == 3


def test_stored_runs_of_one_build_are_not_called_different_for_what_runs_differ_by(tmp_path: Path) -> None:
    *others, a, b = runs(tmp_path, 6, spread=0.3)
    known = stored.compared(Record(a), Record(b), Rule())
    assert not [one for one in known.cells if one.verdict in (Decision.BETTER, Decision.WORSE)]
    assert any("4 other runs" in note for note in known.notes)
    for folder in others:
        shutil.rmtree(folder)
    alone = stored.compared(Record(a), Record(b), Rule())
    assert [one for one in alone.cells if one.verdict in (Decision.BETTER, Decision.WORSE)]
    assert any("not known what runs of this machine differ" in note for note in alone.notes)


def test_the_title_names_only_those_that_another_run_would_name(tmp_path: Path) -> None:
    """Shown within each run, but runs differ by more: it is said, and the title does not count it."""
    *_, last = runs(tmp_path, 4, spread=0.4)
    found = subject(Record(last))
    every = choices(found, rankings(found))
    changing = [one for one in every if one.shown and not one.lasts]
    assert changing
    assert all("another run may have another order" in one.sure for one in changing)
    title = verdict([], every)
    named = sum(one.lasts for one in every)
    assert f"{len(every) - named} undecided" in title or not named
