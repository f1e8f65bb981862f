"""A plan that grows: cells go on until they are precise, what was added is on disk, and a run goes on where it was."""

import json
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from callbench import plan
from callbench.cell import Cell, Load, Stack
from callbench.errors import BadInput
from callbench.plan import Trial
from callbench.precision.growth import Growth, grown
from callbench.precision.told import Ended, told
from callbench.progress import Progress
from callbench.report.sections.precision import section
from callbench.report.subject import subject
from callbench.run_writer import RunWriter
from callbench.store import FORMAT, Run
from conftest import command, eventually

Program = Callable[..., subprocess.CompletedProcess[str]]
# How far the log of a cell's rate lies from its mean, block by block.
SPREADS = {"c001": 0.001, "c002": 0.05, "c003": 0.3}


def folder(path: Path, **info: object) -> RunWriter:
    stacks = [Stack(f"a/{cell}", "a", "m", cell, "python", "", "") for cell in SPREADS]
    cells = [Cell(cell, "g", f"a/{cell}", "Sum", {"a": 1, "b": 2}, Load(1, 10, 0.1)) for cell in SPREADS]
    planned = plan.made(cells, stacks, 3, 1)
    about = {"format": FORMAT, "study": "s", "seed": 1, "quick": False, "blocks": 3, "started": "", "state": ""}
    record = (json.dumps(planned.record()) + "\n").encode()
    return RunWriter.create(path, {**about, "until": 0.04, "budget_s": None, **info}, {"plan.json": record})


def trial_line(trial: Trial, block: int, visit: int, dice: random.Random) -> dict[str, Any]:
    rate = 1000 * dice.lognormvariate(0, SPREADS[trial.cell.id])
    done = {"calls": int(rate), "elapsed_ns": 1_000_000_000, "errors": {}, "latency": None}
    return {"kind": "trial", "trial": trial.number, "block": block, "visit": visit, "cell": trial.cell.id, "done": done}


def go(run: RunWriter, most: int = 1000) -> Growth:
    """Go on with a run whose trials come from dice, at most so many of them."""
    planned = grown(plan.read(run.plan()), run)
    made = {line["trial"] for line in run.lines() if line["kind"] == "trial"}
    growth = Growth(run, planned, Progress(quiet=True))
    dice = random.Random(7)  # noqa: S311 - rates, not secrets
    for number, block in enumerate(growth.blocks()):
        for visit in block:
            for trial in visit.trials:
                if trial.number not in made and most:
                    run.append(trial_line(trial, number, visit.number, dice))
                    most -= 1
        if not most:
            break
    return growth


def lines(run: Run, kind: str) -> list[dict[str, Any]]:
    return [line for line in run.lines() if line["kind"] == kind]


def test_cells_go_on_until_they_are_precise(tmp_path: Path) -> None:
    with folder(tmp_path / "run") as run:
        go(run)
        ended = {line["cell"]: line for line in lines(run, "ended")}
        blocks = Counter(line["cell"] for line in lines(run, "trial"))
    assert {cell: line["why"] for cell, line in ended.items()} == {
        "c001": "precise",
        "c002": "precise",
        "c003": "blocks",
    }
    assert blocks["c001"] == 3
    assert 3 < blocks["c002"] < 50
    assert blocks["c003"] == 50
    assert all(line["reached"] <= 0.04 for line in ended.values() if line["why"] == "precise")
    assert ended["c003"]["reached"] > 0.04


@pytest.mark.parametrize("stop_after", [1, 9, 10, 11, 12, 13, 30])
def test_a_run_goes_on_where_it_was(tmp_path: Path, stop_after: int) -> None:
    """Killed anywhere, and taken up: every trial of the plan and of what was added is there, once."""
    with folder(tmp_path / "run") as run:
        go(run, stop_after)
    with RunWriter(tmp_path / "run") as run:
        go(run)
        trials = lines(run, "trial")
        whole = grown(plan.read(run.plan()), run)
        ended = lines(run, "ended")
    assert sorted(line["trial"] for line in trials) == list(range(whole.trials))
    assert sorted(line["cell"] for line in ended) == sorted(SPREADS)
    assert len(whole.blocks) == 3 + len(lines(run, "added"))
    numbers = {
        trial.number: (trial.cell.id, visit.block)
        for block in whole.blocks
        for visit in block
        for trial in visit.trials
    }
    assert all(numbers[line["trial"]] == (line["cell"], line["block"]) for line in trials)


