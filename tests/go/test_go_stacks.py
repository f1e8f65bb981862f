"""The Go stacks against the contract suite, against native's, and called by curl."""

import json
import shutil
import subprocess
from typing import Any

import pytest

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from callbench.model.errors import AdapterFailure
from conftest import ROOT
from contract_suite import assert_it_begins_and_ends_as_the_contract_says, assert_it_keeps_the_contract

FOLDERS = [ROOT / "adapters" / "go", ROOT / "engine" / "native"]
STACK = "go/json+nethttp"
NATIVE = "native/json+http-keepalive"
ADAPTER = catalogue.load([FOLDERS[0]]).adapter("go")

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not)),
]


@pytest.mark.parametrize("stack", [STACK, f"{STACK}:{NATIVE}", f"{NATIVE}:{STACK}"])
def test_it_keeps_the_contract(stack: str) -> None:
    assert_it_keeps_the_contract(catalogue.load(FOLDERS), stack)


def test_it_begins_and_ends_as_the_contract_says() -> None:
    assert_it_begins_and_ends_as_the_contract_says(ADAPTER)


def posted(endpoint: str, body: str) -> dict[str, Any]:
    """Return the answer to curl."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    argv = ["curl", "-sS", "-H", "Content-Type: application/json", "-d", body, endpoint]
    said: dict[str, Any] = json.loads(subprocess.run(argv, capture_output=True, check=True, timeout=60).stdout)
    return said


def test_curl_is_answered_as_json_rpc_has_it(server: Adapter) -> None:
    endpoint = server.serve(STACK)
    sum_of = '{"jsonrpc": "2.0", "method": "Sum", "params": {"a": 2147483647, "b": 1}, "id": "mine"}'
    assert posted(endpoint, sum_of) == {"jsonrpc": "2.0", "result": -(2**31), "id": "mine"}
    assert posted(endpoint, '{"jsonrpc": "2.0", "method": "Empty"}') == {"jsonrpc": "2.0", "result": None, "id": None}
    for _ in range(2):
        persons = posted(endpoint, '{"jsonrpc": "2.0", "method": "GetPersons", "params": {"n": 2}, "id": 1}')["result"]
        assert persons == [
            {"ID": 0, "FirstName": "Aaron", "LastName": "Arnold"},
            {"ID": 1, "FirstName": "Abigail", "LastName": "Brown"},
        ]
    assert server.counted()["calls"] == {"Sum": 1, "Empty": 1, "GetPersons": 2}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("{", -32700),
        ("[]", -32600),
        ('{"method": "Empty"}', -32600),
        ('{"jsonrpc": "2.0", "method": "Fly"}', -32601),
        ('{"jsonrpc": "2.0", "method": "Sum", "params": {"a": "one"}}', -32602),
        ('{"jsonrpc": "2.0", "method": "Sum", "params": {"a": 2147483648}}', -32602),
        ('{"jsonrpc": "2.0", "method": "GetPersons", "params": {"n": -1}}', -32000),
    ],
)
def test_curl_shows_what_is_wrong(server: Adapter, body: str, code: int) -> None:
    endpoint = server.serve(STACK)
    said = posted(endpoint, body)
    assert set(said) == {"jsonrpc", "error", "id"}
    assert said["error"]["code"] == code
    if code == -32000:
        assert said["error"]["message"] == "n is -1: it must be from 0 to 1000000"
    assert posted(endpoint, '{"jsonrpc": "2.0", "method": "Hello"}')["result"] == "Hello World"


def test_its_answers_are_those_of_the_golden_messages(server: Adapter) -> None:
    endpoint = server.serve(STACK)
    golden = ROOT / "contract" / "golden" / "messages" / "json"
    # The bytes of the binary one stand for any.
    requests = sorted(file for file in golden.glob("*.request") if file.stem != "binary")
    assert requests
    for request in requests:
        answer = json.loads(request.with_suffix(".answer").read_text())
        assert posted(endpoint, request.read_text()) == answer, request.stem


@pytest.mark.parametrize(
    ("endpoint", "kind"),
    [("the moon", "refused"), ("http://127.0.0.1/json", "refused"), ("http://127.0.0.1:1/json", "refused")],
)
def test_an_endpoint_that_is_none_is_reported(client: Adapter, endpoint: str, kind: str) -> None:
    with pytest.raises(AdapterFailure) as caught:
        client.connect(STACK, endpoint, 1)
    assert caught.value.kind == kind


def test_a_client_of_a_server_only_is_refused(server: Adapter, client: Adapter) -> None:
    endpoint = server.serve("go/nethttp")
    with pytest.raises(AdapterFailure, match="server only") as caught:
        client.connect("go/nethttp", endpoint, 1)
    assert caught.value.kind == "unsupported"


def test_what_is_no_answer_is_an_error_of_the_protocol(server: Adapter, client: Adapter) -> None:
    endpoint = server.serve("go/nethttp")
    client.connect(STACK, endpoint, 1)
    with pytest.raises(AdapterFailure, match="405") as caught:
        client.call("Hello", {})
    assert caught.value.kind == "protocol"
