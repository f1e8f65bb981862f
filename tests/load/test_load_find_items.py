"""FindItems by HTTP/2: a request with a body, to a server by Node's http2 that knows no contract."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Finished = subprocess.CompletedProcess[str]
Run = Callable[..., Finished]

SERVER = Path(__file__).parent / "find_items_h2.mjs"
STUDY = """
title = "Items by HTTP/2"
[load]
calls = 60
seconds = 0.1
forks = 1
rounds = 2
minutes = 0.01
[servers.items]
start = ["node", "{server}", "{{port}}", "{{host}}"]
message = "json"
[servers.items.request]
protocol = "h2"
call = "FindItems"
method = "POST"
path = "/items/{{n}}.json"
body = "{body}"
streams = 4
[[cells]]
for_each = {{ n = [0, 50] }}
group = "items-{{n}}"
stacks = ["load/h2:servers/items"]
call = "FindItems"
arguments = {{ n = "{{n}}" }}
clients = [8]
"""
QUERY = "<query><entriesPerPage>{n}</entriesPerPage></query>"


def study(tmp_path: Path, body: str) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not there: make node")
    (tmp_path / "s.toml").write_text(STUDY.format(server=SERVER, body=body))


def sent_each(run: Path) -> list[float]:
    """Return the bytes that each drive sent a call, by its journal."""
    rounds = map(json.loads, (run / "journal.jsonl").read_text().splitlines())
    dones = [each["done"] for line in rounds for each in line.get("slices", ()) if "done" in each]
    assert dones
    return [int(done["sent_bytes"]) / done["calls"] for done in dones if done["calls"]]


@pytest.mark.usefixtures("nothing_left")
def test_find_items_with_a_body_is_verified_and_measured_over_http2(callbench: Run, tmp_path: Path) -> None:
    study(tmp_path, QUERY)
    rows = json.loads(callbench("verify", "load/h2:servers/items", "--study", "s.toml", "--json").stdout)["checks"]
    assert [row for row in rows if row["fails"]] == []
    assert {"FindItems", "drive"} <= {row["check"].partition("/")[0] for row in rows if not row["not_applicable"]}
    callbench("run", "s.toml", "--out", "r", "--no-baselines", check=True)
    sql = """SELECT "group", bool_and(trials.calls > 0) AS called, sum(error_count) AS error_count,
             sum(received_bytes) / sum(trials.calls) AS each, (SELECT max(connections) FROM starts) AS connections
             FROM trials JOIN cells USING (cell) GROUP BY 1 ORDER BY 1"""
    none, fifty = json.loads(callbench("query", "r", sql, "--json", check=True).stdout)
    # Eight clients, four streams a connection.
    assert all((one["called"], one["error_count"], one["connections"]) == (True, 0, 2) for one in (none, fifty))
    assert none["each"] < 1_000
    assert 58_000 < fifty["each"] < 60_000
    # A request has a frame of headers, by HPACK, and one of its body.
    assert all(9 < sent < 400 for sent in sent_each(tmp_path / "r"))


@pytest.mark.usefixtures("nothing_left")
def test_a_body_that_asks_for_something_else_leaves_the_row_out(callbench: Run, tmp_path: Path) -> None:
    study(tmp_path, QUERY.replace("{n}", "{n}0"))
    callbench("run", "s.toml", "--out", "r", "--no-baselines", "--select", "group=items-50")
    left_out = json.loads(callbench("query", "r", "SELECT why FROM excluded", "--json", check=True).stdout)
    assert left_out
    assert all("400" in row["why"] for row in left_out)
