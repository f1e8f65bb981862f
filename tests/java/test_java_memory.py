"""A JVM whose heap is too small for an answer: said so by the side that it is, whatever its library makes of it."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from callbench.model.errors import AdapterFailure
from conftest import ROOT

ADAPTER = catalogue.load([ROOT / "adapters" / "java"]).adapter("java")
HEAP = "CALLBENCH_JAVA_HEAP_MB"
SMALL = "48"
# More than fits, and nothing for an ordinary heap.
LARGE = {"size": 60 << 20, "fill": "zero"}
TIMEOUT_MS = 20_000
STUDY = """
title = "Large"
about = "An answer larger than the heap."
[load]
clients = [1]
calls = 3
seconds = 0.02
forks = 1
rounds = 2
minutes = 0.01
[[cells]]
group = "Small"
stacks = ["java/rmi"]
call = "Sum"
arguments = { a = 1, b = 2 }
[[cells]]
group = "Large"
stacks = ["java/rmi"]
call = "GetBinaryData"
arguments = { size = 104857600, fill = "zero" }
"""

pytestmark = pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not))


# By the threads of the JDK's HTTP server, of RMI, of a library's own server, of Netty.
STACKS = ("java/hessian1", "java/rmi", "java/xmlrpc", "java/grpc")


@pytest.mark.parametrize("small", ["server", "client"])
@pytest.mark.usefixtures("nothing_left")
def test_the_side_whose_heap_is_full_says_so_and_continues(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It continues with one stack after the other."""
    with _started(monkeypatch, "server", small) as server, _started(monkeypatch, "client", small) as client:
        for stack in STACKS:
            client.connect(stack, server.serve(stack), 1, timeout_ms=TIMEOUT_MS)
            assert client.call("Sum", {"a": 1, "b": 2})["value"] == 3, stack
            _assert_full(server, client, small)
            client.disconnect()
            server.stop_serving()
        assert f"heap at most {SMALL} MiB" in (server if small == "server" else client).hello["runtime"]


def _assert_full(server: Adapter, client: Adapter, small: str) -> None:
    with pytest.raises(AdapterFailure) as of_the_client:
        client.call("GetBinaryData", LARGE)
    told = of_the_client.value
    if small == "server":
        with pytest.raises(AdapterFailure) as of_the_server:
            server.counted()
        told = of_the_server.value
    assert told.kind == "out-of-resources"
    assert f"Java heap, of at most {SMALL} MiB, is full" in str(told)
    assert HEAP in str(told)
    assert server.counted()["calls"]
    assert not server.broken
    assert not client.broken


def _started(monkeypatch: pytest.MonkeyPatch, side: str, small: str) -> Adapter:
    with monkeypatch.context() as patch:
        if side == small:
            patch.setenv(HEAP, SMALL)
        else:
            patch.delenv(HEAP, raising=False)
        return Adapter(ADAPTER.manifest, f"the {side}")


def test_a_run_leaves_the_cell_out_and_says_why(
    callbench: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HEAP, SMALL)
    study = tmp_path / "large.toml"
    study.write_text(STUDY)
    # A call that its heap cannot hold is a failure.
    assert callbench("run", study, "--out", "run", "--no-baselines", "--warm-up", "1").returncode == 1
    shown = json.loads(callbench("show", "run", "--json", check=True).stdout)
    groups = 'SELECT DISTINCT "group" FROM trials JOIN cells USING (cell) WHERE trials.calls > 0'
    assert json.loads(callbench("query", "run", groups, "--json", check=True).stdout) == [{"group": "Small"}]
    # A second is too short for a JVM: what was measured has no rank.
    assert any("not steady" in one["why"] for one in shown["excluded"])
    why = json.dumps(shown["excluded"])
    assert "GetBinaryData fails as out-of-resources" in why
    assert HEAP in why


def test_a_heap_that_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HEAP, "lots")
    with pytest.raises(AdapterFailure, match="CALLBENCH_JAVA_HEAP_MB is lots: it must be a whole number of MiB"):
        Adapter(ADAPTER.manifest, "the server").read_hello()
