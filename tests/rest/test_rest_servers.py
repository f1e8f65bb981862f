"""The REST servers: their half of the contract, what an independent client is answered, that nothing outlives them."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from callbench.adapter.contract import schema_error_in_answer
from callbench.adapter.process import AdapterProcess
from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from callbench.model.process_tree import parent_of
from conftest import ROOT, eventually
from left_behind import marked

Run = Callable[..., subprocess.CompletedProcess[str]]

TRANSCRIPTS = sorted((ROOT / "contract" / "golden" / "transcripts" / "servers").glob("*.jsonl"))
# As the DataSnap article's public repository has them: path and answer of its Node server, and of mORMot's.
PATHS = {"node/http": "/", "node/http-cluster": "/"}
OTHER_PATH = "/service/helloworld"
ANSWER = b'{"result":["Hello World!"]}'
STACKS = ["node/http", "node/http-cluster", "go/nethttp", "rust/hyper", "python/uvicorn"]

# Start a server under its supervisor, print its address, and wait to be killed.
HOLDER = """
import sys
from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
adapter = Adapter(catalogue.load().adapter(sys.argv[1].partition("/")[0]).manifest, "the server").read_hello()
print(adapter.serve(sys.argv[1]), flush=True)
sys.stdin.read()
"""


def adapter_of(stack: str) -> catalogue.KnownAdapter:
    found = catalogue.load([ROOT / "adapters" / stack.partition("/")[0]]).adapter(stack.partition("/")[0])
    if found.why_not:
        pytest.skip(found.why_not)
    return found


@pytest.fixture(params=STACKS)
def stack(request: pytest.FixtureRequest) -> str:
    adapter_of(request.param)
    return str(request.param)


@pytest.fixture
def running(stack: str, nothing_left: None) -> Iterator[Adapter]:  # noqa: ARG001 - is made first, so looks last
    with Adapter(adapter_of(stack).manifest, "the server") as one:
        yield one


def ask(endpoint: str, path: str | None = None, method: str = "GET", times: int = 1) -> list[tuple[int, bytes]]:
    """Asks so often over one connection, by Python's own client; gives status and body of each answer."""
    where = urlsplit(endpoint)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)
    answers = []
    try:
        for _ in range(times):
            connection.request(method, path or where.path)
            answer = connection.getresponse()
            answers.append((answer.status, answer.read()))
            assert answer.status != 200 or answer.headers["Content-Type"] == "application/json"
    finally:
        connection.close()
    return answers


WILD: dict[str, Callable[[Any], bool]] = {
    "<text>": lambda value: isinstance(value, str) and value != "",
    "<decimal>": lambda value: isinstance(value, str) and value.isdecimal(),
}


def fits(pattern: Any, value: Any) -> bool:
    if isinstance(pattern, str) and pattern in WILD:
        return WILD[pattern](value)
    if isinstance(pattern, dict) and pattern:
        return isinstance(value, dict) and all(key in value and fits(each, value[key]) for key, each in pattern.items())
    return bool(pattern == value)


@pytest.mark.parametrize("file", TRANSCRIPTS, ids=lambda file: file.stem)
def test_its_half_of_the_contract_is_held(file: Path, stack: str, running: Adapter) -> None:
    endpoint = ""
    for line in map(json.loads, file.read_text().splitlines()):
        if "core" in line:
            asked = {key: stack if value == "$stack" else value for key, value in line["core"].items()}
            running.process.send(asked, 5)
        elif "garbage" in line:
            assert isinstance(running.process, AdapterProcess)
            os.write(running.process._stdin, line["garbage"].encode() + b"\n")
        elif "asks" in line:
            assert ask(endpoint, times=line["asks"]) == [(200, ANSWER)] * line["asks"]
        else:
            answer = running.process.receive(time.monotonic() + 60, "an answer")
            assert fits(line["adapter"], answer), f"{answer} does not fit {line['adapter']}"
            assert schema_error_in_answer(answer) is None
            endpoint = answer.get("endpoint", endpoint)
    assert running.process.wait(30) == 0


