"""Whoever is killed, and whenever: what was measured is kept, the rest is measured once, nothing is left running."""

import contextlib
import json
import os
import re
import resource
import shlex
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import SMALL, command, eventually, marked

Program = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    """A study whose trials are long enough to be met in the middle."""
    file = tmp_path / "small.toml"
    file.write_text(SMALL.replace("seconds = 0.02", "seconds = 0.4"))
    return file


@pytest.fixture
def started(tmp_path: Path, slow: Path, nothing_left: None) -> Iterator[subprocess.Popen[str]]:  # noqa: ARG001 - is made first, so looks last
    """A run under way, with one trial on disk and the next one begun."""
    argv = command("run", slow, "--out", tmp_path / "run")
    with subprocess.Popen(argv, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        try:
            assert eventually(lambda: len(trials(tmp_path / "run")) == 1, 120), "no trial was made"
            yield run
        finally:
            run.kill()


def lines(folder: Path) -> list[dict[str, Any]]:
    journal = folder / "journal.jsonl"
    return (
        [json.loads(line) for line in journal.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
        if journal.exists()
        else []
    )


def trials(folder: Path) -> list[int]:
    return [line["trial"] for line in lines(folder) if line["kind"] == "trial"]


def adapters(mark: str) -> list[int]:
    """The stand-in's processes, the client first."""
    found = []
    for pid in marked(mark):
        # Who ends meanwhile is none.
        with contextlib.suppress(OSError, IndexError):
            if b"honest.py" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[1]:
                found.append(pid)
    return sorted(found)


def told_again(folder: Path) -> list[str]:
    """The notes of a side that died at work."""
    notes = [line["text"] for line in lines(folder) if line["kind"] == "note"]
    died = r"is (made|started) again: honest, .*died \((killed by SIGKILL|exit code 137)\)"
    return [note for note in notes if re.search(died, note)]


def whole(folder: Path) -> None:
    """Each trial of the plan is there, once, and the run says that it is finished."""
    assert sorted(trials(folder)) == list(range(8))
    assert json.loads((folder / "run.json").read_text())["state"] == "finished"


def test_the_core_is_killed(
    started: subprocess.Popen[str], callbench: Program, tmp_path: Path, slow: Path, mark: str
) -> None:
    started.kill()
    started.wait()
    assert eventually(lambda: not marked(mark)), "adapters outlived the core"
    kept = (tmp_path / "run" / "journal.jsonl").read_bytes()
    ended = callbench("run", slow, "--out", tmp_path / "run", "--resume", check=True)
    assert (tmp_path / "run" / "journal.jsonl").read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])
    whole(tmp_path / "run")
    assert "resumed" in [line.get("text") for line in lines(tmp_path / "run")]
    assert ended.stderr.count("block") == 2


@pytest.mark.parametrize("side", [0, -1], ids=["client", "server"])
def test_a_side_is_killed(started: subprocess.Popen[str], tmp_path: Path, mark: str, side: int) -> None:
    folder = tmp_path / "run"

    def met() -> bool:
        """Whether a kill met a side at work: one that has made its trials, and is ending, is nobody's loss."""
        made = len(trials(folder))
        with contextlib.suppress(ProcessLookupError, IndexError):
            os.kill(adapters(mark)[side], signal.SIGKILL)
        over = eventually(lambda: bool(told_again(folder)) or len(trials(folder)) > made or started.poll() is not None)
        return over and bool(told_again(folder))

    assert eventually(met, 120)
    _, told = started.communicate(timeout=200)
    assert started.returncode == 0, told
    whole(folder)
    assert len(told_again(folder)) == 1


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_is_told_to_stop(
    started: subprocess.Popen[str], callbench: Program, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    started.send_signal(number)
    _, told = started.communicate(timeout=120)
    assert started.returncode == code
    assert "Traceback" not in told
    assert json.loads((tmp_path / "run" / "run.json").read_text())["state"] == "stopped"
    last = told.splitlines()[-1]
    assert last.startswith("callbench: stopped; what was measured is kept. Go on with: callbench run ")
    callbench(*shlex.split(last.partition("Go on with: callbench ")[2]), check=True)
    whole(tmp_path / "run")


def test_two_runs_into_one_folder(
    started: subprocess.Popen[str], callbench: Program, tmp_path: Path, slow: Path
) -> None:
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


@pytest.mark.usefixtures("nothing_left")
def test_the_disk_is_full(callbench: Program, study: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands for the end of the disk: the kernel refuses the write in the same way."""
    limit = 12_000
    argv = command("run", study, "--out", tmp_path / "run")
    ended = subprocess.run(
        argv,
        cwd=tmp_path,
        # A compiled module that is cut off by the limit would break every start after it.
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert ended.returncode == 1
    last = ended.stderr.splitlines()[-1]
    assert last.startswith(f"callbench: cannot write {tmp_path / 'run' / 'journal.jsonl'}: File too large; what was")
    assert "Traceback" not in ended.stderr
    kept = trials(tmp_path / "run")
    assert kept
    callbench("run", study, "--out", tmp_path / "run", "--resume", check=True)
    whole(tmp_path / "run")
    assert trials(tmp_path / "run")[: len(kept)] == kept


@pytest.mark.usefixtures("nothing_left")
def test_half_a_line_is_measured_again(callbench: Program, study: Path, tmp_path: Path) -> None:
    callbench("run", study, "--out", tmp_path / "run", check=True)
    journal = tmp_path / "run" / "journal.jsonl"
    # In the last trial's line: what else was noted behind it goes too.
    whole_lines = journal.read_bytes()
    end = whole_lines.index(b"\n", whole_lines.rfind(b'{"kind":"trial"')) + 1
    os.truncate(journal, end - 10)
    shown = callbench("query", tmp_path / "run", "SELECT count(*) AS n FROM trials", "--json", check=True)
    assert json.loads(shown.stdout) == [{"n": 7}]
    callbench("run", study, "--out", tmp_path / "run", "--resume", check=True)
    whole(tmp_path / "run")


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
    measured = {line["cell"] for line in lines(tmp_path / "run") if line["kind"] == "trial"}
    assert len(measured) == 3
