"""Open loops, ladders and knees from the command line to the report, and on after a kill."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import eventually
from left_behind import marked
from loaded_program import Begin

Program = Callable[..., subprocess.CompletedProcess[str]]

STUDY = """
title = "Loads"
about = "A ladder of clients, an open loop, a knee."
[load]
calls = 10
seconds = 0.05
forks = 2
rounds = 2
minutes = 0.01
[[cells]]
group = "ladder"
stacks = ["honest/tcp"]
call = "Sum"
arguments = { a = 1, b = 2 }
clients = [1, 2]
think_ms = 1
[[cells]]
group = "open"
stacks = ["honest/tcp"]
call = "Sum"
arguments = { a = 1, b = 2 }
clients = 2
arrivals = "poisson"
rate = [20, 1000000]
[[knees]]
id = "users"
group = "ladder"
along = "clients"
objective = "mean under 60 s"
most = 2
"""


@pytest.fixture
def loads(tmp_path: Path) -> Path:
    file = tmp_path / "loads.toml"
    file.write_text(STUDY)
    return file


def steps(folder: Path) -> list[dict[str, Any]]:
    journal = folder / "journal.jsonl"
    whole = [line for line in journal.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    return [line for line in map(json.loads, whole) if line["kind"] == "step"]


@pytest.mark.usefixtures("nothing_left")
def test_loads_are_run_and_shown(callbench: Program, loads: Path, tmp_path: Path) -> None:
    callbench("run", loads, "--no-baselines", "--out", "r", check=True, timeout=300)
    record = json.loads(callbench("show", "r", "--json", check=True).stdout)
    cells = {(cell["stack"], (cell["open_loop"] or {}).get("target_per_s")): cell for cell in record["cells"]}
    # A million calls a second is beyond any Python: said so, and no result of that rate.
    far = cells["honest/tcp", 1e6]
    assert "rate_per_s" not in far["metrics"]
    assert "of 1,000,000 calls/s were reached" in far["open_loop"]["missed"]
    near = cells["honest/tcp", 20]
    assert near["open_loop"]["service_us"]["mean"] <= near["open_loop"]["latency_us"]["mean"]
    ladder = [cell for cell in record["cells"] if cell["group"] == "ladder"]
    assert [(cell["arrivals"], cell["think_ms"], cell["open_loop"]) for cell in ladder] == [("closed", 1.0, None)] * 2
    # 1 ms of thought between two calls: at most a thousand calls a second and client.
    assert all(cell["metrics"]["rate_per_s"]["value"] < 1000 * cell["clients"] for cell in ladder)
    # Every stack meets a minute: each fork's search doubles once and is at its end.
    assert [(step["fork"], step["level"], step["holds"]) for step in steps(tmp_path / "r")] == [
        (0, 1.0, True),
        (0, 2.0, True),
        (1, 1.0, True),
        (1, 2.0, True),
    ]
    report = json.loads(
        (tmp_path / callbench("report", "r", "--format", "json", check=True).stdout.strip()).read_text()
    )
    sections = {section["id"]: section for section in report["sections"]}
    assert {"open-loop", "steps", "knee"} <= set(sections)
    assert sections["knee"]["sheets"][0]["rows"][0][:2] == ["honest/tcp", "at least 2"]
    assert any("no result for 1,000,000 calls/s" in sentence for sentence in sections["open-loop"]["found"])


@pytest.mark.usefixtures("nothing_left")
def test_a_step_that_was_repeated_can_be_read(loads: Path, callbench: Program, tmp_path: Path) -> None:
    """The host takes the processors away now and then; a step that met that has the slices before it."""
    callbench("run", loads, "--no-baselines", "--select", "group=ladder", "--out", "r", check=True, timeout=300)
    journal = tmp_path / "r" / "journal.jsonl"
    lost = '"repeated":[{"calls":52,"elapsed_ns":50140768,"absence_ns":3255430}],"value_us":'
    text = journal.read_text().replace('"value_us":', lost)
    assert lost in text
    journal.write_text(text)
    # It was not altered behind the back of the record, so nothing says how long it was.
    head = tmp_path / "r" / "record.json"
    head.write_text(
        json.dumps({name: value for name, value in json.loads(head.read_text()).items() if name != "journal"})
    )
    callbench("show", "r", "--json", check=True)


@pytest.mark.usefixtures("nothing_left")
def test_a_search_continues_after_a_kill(
    begin: Begin, loads: Path, callbench: Program, tmp_path: Path, mark: str
) -> None:
    loads.write_text(STUDY.replace("seconds = 0.05", "seconds = 0.3"))
    wanted = ("--no-baselines", "--select", "group=ladder", "--out", tmp_path / "r")
    journal = tmp_path / "r" / "journal.jsonl"
    with begin("run", loads, *wanted):
        assert eventually(lambda: journal.exists() and bool(steps(tmp_path / "r")), 120), "no step was made"
    assert eventually(lambda: not marked(mark)), "adapters outlived the core"
    kept = steps(tmp_path / "r")
    callbench("run", loads, *wanted, "--resume", check=True, timeout=300)
    whole = steps(tmp_path / "r")
    assert whole[: len(kept)] == kept
    assert [(step["fork"], step["step"], step["level"]) for step in whole] == [
        (0, 0, 1),
        (0, 1, 2),
        (1, 0, 1),
        (1, 1, 2),
    ]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("mean under 60 s", "fast"), 'objective is "fast": it must be a figure and a time, as "p99 under 5 ms"'),
        (('group = "ladder"\nalong', 'group = "leader"\nalong'), 'there is no group "leader"'),
        (("most = 2", "most = 2\nleast = 3"), "least is 3 and most 2: most must be the greater"),
        (('along = "clients"', 'along = "cores"'), "along"),
    ],
)
def test_a_knee_that_makes_no_sense_is_one_sentence(
    callbench: Program, loads: Path, change: tuple[str, str], says: str
) -> None:
    loads.write_text(STUDY.replace(*change))
    ended = callbench("run", loads)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert says in ended.stderr


def test_an_invalid_objective_is_one_sentence(callbench: Program, loads: Path) -> None:
    ended = callbench("run", loads, "--objective", "p99 below 5 ms")
    assert ended.returncode == 2
    assert ended.stderr.startswith('callbench: --objective is "p99 below 5 ms": it must be a figure and a time')
