"""A process is killed at any time: measured rounds are kept, the rest is measured once, nothing keeps running."""

import contextlib
import json
import os
import re
import resource
import shlex
import signal
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from callbench.runner.drive.slices import has_enough_slices
from conftest import SMALL, command, eventually
from left_behind import marked
from loaded_program import Begin, Begun

Program = Callable[..., subprocess.CompletedProcess[str]]


ROUNDS = 20
FORKS = 2
CELLS = 4


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    """A study with so many rounds that its run can be interrupted in the middle of one."""
    file = tmp_path / "small.toml"
    file.write_text(SMALL.replace("forks = 2\nrounds = 2", f"forks = {FORKS}\nrounds = {ROUNDS}"))
    return file


@pytest.fixture
def started(tmp_path: Path, slow: Path, nothing_left: None, begin: Begin) -> Begun:  # noqa: ARG001 - is made first, so looks last
    """A run with two rounds on disk, so that the watched round is over too, and the next one has begun."""
    run = begin("run", slow, "--forks", FORKS, "--no-baselines", "--out", tmp_path / "run")
    assert eventually(lambda: len(rounds(tmp_path / "run")) >= 2, 120), "no round was made"
    return run


def lines(folder: Path) -> list[dict[str, Any]]:
    journal = folder / "journal.jsonl"
    return (
        [json.loads(line) for line in journal.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
        if journal.exists()
        else []
    )


def rounds(folder: Path) -> list[tuple[int, int, int]]:
    """Those that count, by fork, batch and their number."""
    return [(line["fork"], line["batch"], line["round"]) for line in lines(folder) if line["kind"] == "round"]


def slices(folder: Path) -> Counter[tuple[int, str]]:
    """How many slices count, by fork and cell."""
    every = [(line["fork"], one["cell"]) for line in lines(folder) if line["kind"] == "round" for one in line["slices"]]
    return Counter(every)


def lacking(folder: Path) -> dict[tuple[int, str], int]:
    """How many slices each cell of a fork lacks of one in each round.

    Where the machine is so busy that a few slices took the time of all, a fork needs no more of them.
    """
    driven: dict[tuple[int, str], float] = defaultdict(float)
    for line in lines(folder):
        for one in line["slices"] if line["kind"] == "round" else ():
            driven[line["fork"], one["cell"]] += one["done"]["elapsed_ns"] / 1e9
    return {
        cell: ROUNDS - count
        for cell, count in slices(folder).items()
        if count != ROUNDS and not has_enough_slices(driven[cell], count)
    }


def adapters(mark: str) -> list[int]:
    """The stand-in's processes."""
    found = []
    for pid in marked(mark):
        # Processes that end meanwhile do not count.
        with contextlib.suppress(OSError, IndexError):
            if b"honest.py" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[1]:
                found.append(pid)
    return sorted(found)


def told_again(folder: Path) -> list[str]:
    """The notes of a side that died at work."""
    notes = [line["text"] for line in lines(folder) if line["kind"] == "note"]
    died = r"is (started|tried) again.*: honest, .*died \((killed by SIGKILL|exit code 137)\)"
    return [note for note in notes if re.search(died, note)]


def whole(folder: Path) -> None:
    """Each round is there once, with a slice of each cell, as in an undisturbed run, and the run is finished."""
    assert sorted(rounds(folder)) == [(fork, 0, number) for fork in range(FORKS) for number in range(ROUNDS)]
    assert len(slices(folder)) == FORKS * CELLS
    assert lacking(folder) == {}
    assert json.loads((folder / "record.json").read_text())["state"] == "finished"


def test_the_core_is_killed_in_a_round_and_half_a_line_is_measured_again(
    started: Begun, callbench: Program, tmp_path: Path, slow: Path, mark: str
) -> None:
    started.kill()
    started.wait()
    assert eventually(lambda: not marked(mark)), "adapters outlived the core"
    journal = tmp_path / "run" / "journal.jsonl"
    # In the last round's line: what else was written behind it goes too.
    written = journal.read_bytes()
    end = written.index(b"\n", written.rfind(b'{"kind":"round"')) + 1
    os.truncate(journal, end - 10)
    kept = journal.read_bytes()
    before = rounds(tmp_path / "run")
    sql = "SELECT count(*) AS n FROM rounds WHERE kind = 'round'"
    shown = callbench("query", tmp_path / "run", sql, "--json", check=True)
    assert json.loads(shown.stdout) == [{"n": len(before)}]
    callbench("run", slow, "--out", tmp_path / "run", "--resume", check=True)
    assert journal.read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])
    assert rounds(tmp_path / "run")[: len(before)] == before
    whole(tmp_path / "run")
    assert "resumed" in [line.get("text") for line in lines(tmp_path / "run")]


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.engine
def test_the_core_is_killed_while_a_stack_is_stopped(tmp_path: Path, mark: str, begin: Begin) -> None:
    """Spinning stacks are paused between their slices, so no one could ask them to end."""
    study = tmp_path / "spins.toml"
    study.write_text(SPINS)
    with begin("run", study, "--forks", 1, "--no-baselines", "--out", tmp_path / "run"):
        assert eventually(lambda: bool(rounds(tmp_path / "run")), 120), "no round was made"
        assert eventually(lambda: bool(stopped(mark)), 60), "nobody was stopped"
    assert eventually(lambda: not marked(mark)), f"still alive: {marked(mark)}"


SPINS = """
title = "Spins"
[load]
forks = 1
rounds = 1000
[[cells]]
group = "Sum"
stacks = ["native/bin+shm-spin", "native/bin+tcp", "native/json+tcp"]
call = "Sum"
arguments = { a = 1, b = 2 }
"""


