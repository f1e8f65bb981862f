"""Servers that the load driver calls, as stacks: verified, measured and reported like any other."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Finished = subprocess.CompletedProcess[str]
Run = Callable[..., Finished]

STUDY = """
title = "Greetings"
[load]
calls = 40
seconds = 0.05
forks = 1
rounds = 2
minutes = 0.01
[[cells]]
group = "one"
stacks = ["load/*:greeter/*"]
call = "Hello"
clients = [1, 8]
ledger = true
[[cells]]
group = "paced"
stacks = ["load/http1:greeter/http"]
call = "Hello"
clients = 4
arrivals = "poisson"
rate = 400
[[cells]]
group = "other"
stacks = ["load/http1:greeter/http"]
call = "Sum"
arguments = { a = 1, b = 2 }
"""


@pytest.fixture(autouse=True)
def greeter(monkeypatch: pytest.MonkeyPatch) -> None:
    """The adapter that only serves is in the catalogue."""
    monkeypatch.setenv("CALLBENCH_ADAPTERS", str(Path(__file__).parent / "greeter"))


@pytest.mark.usefixtures("nothing_left")
def test_the_suite_asks_what_a_request_can_carry_and_reports_what_it_did_not_ask(callbench: Run) -> None:
    seen = callbench("verify", "load/http1:greeter/http", "--json")
    rows = json.loads(seen.stdout)["checks"]
    assert (seen.returncode, [row for row in rows if row["fails"]]) == (0, [])
    asked = {row["check"] for row in rows if not row["not_applicable"]}
    assert {"Hello", "counts", "drive", "open", "delay", "stall", "timeout", "lost/cut", "lost/killed"} <= asked
    unasked = {row["check"]: row["not_applicable"] for row in rows if row["not_applicable"]}
    assert unasked["Sum/small"] == unasked["counts/faults"] == "the server answers only Hello"
    assert {row["subject"] for row in rows} == {"load", "greeter", "load/http1:greeter/http"}


@pytest.mark.usefixtures("nothing_left")
def test_a_wrong_answer_fails_it(callbench: Run) -> None:
    seen = callbench("verify", "load/http1:greeter/wrong")
    assert seen.returncode == 1
    assert "the body differs from the expected one at byte 0" in " ".join(seen.stdout.split())
    assert "checks were skipped" in seen.stdout


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "load/http1",
            "load/http1 has clients only, and is no stack by itself: name both sides, as load/http1:",
        ),
        ("greeter/http", "greeter/http has a server only, and is no stack by itself: name both sides, as load/http1:"),
        ("load/http1:native/json+supertcp", "the card of native/json+supertcp has no `request` of the protocol http1"),
    ],
)
def test_one_side_alone_is_no_stack(callbench: Run, name: str, says: str) -> None:
    for words in (("verify", name), ("compare", name, name)):
        refused = callbench(*words)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
        # A comparison takes more than names, so that it says of a pair that is none what can stand there.
        assert says in refused.stderr or (words[0] == "compare" and "give a stack or a glob" in refused.stderr)
    listed = {row["id"] for row in json.loads(callbench("list", "stacks", "--json", check=True).stdout)}
    assert name not in listed
    assert "load/http1:greeter/http" in listed


@pytest.mark.usefixtures("nothing_left")
def test_a_run_has_rows_of_them(callbench: Run, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(STUDY)
    # One server answers wrongly, and is left out.
    assert callbench("run", "s.toml", "--out", "r").returncode == 1
    sql = 'SELECT DISTINCT stack, "group", cells.clients, agree, trials.calls > 0 FROM trials JOIN cells USING (cell)'
    rows = [tuple(row.values()) for row in json.loads(callbench("query", "r", sql, "--json", check=True).stdout)]
    both = ("load/http1:greeter/http", "load/http1:greeter/posted")
    expected = [(name, "one", clients, True, True) for name in both for clients in (1, 8)]
    assert sorted(rows) == sorted([*expected, (both[0], "paced", 4, True, True)])
    left_out = json.loads(callbench("query", "r", "SELECT stack, cell, why FROM excluded", "--json", check=True).stdout)
    whys = {row["stack"]: row["why"] for row in left_out}
    assert whys["load/http1:greeter/wrong"] == (
        "answered wrongly: the body differs from the expected one at byte 0, counted from 0: `Hello World`, not"
        " `Good morning`; it has 11 bytes, not 12"
    )
    assert "its one request stands for Hello: give its cells the call Hello" in whys["load/http1:greeter/http"]
    callbench("report", "r", "--format", "html", "--out", "r.html", check=True)
    assert "load/http1:greeter/posted" in (tmp_path / "r.html").read_text()


@pytest.mark.usefixtures("nothing_left", "lab")
def test_one_is_measured_over_a_link_at_the_address_of_its_host(callbench: Run, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(STUDY)
    words = ["--link", "lan100", "--select", "group=paced", "--out", "r", "--no-baselines"]
    callbench("run", "s.toml", *words, check=True)
    rows = json.loads(callbench("query", "r", "SELECT DISTINCT agree FROM trials", "--json", check=True).stdout)
    assert rows == [{"agree": True}]


@pytest.mark.usefixtures("nothing_left")
def test_two_are_compared_by_the_call_that_they_carry(callbench: Run, tmp_path: Path) -> None:
    # Another build of the same server, which sleeps 0.1 s in each call: more than a busy machine takes.
    slower = tmp_path / "slower"
    shutil.copytree(Path(__file__).parent / "greeter", slower)
    program = slower / "adapter.py"
    answer = '        said = self.service.answer("Hello", {})'
    assert answer in program.read_text()
    program.write_text(program.read_text().replace(answer, f"        threading.Event().wait(0.1)\n{answer}"))
    names = ("load/http1:greeter/http", f"load/http1:greeter/http@{slower}")
    held = callbench("compare", *names, "--seconds", "1", "--rounds", "8", "--out", "c", "--json")
    assert held.returncode == 1, held.stderr
    verdicts = [cell["verdict"] for cell in json.loads(held.stdout)["cells"]]
    assert verdicts[0] == "worse"
    assert "better" not in verdicts
    assert [cell["name"] for cell in json.loads((tmp_path / "c" / "plan.json").read_text())["pairs"][0]["cells"]] == [
        "Hello"
    ]
