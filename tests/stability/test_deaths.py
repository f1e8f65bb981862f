"""A trial whose server dies: after how many calls, in the journal, the table and the page."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
STUDY = """
title = "Small"
about = "One call of a server that dies of it."
[load]
clients = [2]
calls = 40000
seconds = 0.1
blocks = 1
[[cells]]
group = "Hello"
stacks = ["sick/tcp"]
call = "Hello"
[[tables]]
id = "rates"
title = "Rates"
group = "Hello"
statistic = "rate_per_s"
rows = [{ label = "sick", where = { stack = "sick/tcp" } }]
columns = [{ label = "calls/s", where = {} }]
"""


@pytest.mark.parametrize("counts", ["true", "false"])
@pytest.mark.usefixtures("nothing_left")
def test_the_row_says_died_after_so_many_calls_also_of_who_cannot_count(
    callbench: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    counts: str,
) -> None:
    manifest = (HERE / "sick" / "adapter.toml").read_text().replace("[card]", f"[card]\ncounts = {counts}")
    (tmp_path / "adapter.toml").write_text(manifest.replace("sick_server.py", str(HERE / "sick" / "sick_server.py")))
    monkeypatch.setenv("CALLBENCH_ADAPTERS", str(tmp_path))
    monkeypatch.setenv("SICK", "crash 8000")
    (tmp_path / "small.toml").write_text(STUDY)
    callbench("run", "small.toml", "--out", "run", "--no-floors", check=True)
    rows = json.loads(callbench("query", "run", "SELECT how, answered FROM deaths", "--json", check=True).stdout)
    assert rows
    assert {row["how"] for row in rows} == {"crash"}
    assert all(0 < row["answered"] < 8000 for row in rows)
    page = (tmp_path / "run" / "report.html").read_text()
    assert f"died after {rows[-1]['answered']:,} calls" in page
