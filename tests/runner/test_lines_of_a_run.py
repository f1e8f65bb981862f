"""Each line that a run writes has the type of its kind and is as the schema says, and each kind is written."""

import json
import subprocess
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import get_args

import jsonschema_rs
import pytest

from callbench.store import journal
from callbench.store.lines.of_kind import kinds_of
from callbench.store.lines.run import RUN_LINES, RunLine

STUDY = """
title = "Every kind"
[load]
rounds = 2
calls = 20
seconds = 0.02
[[cells]]
group = "Sum"
stacks = ["native/bin+tcp"]
call = "Sum"
arguments = { a = 1, b = 2 }
ledger = true
[[cells]]
group = "Whole"
stacks = ["native/json+unix"]
call = "Hello"
fresh = true
[[cells]]
group = "Sizes"
stacks = ["native/bin+tcp"]
call = "Send"
arguments = { type = "byte[]", content = "fixed" }
sweep = { over = "count", values = [0, 1, 2] }
[[knees]]
id = "clients"
group = "Sum"
along = "clients"
objective = "p50 under 1 s"
least = 1
most = 2
"""
# Of a failure, of a machine that changed meanwhile, of a compiler.
SELDOM = {"note", "excluded", "death", "repeated round", "unsteady"}


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left", "lab")
def test_each_line_of_a_run_has_its_type(
    callbench: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "s.toml").write_text(STUDY)
    options = ("--forks", 1, "--until", "50%", "--budget", "5s", "--confirm", "--no-baselines")
    callbench("run", "s.toml", *options, "--out", "r", check=True)
    lines = list(journal.read(tmp_path / "r/journal.jsonl"))
    assert list(RUN_LINES.read(lines)) == lines
    schema = json.loads((files("callbench.store") / "journal.schema.json").read_text())
    valid = jsonschema_rs.validator_for({**schema, "$ref": "#/$defs/run"})
    assert [(line["kind"], error.message) for line in lines for error in valid.iter_errors(line)] == []
    every = {kind for of in get_args(RunLine) for kind in kinds_of(of)}
    assert {line["kind"] for line in lines} - SELDOM == every - SELDOM
