"""The load driver's gRPC against Python's grpcio, which serves the contract's service from its own generated stubs."""

import json
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from grpcio_party import contract_stubs, served

Finished = subprocess.CompletedProcess[str]
Run = Callable[..., Finished]


@pytest.fixture
def service() -> Iterator[tuple[str, Counter[str]]]:
    """Where grpcio serves, and what it was called."""
    pb2, stubs = contract_stubs()
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

    with served(Service()) as place:
        yield f"http://{place}/callbench.SpeedService", called


def test_grpcio_answers_the_load_driver(callbench: Run, service: tuple[str, Counter[str]]) -> None:
    pb2, _ = contract_stubs()
    url, called = service
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
    callbench: Run, service: tuple[str, Counter[str]], tmp_path: Path
) -> None:
    pb2, _ = contract_stubs()
    url, called = service
    (tmp_path / "text").write_bytes(pb2.StringHolder(value="callbench " * 30_000).SerializeToString())
    words = ("--grpc", "--clients", "4", "--streams", "2", "--calls", "20", "--body-file", "text", "--no-variables")
    rest = ("--expect-body-file", "text", "--json", "--out", "echo")
    said = json.loads(callbench("load", f"{url}/EchoString", *words, *rest, check=True).stdout)
    assert (said["calls"], said["errors"]) == (20, {})
    assert called["EchoString"] >= 20


def test_what_grpcio_refuses_is_reported_with_its_status(callbench: Run, service: tuple[str, Counter[str]]) -> None:
    url, _ = service
    for call, why in (
        ("Hello", "grpc-status 8 (RESOURCE_EXHAUSTED): no more of it"),
        ("GetPersons", "grpc-status 12 (UNIMPLEMENTED): Method not implemented!"),
    ):
        refused = callbench("load", f"{url}/{call}", "--grpc", "--calls", "5", "--body-hex", "", "--out", f"{call}")
        assert refused.returncode == 2
        assert why in refused.stderr
