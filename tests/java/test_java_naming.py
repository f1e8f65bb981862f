"""What happens where RMI's registry or CORBA's naming service, a port, or a class of the other side is not there."""

import os
import re
import shutil
import signal
import socket
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from callbench.model.errors import AdapterFailure
from conftest import ROOT, eventually
from left_behind import marked
from ports import free_ports

FOLDER = ROOT / "adapters" / "java"
KNOWN = catalogue.load([FOLDER]).adapter("java")
RMI = "java/rmi"
CORBA = ("java/rmi-iiop", "java/corba-jacorb")
SUM = {"a": 20, "b": 22}

pytestmark = [
    pytest.mark.skipif(KNOWN.why_not is not None, reason=str(KNOWN.why_not)),
    pytest.mark.usefixtures("quick_jvm"),
]


@pytest.fixture
def started() -> Iterator[Callable[..., Adapter]]:
    """Starts adapters that end with the test, here or from another folder."""
    with ExitStack() as stack:

        def start(part: str, folder: Path = FOLDER) -> Adapter:
            return stack.enter_context(Adapter(catalogue.load([folder]).adapter("java").manifest, part))

        yield start


def refusal(ask: Callable[[], object], kind: str) -> str:
    """The one sentence of the error that a request must be answered with."""
    with pytest.raises(AdapterFailure) as caught:
        ask()
    sentence = str(caught.value)
    assert caught.value.kind == kind, sentence
    assert "\n" not in sentence
    return sentence


def address(stack: str, port: int) -> str:
    scheme = "rmi://127.0.0.1:{}/SpeedService" if stack == RMI else "corbaname::127.0.0.1:{}#SpeedService"
    return scheme.format(port)


def naming_jvms(mark: str) -> list[int]:
    """The processes that are naming services."""
    found = []
    for pid in marked(mark):
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
        if b"org.callbench.shared.Tied" in words:
            found.append(pid)
    return found


@pytest.mark.parametrize("stack", [RMI, *CORBA])
def test_a_name_server_that_is_not_there_is_reported(stack: str, started: Callable[..., Adapter]) -> None:
    client = started("the client")
    port = free_ports()
    sentence = refusal(lambda: client.connect(stack, address(stack, port), 1), "refused")
    assert re.search(rf"the (registry|naming service) at 127\.0\.0\.1:{port} is not reached", sentence)
    assert "moon is no address of" in refusal(lambda: client.connect(stack, "the moon", 1), "bad-request")


@pytest.mark.parametrize("stack", CORBA)
@pytest.mark.usefixtures("nothing_left")
def test_a_naming_service_that_dies_is_missed_by_new_clients_alone(
    stack: str, started: Callable[..., Adapter], mark: str
) -> None:
    server, client = started("the server"), started("the client")
    endpoint = server.serve(stack)
    client.connect(stack, endpoint, 1)
    (names,) = naming_jvms(mark)
    os.kill(names, signal.SIGKILL)
    assert eventually(lambda: names not in marked(mark))
    assert client.call("Sum", SUM)["value"] == 42
    assert "is not reached" in refusal(lambda: started("another").connect(stack, endpoint, 1), "refused")
    server.stop_serving()
    again = server.serve(stack)
    client.connect(stack, again, 1)
    assert client.call("Sum", SUM)["value"] == 42


@pytest.mark.parametrize("stack", CORBA)
@pytest.mark.usefixtures("nothing_left")
def test_the_naming_service_ends_with_a_server_that_is_killed(
    stack: str, started: Callable[..., Adapter], mark: str
) -> None:
    server = started("the server")
    server.serve(stack)
    (names,) = naming_jvms(mark)
    server.process.signal(signal.SIGKILL)
    assert eventually(lambda: names not in marked(mark), 30)