def stopped(mark: str) -> list[int]:
    """The marked processes that are stopped now."""
    found = []
    for pid in marked(mark):
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T":
                found.append(pid)
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_left")
def test_it_is_stopped_while_it_warms_up(begin: Begin, callbench: Program, tmp_path: Path) -> None:
    """Of a stack that gets faster for six seconds, which are waited for."""
    study = tmp_path / "small.toml"
    study.write_text(SMALL.replace('"honest/*"', '"warms-up/tcp"'))
    run = begin("run", study, "--select", "group=Sum", "--forks", 1, "--no-baselines", "--out", tmp_path / "run")
    assert eventually(lambda: any(line["kind"] == "start" for line in lines(tmp_path / "run")), 120)
    run.send_signal(signal.SIGINT)
    _, told = run.communicate(timeout=120)
    assert run.returncode == 130
    assert "Traceback" not in told
    assert rounds(tmp_path / "run") == []
    assert json.loads((tmp_path / "run" / "record.json").read_text())["state"] == "stopped"
    last = told.splitlines()[-1]
    callbench(*shlex.split(last.partition("Continue with: callbench ")[2]), check=True)
    assert json.loads((tmp_path / "run" / "record.json").read_text())["state"] == "finished"


@pytest.mark.slow
@pytest.mark.parametrize("side", [0, -1], ids=["client", "server"])
def test_a_side_is_killed_and_its_stack_started_again(started: Begun, tmp_path: Path, mark: str, side: int) -> None:
    folder = tmp_path / "run"
    with contextlib.suppress(ProcessLookupError, IndexError):
        os.kill(adapters(mark)[side], signal.SIGKILL)
    _, told = started.communicate(timeout=200)
    assert started.returncode == 0, told
    assert json.loads((folder / "record.json").read_text())["state"] == "finished"
    assert sorted(rounds(folder)) == [(fork, 0, number) for fork in range(FORKS) for number in range(ROUNDS)]
    assert len(told_again(folder)) == 1
    # One slice is lost at most, of whichever cell was driven; none where the side died before its slice began.
    counted = slices(folder)
    assert len(counted) == FORKS * CELLS
    assert sum(lacking(folder).values()) <= 1


@pytest.mark.slow
def test_it_is_stopped_in_a_round(started: Begun, callbench: Program, tmp_path: Path) -> None:
    started.send_signal(signal.SIGTERM)
    _, told = started.communicate(timeout=120)
    assert started.returncode == 143
    assert "Traceback" not in told
    assert json.loads((tmp_path / "run" / "record.json").read_text())["state"] == "stopped"
    last = told.splitlines()[-1]
    assert last.startswith("callbench: stopped; what was measured is kept. Continue with: callbench run ")
    callbench(*shlex.split(last.partition("Continue with: callbench ")[2]), check=True)
    whole(tmp_path / "run")


@pytest.mark.slow
def test_two_runs_into_one_folder(started: Begun, callbench: Program, tmp_path: Path, slow: Path) -> None:
    ended = callbench("run", slow, "--out", tmp_path / "run", "--resume")
    assert (ended.returncode, ended.stderr) == (
        2,
        f"callbench: another callbench is writing {tmp_path / 'run'}: wait for it, or give another --out\n",
    )
    ended = callbench("run", slow, "--out", tmp_path / "run")
    assert ended.returncode == 2
    assert "is there already: give --resume to go on with it, or another --out" in ended.stderr
    assert started.wait(200) == 0
    whole(tmp_path / "run")


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_left")
def test_the_disk_is_full(callbench: Program, slow: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands for the end of the disk: the kernel refuses the write in the same way."""
    limit = 60_000
    argv = command("run", slow, "--forks", FORKS, "--no-baselines", "--out", tmp_path / "run")
    ended = subprocess.run(
        argv,
        cwd=tmp_path,
        # A compiled module that the limit truncates would break every later start, and so would git's index.
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "GIT_DIR": str(tmp_path / "none")},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert ended.returncode == 2
    last = ended.stderr.splitlines()[-1]
    assert last.startswith(f"callbench: cannot write {tmp_path / 'run' / 'journal.jsonl'}: File too large; raise the")
    assert "Traceback" not in ended.stderr
    kept = rounds(tmp_path / "run")
    assert kept
    callbench("run", slow, "--out", tmp_path / "run", "--resume", check=True)
    whole(tmp_path / "run")
    assert rounds(tmp_path / "run")[: len(kept)] == kept


@pytest.mark.usefixtures("nothing_left")
def test_an_adapter_that_dies_each_time_is_left_out(callbench: Program, study: Path, tmp_path: Path) -> None:
    study.write_text(
        SMALL.replace('"honest/*"', '"honest/tcp", "dies-driving/tcp", "wrong-answer/tcp", "never-ready/tcp"')
    )
    assert callbench("run", study, "--out", tmp_path / "run", "--quick").returncode == 1
    excluded = {line["stack"]: line["why"] for line in lines(tmp_path / "run") if line["kind"] == "excluded"}
    assert set(excluded) == {"dies-driving/tcp", "wrong-answer/tcp", "never-ready/tcp"}
    assert "its log ends with: fatal: out of cheese" in excluded["dies-driving/tcp"]
    assert excluded["wrong-answer/tcp"].startswith("answered wrongly: Sum(a=2147483647, b=1) gave 2147483648")
    assert excluded["never-ready/tcp"].startswith("cannot be started: never-ready, ")
    assert len({cell for _, cell in slices(tmp_path / "run")}) == 3
