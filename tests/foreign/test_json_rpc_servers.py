"""JSON-RPC over HTTP in every language: its server answers Python's own HTTP client and the native client."""

import json
import urllib.request
from typing import Any

import pytest

from callbench.adapter.session import Adapter as Running
from callbench.catalog import catalogue
from callbench.catalog.catalogue import KnownAdapter
from conftest import ROOT
from contract_suite import failing, outcomes_of

NATIVE = "native/json+http-keepalive"
FOLDERS = [ROOT / "engine" / "native", *(ROOT / "adapters" / name for name in ("java", "dotnet"))]
STACKS = ["java/json+http", "dotnet/json+http"]
ADAPTERS = {name: catalogue.load(FOLDERS).adapter(name) for name in ("java", "dotnet")}
# After it is closed, Mono's listener answers connected clients with an empty 200, which is not JSON.
MONO_ENDS_SO = "dotnet/json+http: server-gone: a call after the server had stopped serving failed as 'protocol'"

pytestmark = [pytest.mark.engine, pytest.mark.slow]


def adapter_of(stack: str) -> KnownAdapter:
    """Return the adapter of a stack; skip the test if it cannot run here."""
    adapter = ADAPTERS[stack.partition("/")[0]]
    if adapter.why_not is not None:
        pytest.skip(str(adapter.why_not))
    return adapter


def posted(endpoint: str, body: str) -> Any:
    """Return the answer to a POST."""
    request = urllib.request.Request(endpoint, body.encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


@pytest.mark.parametrize("stack", STACKS)
def test_it_meets_native_on_either_side(stack: str) -> None:
    adapter_of(stack)
    known = catalogue.load(FOLDERS)
    for mixed in (f"{stack}:{NATIVE}", f"{NATIVE}:{stack}"):
        outcomes = outcomes_of(known, mixed)
        assert len(outcomes) > 100
        assert [sentence for sentence in failing(outcomes) if MONO_ENDS_SO not in sentence] == []


@pytest.mark.parametrize("stack", STACKS)
def test_its_answers_are_those_of_the_golden_messages(stack: str) -> None:
    golden = ROOT / "contract" / "golden" / "messages" / "json"
    # The bytes of the binary one stand for any.
    requests = sorted(file for file in golden.glob("*.request") if file.stem != "binary")
    assert requests
    with Running(adapter_of(stack).manifest, "the server") as server:
        endpoint = server.serve(stack)
        for request in requests:
            answer = json.loads(request.with_suffix(".answer").read_text())
            assert posted(endpoint, request.read_text()) == answer, request.stem


@pytest.mark.parametrize("stack", STACKS)
def test_what_is_wrong_is_reported_by_the_codes_of_json_rpc(stack: str) -> None:
    wrong = {
        "{": -32700,
        "[]": -32600,
        '{"method": "Empty"}': -32600,
        '{"jsonrpc": "2.0", "method": "Fly"}': -32601,
        '{"jsonrpc": "2.0", "method": "Sum", "params": {"a": "one"}}': -32602,
        '{"jsonrpc": "2.0", "method": "Sum", "params": {"a": 2147483648, "b": 1}}': -32602,
        '{"jsonrpc": "2.0", "method": "GetPersons", "params": {"n": -1}}': -32000,
    }
    with Running(adapter_of(stack).manifest, "the server") as server:
        endpoint = server.serve(stack)
        said = {body: posted(endpoint, body) for body in wrong}
        assert {body: one["error"]["code"] for body, one in said.items()} == wrong
        assert all(set(one) == {"jsonrpc", "error", "id"} for one in said.values())
        assert posted(endpoint, '{"jsonrpc": "2.0", "method": "Sum", "params": [1, 2]}')["result"] == 3
