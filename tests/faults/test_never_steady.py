"""What gets faster while it is measured: the program waits until it is steady, or says that it never was."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Program = Callable[..., subprocess.CompletedProcess[str]]

STUDY = """
title = "Faster"
about = "One call of three servers, of which two get faster while they run."
[load]
clients = [1]
calls = 20
seconds = 0.3
forks = 2
rounds = 2
minutes = 0.01
[[cells]]
group = "Sum"
stacks = ["honest/tcp", "STACK/tcp"]
call = "Sum"
arguments = { a = 1, b = 2 }
[[tables]]
id = "rates"
title = "Rates"
group = "Sum"
statistic = "rate_per_s"
rows = [{ label = "honest", where = { stack = "honest/tcp" } }, { label = "other", where = { stack = "STACK/tcp" } }]
columns = [{ label = "calls/s", where = {} }]
[[claims]]
id = "slower"
text = "The other is slower."
[[claims.compare]]
over = [{ group = "Sum", stack = "honest/tcp" }]
under = [{ group = "Sum", stack = "STACK/tcp" }]
above = 1.0
label = "honest over the other"
"""


def asked(callbench: Program, sql: str) -> list[dict[str, Any]]:
    """A query's rows."""
    rows: list[dict[str, Any]] = json.loads(callbench("query", "run", sql, "--json", check=True).stdout)
    return rows


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_left")
def test_a_server_that_gets_faster_in_steps_is_waited_for(callbench: Program, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(STUDY.replace("STACK", "warms-up"))
    callbench("run", "s.toml", "--out", "run", "--no-baselines", check=True, timeout=300)
    rows = asked(
        callbench,
        "SELECT steady, ended, before_s + s.seconds AS driven_s, s.unsteady, rate_per_s FROM steadiness s"
        " JOIN trials USING (trial) JOIN cells ON cells.cell = s.cell WHERE stack = 'warms-up/tcp'",
    )
    assert len(rows) == 2
    # Four steps, one every 1.5 s: a warm-up that stops before the last one measures half of it or less.
    assert all(row["steady"] and row["driven_s"] > 6 for row in rows), rows
    # Cold, it took as long as at first: 64 ms a call, 20 calls of the first second or fewer.
    (cold, *_) = asked(callbench, "SELECT * FROM cold WHERE stack = 'warms-up/tcp'")
    assert cold["calls_before"] == 0
    assert cold["first_call_ns"] >= 64e6
    assert 1 <= cold["first_second_calls"] <= 16
    assert all(row["rate_per_s"] > 2 * cold["first_second_calls"] for row in rows)
    shown = json.loads(callbench("show", "run", "--json", check=True).stdout)
    assert {one["stack"]: "steady_s" in one["metrics"] for one in shown["cold"]} == {
        "honest/tcp": False,
        "warms-up/tcp": True,
    }
    assert next(one for one in shown["cold"] if one["stack"] == "warms-up/tcp")["metrics"]["steady_s"]["least"] > 6


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_left")
def test_what_is_never_steady_has_no_rank_and_decides_no_claim_and_that_is_said(
    callbench: Program, tmp_path: Path
) -> None:
    (tmp_path / "s.toml").write_text(STUDY.replace("STACK", "never-steady"))
    callbench("run", "s.toml", "--out", "run", "--no-baselines", "--warm-up", "9", check=True, timeout=300)
    shown = json.loads(callbench("show", "run", "--json", check=True).stdout)
    never, honest = (
        next(cell for cell in shown["cells"] if cell["stack"] == name) for name in ("never-steady/tcp", "honest/tcp")
    )
    assert honest["metrics"]["rate_per_s"]["value"] > 0
    assert never["metrics"].keys().isdisjoint({"rate_per_s", "p50_us"})
    assert never["warm_up"]["steady_trials"] == 0
    assert never["warm_up"]["ended"] == {"limit": 2}
    assert never["warm_up"]["left_out"]["trials"] == 2
    assert never["warm_up"]["left_out"]["rate_per_s"] > 0
    why = "not steady: its warm-up ended before it was steady"
    assert [one["why"] for one in shown["excluded"]] == [why]
    callbench("report", "run", "--format", "json", "--out", "report.json", check=True)
    report = json.loads((tmp_path / "report.json").read_text())
    (claim,) = report["claims"]
    assert claim["verdict"] == "not measured"
    assert claim["comparisons"][0]["why"] == f"never-steady/tcp: {why}"
    rates = [row["places"][0] for row in report["tables"][0]["rows"]]
    assert rates[0]["result"] is not None
    assert (rates[1]["result"], rates[1]["why"] or rates[1]["text"]) == (None, "not steady")
    page = callbench("report", "run", "--format", "md", "--out", "report.md", check=True)
    assert page.returncode == 0
    assert why in (tmp_path / "report.md").read_text()
    (ranked,) = asked(
        callbench,
        "SELECT count(*) AS n FROM trials JOIN cells USING (cell) WHERE stack = 'never-steady/tcp' AND unsteady = ''",
    )
    assert ranked["n"] == 0


def test_none_warms_nothing_up_and_nothing_counts_then(callbench: Program, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(STUDY.replace("STACK", "warms-up"))
    callbench("run", "s.toml", "--out", "run", "--no-baselines", "--warm-up", "none", check=True)
    assert asked(callbench, "SELECT DISTINCT unsteady FROM trials") == [{"unsteady": "it was not warmed up"}]
    assert asked(callbench, "SELECT count(*) AS n FROM warm_ups") == [{"n": 0}]


def test_a_limit_that_is_no_time_is_refused(callbench: Program, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(STUDY.replace("STACK", "warms-up"))
    ended = callbench("run", "s.toml", "--warm-up", "soon")
    assert ended.returncode == 2
    assert "--warm-up soon: give a time such as 90s, 10m or 1h" in ended.stderr
