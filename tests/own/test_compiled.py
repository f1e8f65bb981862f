"""A service's calls, compiled: checked by the suite, and by other people's libraries over the same wire."""

import http.client
import importlib
import json
import sys
import xmlrpc.client
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from urllib.parse import urlsplit

import msgpack
import pytest
from everything_service import BARE, FULL, SERVICE
from google.protobuf import json_format

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from callbench.catalog.own import folder
from callbench.runner.plan import own_service

# The first test waits for the compiler, which takes long on a busy machine.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]

_STUDY = """
title = "All that a schema can say"
[quick]
calls = 20
seconds = 0.02
forks = 2
rounds = 2
minutes = 0.1
[[cells]]
group = "Everything"
stacks = ["native/*+inproc", "native/protobuf+http", "native/json+unix"]
call = "SendEverything"
[[cells]]
group = "Transpose"
stacks = ["native/bin+unix"]
call = "Transpose"
arguments = { pair = 1 }
clients = [2]
arrivals = "poisson"
rate = 200
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a service with all that a schema can say."""
    place = tmp_path_factory.mktemp("service") / "everything"
    folder.write(place, SERVICE)
    (place / "study.toml").write_text(_STUDY)
    return place


@pytest.fixture(scope="module")
def server(service: Path) -> Iterator[Adapter]:
    """The native adapter with its calls."""
    known = own_service.added(catalogue.load(), service)
    with Adapter(known.adapter("native").manifest, "the server") as running:
        yield running


def _posted(endpoint: str, path: str, kind: str, body: bytes) -> bytes:
    """What a server answers, by Python's own client of HTTP."""
    place = urlsplit(endpoint)
    connection = http.client.HTTPConnection(place.netloc, timeout=10)
    connection.request("POST", f"{place.path.rstrip('/')}/{path}" if path not in place.path else place.path, body, {
        "Content-Type": kind
    })  # fmt: skip
    answer = connection.getresponse()
    assert answer.status == 200
    return answer.read()


@pytest.fixture
def served(server: Adapter) -> Iterator[Callable[[str], str]]:
    """Serves one stack; gives its endpoint."""
    yield server.serve
    server.stop_serving()


def test_the_suite_finds_every_pair_as_the_user_wrote_it(
    service: Path, callbench: Callable[..., CompletedProcess[str]]
) -> None:
    """Over each message; what a message cannot hold is known and said."""
    ended = callbench("verify", service, "--json", timeout=1400)
    assert ended.returncode == 0, ended.stdout
    outcomes = json.loads(ended.stdout)
    told = json.dumps(outcomes)
    assert "SendEverything/pair-2" in told
    assert "Transpose/last-field" in told


def test_a_run_ranks_the_stacks_of_the_service(service: Path, callbench: Callable[..., CompletedProcess[str]]) -> None:
    """With an open loop among its cells, and again from the run folder alone."""
    run = service.parent / "run"
    callbench("run", service, "--quick", "--out", run, check=True, timeout=600)
    shown = callbench("show", run, check=True)
    assert "native/json+unix" in shown.stdout
    assert "Transpose" in shown.stdout