def test_what_a_stack_cannot_do_is_not_waited_for(tmp_path: Path) -> None:
    with folder(tmp_path / "run") as run:
        run.append({"kind": "excluded", "stack": "a/c003", "block": 0, "cell": None, "why": "died"})
        go(run)
        ended = {line["cell"]: line["why"] for line in lines(run, "ended")}
    assert ended["c003"] == "excluded"


def test_a_budget_that_is_spent_ends_every_cell(tmp_path: Path) -> None:
    with folder(tmp_path / "run", budget_s=1e-9) as run:
        go(run)
        assert {line["cell"]: line["why"] for line in lines(run, "ended")} == {
            "c001": "precise",
            "c002": "budget",
            "c003": "budget",
        }
        assert lines(run, "added") == []


def test_nothing_is_added_where_nothing_was_asked_for(tmp_path: Path) -> None:
    with folder(tmp_path / "run", until=None) as run:
        go(run)
        assert {line["kind"] for line in run.lines()} == {"trial"}


def test_an_added_cell_that_is_not_planned_is_one_sentence() -> None:
    with pytest.raises(BadInput, match="it adds the cell 'c9' that its plan does not have"):
        plan.extended(plan.Plan((), (), ()), [("a/x", "loopback", ["c9"])])


@pytest.mark.usefixtures("nothing_left")
def test_a_run_with_a_budget_plays_neighbours_off(callbench: Program, study: Path, tmp_path: Path) -> None:
    callbench(
        "run",
        study,
        "--quick",
        "--select",
        "group=Sum",
        "--budget",
        "15s",
        "--no-floors",
        "--out",
        "r",
        check=True,
        timeout=150,
    )
    run = Run(tmp_path / "r")
    ended = [line for line in run.lines() if line["kind"] == "ended"]
    assert [line["cell"] for line in ended] == [None]
    found = told(run)
    assert found.endings == [Ended(None, ended[0]["why"], None, None, None)]
    met = [line for line in run.lines() if line["kind"] == "meeting"]
    assert sum(one.meetings for one in found.contests) == sum(line["agree"] for line in met)
    shown = section(subject(run))
    assert shown is not None
    assert "In the play-off" in shown.found[0]


@pytest.mark.usefixtures("nothing_left")
def test_killed_in_an_added_block_it_goes_on(tmp_path: Path, study: Path, callbench: Program) -> None:
    argv = command(
        "run", study, "--until", "0.001%", "--budget", "1h", "--no-floors", "--select", "group=Sum", "--out", "r"
    )
    run_folder = tmp_path / "r"

    def added_and_measured() -> bool:
        journal = run_folder / "journal.jsonl"
        return journal.is_file() and b'"trial":4,' in journal.read_bytes()

    with subprocess.Popen(argv, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as going:
        try:
            assert eventually(added_and_measured, 120), "no block was added"
        finally:
            going.send_signal(signal.SIGKILL)
    info = json.loads((run_folder / "run.json").read_text())
    (run_folder / "run.json").write_text(json.dumps(info | {"budget_s": 0.001}))
    callbench("run", study, "--resume", "--out", "r", check=True, timeout=150)
    run = Run(run_folder)
    with RunWriter(run_folder) as writer:
        whole = grown(plan.read(run.plan()), writer)
    assert sorted(line["trial"] for line in run.lines() if line["kind"] == "trial") == list(range(whole.trials))
    cells = {one.cell: one.why for one in told(run).endings}
    assert set(cells) == {None, *(cell.id for cell in whole.cells)}
    assert {why for cell, why in cells.items() if cell} <= {"budget", "precise"}
    assert cells[None] in {"budget", "decided"}
