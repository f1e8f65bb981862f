"""The load driver's gRPC against Python's grpcio, which serves the contract's service from its own generated stubs."""

import importlib
import json
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_tools import protoc

from conftest import ROOT

Finished = subprocess.CompletedProcess[str]
Run = Callable[..., Finished]


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The modules that protoc makes of the contract's interface: messages, and gRPC's stubs."""
    made = tmp_path_factory.mktemp("stubs")
    words = ["protoc", f"-I{ROOT / 'contract'}", f"--python_out={made}", f"--grpc_python_out={made}"]
    assert protoc.main([*words, str(ROOT / "contract" / "service.proto")]) == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(made)
        yield importlib.import_module("service_pb2"), importlib.import_module("service_pb2_grpc")


@pytest.fixture
def served(messages: Any) -> Iterator[tuple[str, Counter[str]]]:
    """Where grpcio serves, and what it was called."""
    pb2, stubs = messages
    called: Counter[str] = Counter()

    class Service(stubs.SpeedServiceServicer):  # type: ignore[misc, name-defined]
        """Three calls: one that answers, one that hands back, one that refuses."""

        def Sum(self, request: Any, _context: Any) -> Any:  # noqa: N802 - as the interface calls it
            called["Sum"] += 1
            return pb2.SumAnswer(result=request.a + request.b)

        def EchoString(self, request: Any, _context: Any) -> Any:  # noqa: N802 - likewise
            called["EchoString"] += 1
            return request

        def Hello(self, _request: Any, context: Any) -> Any:  # noqa: N802 - likewise
            called["Hello"] += 1
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "no more of it")

    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
    stubs.add_SpeedServiceServicer_to_server(Service(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"http://127.0.0.1:{port}/callbench.SpeedService", called
    server.stop(grace=None).wait()


def test_grpcio_answers_the_load_driver(callbench: Run, messages: Any, served: tuple[str, Counter[str]]) -> None:
    pb2, _ = messages
    url, called = served
    asked = pb2.SumRequest(a=40, b=2).SerializeToString().hex()
    right = pb2.SumAnswer(result=42).SerializeToString().hex()
    words = ("--grpc", "--clients", "12", "--streams", "4", "--calls", "300", "--body-hex", asked)
    seen = callbench("load", f"{url}/Sum", *words, "--expect-body-hex", right, "--json", "--out", "sum", check=True)
    said = json.loads(seen.stdout)
    assert (said["calls"], said["connections"], said["errors"], said["protocol"]) == (300, 3, {}, "grpc")
    # Every call that the driver counts was answered by the other, and few besides: what it asks before it drives.
    assert 300 <= called["Sum"] <= 320
    wrong = callbench("load", f"{url}/Sum", *words, "--expect-body-hex", "082b", "--out", "wrong")
    assert wrong.returncode == 2
    assert "(wrong-answer)" in wrong.stderr


def test_a_message_larger_than_any_window_goes_both_ways(
    callbench: Run, messages: Any, served: tuple[str, Counter[str]], tmp_path: Path
) -> None:
    pb2, _ = messages
    url, called = served
    (tmp_path / "text").write_bytes(pb2.StringHolder(value="callbench " * 30_000).SerializeToString())
    words = ("--grpc", "--clients", "4", "--streams", "2", "--calls", "20", "--body-file", "text", "--no-variables")
    rest = ("--expect-body-file", "text", "--json", "--out", "echo")
    said = json.loads(callbench("load", f"{url}/EchoString", *words, *rest, check=True).stdout)
    assert (said["calls"], said["errors"]) == (20, {})
    assert called["EchoString"] >= 20


def test_what_grpcio_refuses_is_reported_with_its_status(callbench: Run, served: tuple[str, Counter[str]]) -> None:
    url, _ = served
    for call, why in (
        ("Hello", "grpc-status 8 (RESOURCE_EXHAUSTED): no more of it"),
        ("GetPersons", "grpc-status 12 (UNIMPLEMENTED): Method not implemented!"),
    ):
        refused = callbench("load", f"{url}/{call}", "--grpc", "--calls", "5", "--body-hex", "", "--out", f"{call}")
        assert refused.returncode == 2
        assert why in refused.stderr
