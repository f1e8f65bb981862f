"""Errors of the .NET stacks are reported with their cause."""

import ctypes
import os
import signal
import socket
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from relay import Relay

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from callbench.model import process_tree
from callbench.model.errors import AdapterFailure
from callbench.runner.setup import doctor
from conftest import ROOT, eventually
from left_behind import marked

CATALOGUE = catalogue.load([ROOT / "adapters" / "dotnet"])
ADAPTER = CATALOGUE.adapter("dotnet")
TCP, HTTP, CURED = "dotnet/remoting-tcp", "dotnet/remoting-http", "dotnet/remoting-http-nodelay"
SUM = {"a": 20, "b": 22}
# Of Linux's headers, since Python does not name it.
PIDFD_GETFD = 438

pytestmark = pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not))


@pytest.mark.parametrize("stack", [TCP, CURED])
def test_a_channel_that_falls_silent_is_a_timeout(server: Adapter, client: Adapter, stack: str) -> None:
    endpoint = server.serve(stack)
    port = int(urlsplit(endpoint).port or 0)
    with closing(Relay(port)) as relay:
        client.connect(stack, endpoint.replace(str(port), str(relay.port)), 1, timeout_ms=6000)
        before = client.drive("Sum", SUM, calls=100, seconds=0)
        assert (before["calls"], before["errors"]) == (100, {})
        relay.silent = True
        with pytest.raises(AdapterFailure) as caught:
            client.call("Sum", SUM)
        assert caught.value.kind == "timeout"
        after = client.drive("Sum", SUM, calls=2, seconds=0)
        assert (after["calls"], after["errors"]) == (0, {"timeout": 2})


@pytest.mark.parametrize("stack", [TCP, CURED])
def test_a_server_that_dies_is_no_answer_and_then_refuses(server: Adapter, client: Adapter, stack: str) -> None:
    client.connect(stack, server.serve(stack), 1, timeout_ms=20_000)
    assert client.call("Sum", SUM)["value"] == 42
    assert server.process.pid is not None
    processes = process_tree.family([server.process.pid])[1:]
    assert processes
    # It is dead when the kernel has ended the last process of its namespace, which is a moment later.
    server.process.signal(signal.SIGKILL)
    assert eventually(lambda: not any(process_tree.is_alive(pid) for pid in processes), 30)
    done = client.drive("Sum", SUM, calls=3, seconds=0)
    assert done["calls"] == 0
    assert set(done["errors"]) <= {"closed", "refused"}
    with pytest.raises(AdapterFailure) as caught:
        client.call("Sum", SUM)
    assert caught.value.kind == "refused"


@pytest.mark.parametrize(
    ("stack", "value"),
    [(TCP, {"type": "char", "value": 0xD800}), (HTTP, {"type": "string", "value": {"utf16": [0xD800]}})],
)
def test_what_a_formatter_cannot_carry_is_reported(
    server: Adapter, client: Adapter, stack: str, value: dict[str, object]
) -> None:
    client.connect(stack, server.serve(stack), 1)
    with pytest.raises(AdapterFailure, match="urrogate") as caught:
        client.call("Send", value)
    assert caught.value.kind == "cannot-carry"
    assert client.call("Sum", SUM)["value"] == 42


@pytest.mark.parametrize("stack", [TCP, HTTP])
def test_a_port_that_is_taken_is_reported_and_the_server_continues(server: Adapter, stack: str) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken, pytest.raises(AdapterFailure) as caught:
        server.serve(stack, port=taken.getsockname()[1])
    assert caught.value.kind == "out-of-resources"
    assert "127.0.0.1:" in server.serve(stack)


@pytest.mark.parametrize("stack", [TCP, HTTP])
def test_an_endpoint_that_is_none_is_reported(client: Adapter, stack: str) -> None:
    with pytest.raises(AdapterFailure, match="the moon") as caught:
        client.connect(stack, "the moon", 1)
    assert caught.value.kind == "bad-request"


def listening(mark: str) -> list[socket.socket]:
    """The sockets that the test's processes listen on, doubled."""
    taken = ctypes.CDLL(None, use_errno=True).syscall
    found = []
    for pid in marked(mark):
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            if not str(entry.readlink()).startswith("socket:"):
                continue
            handle = os.pidfd_open(pid)
            descriptor = taken(PIDFD_GETFD, handle, int(entry.name), 0)
            os.close(handle)
            if descriptor < 0:
                pytest.skip(f"this kernel hands out no other process's sockets: {os.strerror(ctypes.get_errno())}")
            doubled = socket.socket(fileno=descriptor)
            if doubled.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                found.append(doubled)
            else:
                doubled.close()
    return found


@pytest.mark.parametrize(("stack", "at_once"), [(HTTP, False), (CURED, True)])
def test_only_the_cured_server_sends_at_once(server: Adapter, mark: str, stack: str, *, at_once: bool) -> None:
    server.serve(stack)
    sockets = listening(mark)
    assert sockets
    assert [bool(each.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)) for each in sockets] == [at_once] * len(
        sockets
    )
    for each in sockets:
        each.close()


def test_a_machine_without_mono_is_given_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("bash", "dirname", "env"):
        (tmp_path / name).symlink_to(f"/usr/bin/{name}")
    monkeypatch.setenv("PATH", str(tmp_path))
    (finding,) = [each for each in doctor.findings(CATALOGUE) if each.subject == "adapter dotnet"]
    assert (finding.state, finding.remedy) == ("missing", "make engine dotnet")
    assert "Mono is not installed" in finding.found


@pytest.mark.usefixtures("server")
def test_mono_keeps_no_counters_that_would_outlive_it(mark: str) -> None:
    """It failed before: /dev/shm/mono.PID stayed where the adapter was killed."""
    maps = []
    for pid in marked(mark):
        with suppress(OSError):
            maps.append(Path(f"/proc/{pid}/maps").read_text())
    assert any("mscorlib" in text for text in maps), "Mono runs"
    assert not any("/dev/shm/mono." in text for text in maps)  # noqa: S108 - that is where Mono has them