def test_protobuf_itself_reads_what_is_on_the_wire(service: Path, served: Callable[[str], str]) -> None:
    """By the user's schema.proto, with its numbers."""
    protoc = importlib.import_module("grpc_tools.protoc")
    out = service.parent / "python"
    out.mkdir(exist_ok=True)
    package = next(line.split()[1].rstrip(";") for line in _schema(service) if line.startswith("package "))
    (out / "envelope_of_test.proto").write_text(
        'syntax = "proto3"; import "schema.proto";'
        f" message Request {{ uint32 id = 1; oneof call {{ {package}.Everything everything = 100; }} }}"
        f" message Answer {{ uint32 id = 1; oneof answer {{ {package}.Everything everything = 100; }} }}"
    )
    bundled = Path(importlib.import_module("grpc_tools").__file__ or "").parent / "_proto"
    files = ["schema.proto", "envelope_of_test.proto"]
    assert protoc.main(["", f"-I{service}", f"-I{out}", f"-I{bundled}", f"--python_out={out}", *files]) == 0
    sys.path.insert(0, str(out))
    try:
        envelope = importlib.import_module("envelope_of_test_pb2")
    finally:
        sys.path.remove(str(out))
    request = envelope.Request(id=7)
    json_format.ParseDict(_without_names(FULL), request.everything)
    endpoint = served("native/protobuf+http")
    answer = envelope.Answer.FromString(
        _posted(endpoint, "protobuf", "application/x-protobuf", request.SerializeToString())
    )
    assert answer.id == 7
    # The bare one is the answer to the full one.
    assert not answer.everything.text
    assert answer.HasField("everything")
    json_format.ParseDict(_without_names(BARE), request.everything)
    bare = envelope.Request(id=8)
    json_format.ParseDict(_without_names(BARE), bare.everything)
    answer = envelope.Answer.FromString(
        _posted(endpoint, "protobuf", "application/x-protobuf", bare.SerializeToString())
    )
    right = envelope.Answer(id=8)
    json_format.ParseDict(_without_names(FULL), right.everything)
    assert answer == right


def _schema(service: Path) -> list[str]:
    return (service / "schema.proto").read_text().splitlines()


def _without_names(value: Any) -> Any:
    """Enumerations by their numbers: in JSON they have names that protobuf's own identifiers cannot be."""
    numbers = {"none": 0, "deep red": 5, "GREEN": -1}
    if not isinstance(value, dict):
        return value
    changed = dict(value)
    for key in ("color", "maybeColor"):
        if key in changed:
            changed[key] = numbers[changed[key]]
    changed["colors"] = [numbers[one] for one in value.get("colors", [])]
    changed["colorOf"] = {key: numbers[one] for key, one in value.get("colorOf", {}).items()}
    return {key: one for key, one in changed.items() if one is not None or key == "anything"}


def test_any_client_of_json_rpc_gets_the_users_own_json(served: Callable[[str], str]) -> None:
    """Character by character the same values."""
    body = {"jsonrpc": "2.0", "method": "SendEverything", "params": {"request": BARE}, "id": 3}
    said = _posted(served("native/json+http"), "json", "application/json", json.dumps(body).encode())
    assert json.loads(said) == {"jsonrpc": "2.0", "result": FULL, "id": 3}


def test_another_library_reads_messagepack(served: Callable[[str], str]) -> None:
    """With bytes as bytes, and any value as itself."""
    body = msgpack.packb([0, 9, "Transpose", [[[1.5, 2.0], [3.0, 4.0]]]])
    said = msgpack.unpackb(_posted(served("native/msgpack+http"), "msgpack", "application/msgpack", body))
    assert said == [1, 9, None, [[1.5, 3.0], [2.0, 4.0]]]


def test_another_library_reads_xml_rpc(served: Callable[[str], str]) -> None:
    """Python's own."""
    body = xmlrpc.client.dumps(({"type": "oak", "self": 1},), "Grow").encode()
    said = _posted(served("native/xmlrpc+http"), "xmlrpc", "text/xml", body)
    (answer,), _ = xmlrpc.client.loads(said.decode())
    tree: Any = answer
    assert tree["name"] == "root"
    assert tree["leaves"][0]["leaves"][0]["name"] == "three"


def test_a_request_that_is_in_no_pair_is_refused_or_echoed(served: Callable[[str], str]) -> None:
    """Echoed where the call answers with what it is asked."""
    endpoint = served("native/json+http")
    unknown = {"jsonrpc": "2.0", "method": "Grow", "params": {"request": {"type": "elm", "self": 1}}, "id": 1}
    said = json.loads(_posted(endpoint, "json", "application/json", json.dumps(unknown).encode()))
    assert "no pair of Grow" in said["error"]["message"]
    echoed = {"jsonrpc": "2.0", "method": "Transpose", "params": {"request": [[9.5]]}, "id": 1}
    said = json.loads(_posted(endpoint, "json", "application/json", json.dumps(echoed).encode()))
    assert said["result"] == [[9.5]]
