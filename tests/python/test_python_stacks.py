"""The stacks of Python: against the contract suite, beside native's, by curl, and what becomes of uvicorn's workers."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from callbench.model.errors import AdapterFailure
from conftest import ROOT, eventually
from contract_suite import assert_it_begins_and_ends_as_the_contract_says, assert_it_keeps_the_contract
from left_behind import marked
from ports import free_ports

KNOWN = catalogue.load([ROOT / "adapters" / "python", ROOT / "engine" / "native"])
ADAPTER = KNOWN.adapter("python")
NATIVE, WORKERS = "native/json+http-keepalive", "python/json+uvicorn-workers"
CLIENTS = ["python/json+httpx", "python/json+httpx-async", "python/json+aiohttp"]
MIXED = [*(f"{client}:{NATIVE}" for client in CLIENTS), f"{NATIVE}:{CLIENTS[0]}", f"{NATIVE}:{WORKERS}"]
WHY_NOT = "; ".join(str(adapter.why_not) for adapter in KNOWN.adapters if adapter.why_not)

pytestmark = [pytest.mark.engine, pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)]

SUM = {"jsonrpc": "2.0", "method": "Sum", "params": {"a": 2**31 - 1, "b": 1}, "id": "x"}


def test_it_begins_and_ends_as_the_contract_says() -> None:
    assert_it_begins_and_ends_as_the_contract_says(ADAPTER)


@pytest.mark.slow
@pytest.mark.parametrize("stack", [*CLIENTS, *MIXED])
@pytest.mark.usefixtures("nothing_left")
def test_it_keeps_the_contract(stack: str) -> None:
    outcomes = assert_it_keeps_the_contract(KNOWN, stack)
    assert all("nan" in its or "infinity" in its or "edges" in its or "surrogate" in its for its in lacked(outcomes))


def lacked(outcomes: list[Any]) -> set[str]:
    """What of the suite it is known to fail."""
    return {outcome.check for outcome in outcomes if not outcome.passed and not outcome.not_applicable}


@pytest.fixture(params=["python/json+httpx", WORKERS])
def served(request: pytest.FixtureRequest, nothing_left: None) -> Iterator[tuple[Adapter, str]]:  # noqa: ARG001 - looks last
    with Adapter(ADAPTER.manifest, "the server") as server:
        yield server, server.serve(request.param)


def curl(*arguments: str) -> tuple[int, str]:
    """Status and body."""
    program = shutil.which("curl")
    if program is None:
        pytest.skip("curl is not installed")
    said = subprocess.run(
        [program, "--silent", "--write-out", "\n%{http_code}", *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    body, _, status = said.stdout.rpartition("\n")
    return int(status), body


def posted(endpoint: str, body: object) -> dict[str, Any]:
    """What an independent client is answered."""
    text = body if isinstance(body, str) else json.dumps(body)
    status, answer = curl("--header", "Content-Type: application/json", "--data-binary", text, endpoint)
    assert status == 200
    return dict(json.loads(answer))


def test_curl_is_answered_as_the_protocol_has_it(served: tuple[Adapter, str]) -> None:
    server, endpoint = served
    assert posted(endpoint, SUM) == {"jsonrpc": "2.0", "result": -(2**31), "id": "x"}
    assert posted(endpoint, SUM | {"method": "GetPersons", "params": {"n": 1}})["result"] == [
        {"ID": 0, "FirstName": "Aaron", "LastName": "Arnold"}
    ]
    refused = posted(endpoint, SUM | {"method": "GetPersons", "params": {"n": -1}})["error"]
    assert refused == {"code": -32000, "message": "n is -1: it must be from 0 to 1000000"}
    counted = server.counted()
    assert counted["calls"] == {"Sum": 1, "GetPersons": 2}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("{", -32700),
        ("[]", -32600),
        (SUM | {"jsonrpc": "1.0"}, -32600),
        (SUM | {"method": 7}, -32600),
        (SUM | {"method": "Fly"}, -32601),
        (SUM | {"params": {"a": 1}}, -32602),
        (SUM | {"params": {"a": 1, "b": "two"}}, -32602),
        (SUM | {"method": "SendByteArray", "params": {"value": "?"}}, -32602),
    ],
)
def test_a_bad_request_is_one_sentence_with_its_code(served: tuple[Adapter, str], body: object, code: int) -> None:
    error = posted(served[1], body)["error"]
    assert error["code"] == code
    assert error["message"]


def test_it_is_served_at_one_path_by_post(served: tuple[Adapter, str]) -> None:
    endpoint = served[1]
    assert curl(endpoint)[0] == 405
    assert curl("--data", "{}", f"{endpoint}/elsewhere")[0] == 404


@pytest.mark.parametrize("stack", CLIENTS)
@pytest.mark.usefixtures("nothing_left")
def test_a_server_that_is_not_there_is_reported_and_the_client_continues(stack: str) -> None:
    free = free_ports()
    with Adapter(ADAPTER.manifest, "the client") as client, Adapter(ADAPTER.manifest, "the server") as server:
        with pytest.raises(AdapterFailure) as caught:
            client.connect(stack, f"http://127.0.0.1:{free}/json", 2)
        assert caught.value.kind == "refused"
        client.connect(stack, server.serve(stack), 2)
        assert client.call("Sum", {"a": 1, "b": 2})["value"] == 3


@pytest.mark.parametrize("stack", CLIENTS)
@pytest.mark.usefixtures("nothing_left")
def test_every_client_has_a_connection_before_the_first_call(stack: str) -> None:
    with Adapter(ADAPTER.manifest, "the client") as client, Adapter(ADAPTER.manifest, "the server") as server:
        endpoint = server.serve(stack)
        client.connect(stack, endpoint, 30)
        port = int(endpoint.rpartition(":")[2].partition("/")[0])
        # Only what is open: the kernel keeps the connections of an earlier server at this port for a minute.
        open_ones = [its for its in psutil.net_connections("tcp") if its.status == psutil.CONN_ESTABLISHED]
        assert len([its for its in open_ones if its.raddr and its.raddr.port == port]) == 30
        done = client.drive("Sum", {"a": 1, "b": 2}, calls=300, seconds=0)
        assert (done["calls"], done["errors"]) == (300, {})


def workers_of(mark: str) -> set[int]:
    """The processes of uvicorn's workers: those that a runner started."""
    programs = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in marked(mark)}
    runners = {pid for pid, its in programs.items() if b"callbench_python" in its}
    return {pid for pid in runners if parent(pid) in runners}


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.usefixtures("nothing_left")
def test_a_worker_that_dies_is_replaced(mark: str) -> None:
    with Adapter(ADAPTER.manifest, "the server") as server:
        endpoint = server.serve(WORKERS)
        workers = workers_of(mark)
        assert len(workers) >= 2
        os.kill(min(workers), signal.SIGKILL)
        assert eventually(lambda: len(workers_of(mark) - workers) == 1)
        assert posted(endpoint, SUM)["result"] == -(2**31)


def test_traces_are_played_as_both_kinds_of_clients() -> None:
    seen = subprocess.run(
        [ROOT / "adapters" / "python" / "target" / "venv" / "bin" / "python", "-c", BOTH],
        env={**os.environ, "PYTHONPATH": str(ROOT / "adapters" / "python")},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert seen.stdout.split() == ["False", "True"]


# Notes of what kind each client is that plays a trace.
BOTH = """
from callbench_python import trace
kinds = []
class Noted(trace.LoopTask):
    async def run(self):
        kinds.append(self.awaits)
        await super().run()
trace.LoopTask = Noted
plan = dict(place=0, clients=1, start=0, length_ns=0, limit_ns=10, calls=1, think_ns=0, ramp_up_ns=0, gaps=None)
plan |= dict(timing="each", burn_ns=0, reading_ns=1, spin_ns=0)
script = dict(clock_start_ns=0, reading_takes_ns=1, oversleeps_ns=0, calls=[dict(takes_ns=1, answer="right")])
trace.traced(plan, script)
print(*kinds)
"""