def test_an_independent_client_is_given_the_published_answer_and_nothing_elsewhere(
    stack: str, running: Adapter
) -> None:
    endpoint = running.serve(stack)
    assert urlsplit(endpoint).path == PATHS.get(stack, OTHER_PATH)
    assert ask(endpoint, times=3) == [(200, ANSWER)] * 3
    assert ask(endpoint, path="/elsewhere")[0][0] == 404
    assert ask(endpoint, method="POST")[0][0] == 405
    assert running.counted()["calls"] == {"Hello": 3}


def test_it_burns_as_much_processor_time_as_requested_and_reports_it(stack: str, running: Adapter) -> None:
    endpoint = running.serve(stack, options={"burn_us": 20_000})
    before = running.counted()["processor"]
    ask(endpoint, times=10)
    after = running.counted()["processor"]
    used_ns = sum(int(after[part]) - int(before[part]) for part in ("user_ns", "system_ns"))
    # The requested time is by the clock; on a busy machine it has the processor for a part of it.
    assert used_ns > 0.02e9


@pytest.mark.usefixtures("nothing_left")
def test_the_suite_passes_over_the_load_driver(stack: str, callbench: Run) -> None:
    seen = callbench("verify", f"load/http1:{stack}", "--json")
    rows = json.loads(seen.stdout)["checks"]
    assert (seen.returncode, [row for row in rows if row["fails"]]) == (0, [])
    asked = {row["check"] for row in rows if not row["not_applicable"]}
    assert {"Hello", "counts", "delay", "burn", "stall", "timeout", "lost/cut", "lost/killed"} <= asked


@pytest.mark.usefixtures("nothing_left")
def test_nothing_is_left_where_the_core_is_killed(stack: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, stack], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as core:
        assert core.stdout is not None
        endpoint = core.stdout.readline().strip()
        assert ask(endpoint) == [(200, ANSWER)]
        core.kill()


@pytest.fixture
def bare() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The cluster without a supervisor, serving, and its address."""
    with subprocess.Popen(
        adapter_of("node/http-cluster").manifest.program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as one:
        assert one.stdin is not None
        assert one.stdout is not None
        one.stdout.readline()
        print(
            json.dumps({"do": "serve", "id": 1, "stack": "node/http-cluster", "host": "127.0.0.1", "port": 0}),
            file=one.stdin,
            flush=True,
        )
        yield one, json.loads(one.stdout.readline())["endpoint"]
        one.kill()


def workers_of(mark: str, host: int) -> set[int]:
    """All but the host and the runner, its child."""
    return {pid for pid in marked(mark) if pid != host and parent_of(pid) != host}


@pytest.mark.usefixtures("nothing_left")
def test_the_workers_of_a_cluster_go_with_their_first_process(mark: str, bare: tuple[Any, str]) -> None:
    first, endpoint = bare
    assert ask(endpoint) == [(200, ANSWER)]
    workers = workers_of(mark, first.pid)
    assert len(workers) >= 2
    first.kill()
    assert eventually(lambda: not marked(mark))


@pytest.mark.usefixtures("nothing_left")
def test_a_worker_of_a_cluster_that_dies_is_replaced(mark: str, bare: tuple[Any, str]) -> None:
    first, endpoint = bare
    workers = workers_of(mark, first.pid)
    assert len(workers) >= 2
    os.kill(min(workers), signal.SIGKILL)
    assert eventually(lambda: len(workers_of(mark, first.pid) - workers) == 1)
    assert ask(endpoint, times=2) == [(200, ANSWER)] * 2


@pytest.mark.usefixtures("nothing_left")
def test_a_port_that_is_taken_is_one_sentence_and_the_adapter_continues(stack: str, running: Adapter) -> None:
    endpoint = running.serve(stack)
    taken = urlsplit(endpoint).port or 0
    with Adapter(adapter_of(stack).manifest, "the other server") as other:
        with pytest.raises(Exception, match=r"(?i)in use|EADDRINUSE"):
            other.serve(stack, port=taken)
        assert ask(other.serve(stack)) == [(200, ANSWER)]


def test_callbench_lists_them(callbench: Run) -> None:
    rows = json.loads(callbench("list", "stacks", "--json", check=True).stdout)
    assert {f"load/http1:{stack}" for stack in STACKS} <= {row["id"] for row in rows}
