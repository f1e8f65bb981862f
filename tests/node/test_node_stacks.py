"""JSON over HTTP on Node.js: against the suite, with native's, by curl, in a study; and the kit replays the traces."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from conftest import ROOT
from contract_suite import assert_it_begins_and_ends_as_the_contract_says, assert_it_keeps_the_contract

ADAPTERS = [ROOT / "adapters" / "node", ROOT / "engine" / "native"]
ADAPTER = catalogue.load(ADAPTERS).adapter("node")
STACKS = [stack.id for stack in ADAPTER.stacks if stack.card["roles"] == "both" and not stack.own_only]
NATIVE = "native/json+http-keepalive"
MIXED = [
    f"{NATIVE}:node/json+http",
    f"{NATIVE}:node/json+http-cluster",
    f"node/json+http:{NATIVE}",
    f"node/json+fetch:{NATIVE}",
]
MESSAGES = ROOT / "contract" / "golden" / "messages" / "json"
Run = Callable[..., subprocess.CompletedProcess[str]]

STUDY = """
title = "JSON over HTTP"
about = "Clients and servers of two languages."
[load]
clients = [1, 4]
calls = 50
seconds = 0.05
forks = 2
rounds = 2
minutes = 0.01
[[cells]]
group = "GetPersons"
stacks = ["node/json+http", "node/json+fetch", "native/json+http-keepalive:node/json+http"]
call = "GetPersons"
arguments = { n = 10 }
"""

pytestmark = [
    pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not)),
    pytest.mark.usefixtures("nothing_left"),
]


@pytest.fixture(params=["node/json+http", "node/json+http-cluster"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    """Where a server of the stack answers."""
    with Adapter(ADAPTER.manifest, "the server") as server:
        yield server.serve(request.param)


@pytest.fixture
def curl(url: str) -> Callable[..., tuple[int, str]]:
    """Asks the server by curl: status and body."""
    if not shutil.which("curl"):
        pytest.skip("curl is not installed")

    def asked(*options: str, path: str = "") -> tuple[int, str]:
        argv = ["curl", "--silent", "--max-time", "60", "--write-out", "\n%{http_code}", *options, url + path]
        body, _, status = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.rpartition("\n")
        return int(status), body

    return asked


@pytest.mark.slow
@pytest.mark.parametrize("stack", [*STACKS, *MIXED])
def test_it_keeps_the_contract(stack: str) -> None:
    assert_it_keeps_the_contract(catalogue.load(ADAPTERS), stack)


def test_it_begins_and_ends_as_the_contract_says() -> None:
    assert_it_begins_and_ends_as_the_contract_says(ADAPTER)


@pytest.mark.parametrize("name", [file.stem for file in sorted(MESSAGES.glob("*.request"))])
def test_curl_is_answered_as_by_native(name: str, curl: Callable[..., tuple[int, str]]) -> None:
    status, body = curl("--data-binary", f"@{MESSAGES / name}.request")
    answer: Any = json.loads(body)
    assert status == 200
    if name == "binary":
        # The service's answer to that request, if the golden file has longer values.
        assert answer == {"jsonrpc": "2.0", "result": "AAAAAA==", "id": 1}
    else:
        assert answer == json.loads((MESSAGES / f"{name}.answer").read_text())


def test_curl_shows_what_is_wrong(curl: Callable[..., tuple[int, str]]) -> None:
    assert curl("--data", "{}", path="/elsewhere")[0] == 404
    status, head = curl("--include")
    assert status == 405
    assert "allow: post" in head.lower()
    for request, code in (("{", -32700), ("[]", -32600), ('{"jsonrpc":"2.0","method":"Fly","id":3}', -32601)):
        status, body = curl("--data", request)
        assert (status, json.loads(body)["error"]["code"]) == (200, code)


def test_the_runner_replays_the_golden_traces() -> None:
    replay = ROOT / "tests" / "traces" / "replay.py"
    runner = ROOT / "adapters" / "node" / "target" / "callbench-node"
    played = subprocess.run([sys.executable, replay, runner], capture_output=True, text=True, timeout=100, check=False)
    assert [line for line in played.stdout.splitlines() if not line.endswith("as it should be")] == []
    assert played.returncode == 0


def test_a_small_study_runs_with_it(tmp_path: Path, callbench: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALLBENCH_ADAPTERS", os.pathsep.join(map(str, ADAPTERS)))
    study = tmp_path / "json.toml"
    study.write_text(STUDY)
    callbench("run", study, "--out", tmp_path / "run", "--warm-up", "none", check=True)
    shown = json.loads(callbench("show", tmp_path / "run", "--json", check=True).stdout)
    assert len(shown["cells"]) == 6