@pytest.mark.usefixtures("nothing_left")
def test_a_registry_dies_with_its_server_and_a_call_says_so(started: Callable[..., Adapter], mark: str) -> None:
    server = started("the server")
    endpoint = server.serve(RMI)
    host_and_runner = set(marked(mark))
    client = started("the client")
    client.connect(RMI, endpoint, 1)
    assert client.call("Sum", SUM)["value"] == 42
    server.process.signal(signal.SIGKILL)
    assert server.process.wait(30) is not None
    assert eventually(lambda: host_and_runner.isdisjoint(marked(mark)), 30)
    with pytest.raises(AdapterFailure) as caught:
        client.call("Sum", SUM)
    assert caught.value.kind in ("closed", "refused")
    assert "\n" not in str(caught.value)
    # RMI keeps its connection to the registry, and trusts it without a ping for as long as its last ping took twice:
    # on a busy machine this client learns of the end by the connection, and only a new one is sure to be refused.
    with pytest.raises(AdapterFailure, match="is not reached") as caught:
        client.connect(RMI, endpoint, 1)
    assert caught.value.kind in ("closed", "refused")
    assert "is not reached" in refusal(lambda: started("another").connect(RMI, endpoint, 1), "refused")


@pytest.mark.parametrize("stack", [RMI, *CORBA])
def test_a_port_that_is_taken_is_reported_and_the_server_continues(
    stack: str, started: Callable[..., Adapter], mark: str
) -> None:
    server = started("the server")
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        sentence = refusal(lambda: server.serve(stack, port=taken.getsockname()[1]), "out-of-resources")
    assert "ddress already in use" in sentence
    assert eventually(lambda: not naming_jvms(mark), 30), "a naming service is left of a server that did not start"
    client = started("the client")
    client.connect(stack, server.serve(stack), 1)
    assert client.call("Sum", SUM)["value"] == 42


def test_a_registry_that_is_started_twice_is_reported_and_the_first_continues(started: Callable[..., Adapter]) -> None:
    first, second, client = started("the server"), started("another server"), started("the client")
    endpoint = first.serve(RMI)
    port = int(endpoint.removesuffix("/SpeedService").rpartition(":")[2])
    sentence = refusal(lambda: second.serve(RMI, port=port), "out-of-resources")
    assert f"the registry cannot have the port 127.0.0.1:{port}" in sentence
    client.connect(RMI, endpoint, 1)
    assert client.call("Sum", SUM)["value"] == 42


@pytest.fixture
def without(tmp_path: Path) -> Callable[[str], Path]:
    """Makes a Java adapter whose service has lost one class."""

    def make(lost: str) -> Path:
        # The manifest's program is the engine's host, two folders up.
        (tmp_path / "engine").symlink_to(ROOT / "engine")
        folder = tmp_path / "adapters" / lost
        shutil.copytree(FOLDER / "target" / "lib", folder / "target" / "lib", copy_function=_link)
        shutil.copy2(FOLDER / "target" / "callbench-java", folder / "target")
        shutil.copy2(FOLDER / "adapter.toml", folder)
        (jar,) = (folder / "target" / "lib" / "kit").glob("kit-*.jar")
        whole = jar.resolve()
        jar.unlink()
        with zipfile.ZipFile(whole) as source, zipfile.ZipFile(jar, "w") as kept:
            for entry in source.infolist():
                if entry.filename != f"org/callbench/service/{lost}.class":
                    kept.writestr(entry, source.read(entry))
        return folder

    return make


@pytest.mark.parametrize("stack", [RMI, "java/rmi-iiop"])
def test_a_class_that_the_server_does_not_have_is_named(
    stack: str, started: Callable[..., Adapter], without: Callable[[str], Path]
) -> None:
    server, client = started("the server", without("TestStructureBean")), started("the client")
    client.connect(stack, server.serve(stack), 1)
    sentence = refusal(lambda: client.call("EchoStructure", {"n": 1}), "protocol")
    assert "TestStructureBean" in sentence
    assert client.call("Sum", SUM)["value"] == 42


@pytest.mark.parametrize("stack", [RMI, "java/rmi-iiop"])
def test_a_class_that_the_client_does_not_have_is_named(
    stack: str, started: Callable[..., Adapter], without: Callable[[str], Path]
) -> None:
    server, client = started("the server"), started("the client", without("ListingInfo"))
    client.connect(stack, server.serve(stack), 1)
    sentence = refusal(lambda: client.call("FindItems", {"n": 1}), "protocol")
    assert "ListingInfo" in sentence
    assert client.call("Sum", SUM)["value"] == 42


def _link(source: str, target: str) -> None:
    Path(target).symlink_to(source)
