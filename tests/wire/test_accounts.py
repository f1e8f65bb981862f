"""Accounts and sweeps of native stacks over two hosts, from a study to the report; only what is exact is asserted."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from callbench.adapter.network.creation import why_not
from callbench.analysis.cells.read_results import read
from callbench.analysis.cells.results import Results
from callbench.catalog.links.profile import BARE
from callbench.store.record import Record

pytestmark = pytest.mark.engine
Callbench = Callable[..., subprocess.CompletedProcess[str]]

STUDY = """
title = "Wire"
[parameters]
price_per_gigabyte = 2.0
[load]
calls = 5
seconds = 0.01
forks = 2
rounds = 2
minutes = 0.01
[[cells]]
group = "Sum"
stacks = ["native/bin+http-keepalive", "native/json+http", "native/bin+unix"]
optional = ["nowhere/*"]
call = "Sum"
arguments = { a = 1, b = 2 }
ledger = true
[[cells]]
group = "types"
stacks = ["native/bin+http-keepalive"]
call = "Send"
arguments = { content = "fixed" }
sweep = { over = "type", values = ["boolean", "int", "double"], title = "primitives" }
[[cells]]
group = "bytes"
stacks = ["native/bin+supertcp"]
call = "Send"
arguments = { type = "byte[]", content = "fixed" }
options = { acknowledge = false }
sweep = { over = "count", range = [0, 40000, 500], fine = 6 }
[[claims]]
id = "first"
text = "The first call sends as many bytes as a later one."
statistic = "first_bytes"
[[claims.compare]]
over = [{ group = "Sum", stack = "native/bin+http-keepalive" }]
under = [{ group = "Sum", stack = "native/bin+http-keepalive" }]
under_statistic = "stream_bytes"
between = [0.99, 1.01]
label = "first over steady"
[[claims]]
id = "shorter"
text = "JSON is shorter."
statistic = "stream_bytes"
[[claims.compare]]
over = [{ group = "Sum", stack = "native/json+http" }]
under = [{ group = "Sum", stack = "native/bin+http-keepalive" }]
below = 0.1
label = "json over bin"
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of the study."""
    why = why_not(BARE.wire)
    if why:
        pytest.skip(f"no two hosts here: {why}")
    folder = tmp_path_factory.mktemp("wire")
    (folder / "wire.toml").write_text(STUDY)
    words = [sys.executable, "-m", "callbench", "run", "wire.toml", "--out", "out", "--pcap", "--no-baselines"]
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=170, check=False)
    assert ended.returncode == 0, ended.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def results(run: Path) -> Results:
    """What it found."""
    return read(Record(run))


def test_phases_add_up_to_a_life(results: Results) -> None:
    by_stack = {
        cell.attributes["stack"]: results.ledgers[cell.id] for cell in results.cells if cell.id in results.ledgers
    }
    kept = by_stack["native/bin+http-keepalive"]
    data = {name: [row["payload"] for row in rows] for name, rows in kept.phases.items()}
    assert data["first call"] == data["steady call"]
    parts = zip(data["set-up"], data["first call"], data["tear-down"], strict=True)
    assert [sum(part) for part in parts] == data["life"]
    assert (kept.request_payload, kept.answer_payload, kept.exact) == (8, 4, True)
    assert [row["turns"] for row in kept.phases["steady call"]] == [1, 1]
    assert kept.phases["life"][0]["connections"] == 1
    # A connection a call: each steady call sets one up and tears it down.
    assert by_stack["native/json+http"].phases["steady call"][0]["connections"] == 1
    assert not by_stack["native/bin+unix"].phases


def test_sweep_knows_every_size_and_its_steps(results: Results) -> None:
    sweep = next(one for one in results.sweeps.values() if one.over == "count")
    assert sweep.swept is not None
    assert sweep.swept.exact
    assert sweep.reused
    assert (sweep.swept.rhythm.steps, sweep.swept.rhythm.rise, sweep.item, sweep.per_item) == (1, 500, 1, 1)
    assert not sweep.swept.jumps
    assert len(sweep.counts) < 30
    assert [count - sweep.fine[0] for count in sweep.fine.values()] == list(range(7))
    types = next(one for one in results.sweeps.values() if one.over == "type")
    assert types.payloads == {"boolean": 1, "int": 4, "double": 8}
    assert types.swept is None


def test_report_and_claims(run: Path, callbench: Callbench, tmp_path: Path) -> None:
    callbench("report", run, "--format", "json", "--out", tmp_path / "r.json", check=True)
    found = json.loads((tmp_path / "r.json").read_text())
    assert {claim["id"]: claim["verdict"] for claim in found["claims"]} == {
        "first": "holds",
        "shorter": "does not hold",
    }
    sections = {section["id"]: section for section in found["sections"]}
    assert sections["wire"]["sheets"][0]["columns"][-1] == "cost of a million calls"
    assert sections["overhead"]["sheets"][0]["title"] == "Bytes of a life: primitives"
    shown: dict[str, Any] = json.loads(callbench("show", run, "--json", check=True).stdout)
    wire = {cell["stack"]: cell["wire"] for cell in shown["cells"] if cell["group"] == "Sum"}
    assert wire["native/bin+unix"] is None
    assert wire["native/bin+http-keepalive"]["exact"]
    asked = callbench("query", run, "SELECT sum(payload) AS n FROM wire WHERE phase = 'life'", "--json", check=True)
    assert json.loads(asked.stdout)[0]["n"] > 0


def test_a_dissector_agrees(run: Path) -> None:
    """What tshark sums up in each kept capture is what the ledger counted, all phases together."""
    tshark = shutil.which("tshark")
    if tshark is None:
        pytest.skip("tshark is not installed: setup/system tshark")
    netlab = Path(__file__).parents[2] / "engine/target/release/callbench-netlab"
    captures = sorted((run / "captures").iterdir())
    assert len(captures) == 2
    for capture in captures:
        asked = [tshark, "-r", str(capture), "-Y", "tcp", "-T", "fields", "-e", "tcp.len", "-e", "ip.len"]
        lines = subprocess.run(asked, capture_output=True, text=True, timeout=120, check=True).stdout.splitlines()
        sums = [sum(int(line.split("\t")[place]) for line in lines) for place in (0, 1)]
        said = subprocess.run([netlab, "account", capture, "--json"], capture_output=True, timeout=60, check=True)
        phases = json.loads(said.stdout)["phases"]
        sides = [phase[way] for phase in phases for way in ("to_server", "to_client")]
        stream = sum(side["payload"] + side["retransmitted"] for side in sides)
        assert stream == sums[0] > 0
        assert stream + sum(side["ip"] + side["tcp"] for side in sides) == sums[1]


def test_exchange_shows_the_life_whole(run: Path, results: Results, callbench: Callbench) -> None:
    """The bytes of the packets shown are those that the ledger counted of a fresh client's life."""
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed: setup/system tshark")
    shown = callbench("exchange", run, check=True).stdout
    told = {part.partition(",")[0]: part for part in shown.split("\n\nnative/") if part.strip()}
    assert len(told) == 2
    for cell, ledger in results.ledgers.items():
        stack = next(one.attributes["stack"] for one in results.cells if one.id == cell)
        if ledger.phases:
            text = next(part for name, part in told.items() if name in stack)
            sizes = re.findall(r"(?:->|<-) server  (\d+) bytes", text)
            assert sum(map(int, sizes)) == ledger.statistics()["life_bytes"]
    json_text = callbench("exchange", run, "native/json+http", check=True).stdout
    assert "POST /" in json_text
    assert '"b":2' in json_text
    assert "SYN, ACK" in json_text
    for exchange in json.loads(callbench("exchange", run, "--json", check=True).stdout):
        assert (exchange["call"], exchange["arguments"]) == ("Sum", {"a": 1, "b": 2})
        packets = exchange["packets"]
        assert packets[0]["at_ms"] == 0
        assert packets[0]["flags"] == ["SYN"]
        assert {packet["direction"] for packet in packets} == {"to_server", "to_client"}
        assert all(len(bytes.fromhex(packet["data_hex"])) == packet["bytes"] for packet in packets)


def test_exchange_says_what_is_missing(run: Path, callbench: Callbench) -> None:
    asked = callbench("exchange", run, "native/bin+unix")
    assert asked.returncode == 2
    assert "has counted no call of native/bin+unix" in asked.stderr
    kept = run / "captures"
    kept.rename(run / "elsewhere")
    try:
        asked = callbench("exchange", run, "native/json+http")
    finally:
        (run / "elsewhere").rename(kept)
    assert asked.returncode == 2
    assert "run the study with --pcap" in asked.stderr
