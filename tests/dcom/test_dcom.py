"""DCOM against parties that others wrote: impacket as a client and as a server, and a dissector."""

import contextlib
import json
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import frames
from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from callbench.model.errors import AdapterFailure
from conftest import ROOT, eventually
from contract_suite import assert_it_begins_and_ends_as_the_contract_says, assert_it_keeps_the_contract
from ports import free_ports

FOLDER = ROOT / "adapters" / "dcom"
ADAPTER = catalogue.load([FOLDER]).adapter("dcom")
ORPC = "dcom/orpc"
HERE = Path(__file__).parent
TCP = 6

pytestmark = pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not))


@contextlib.contextmanager
def impacket_server() -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    with subprocess.Popen(
        [sys.executable, HERE / "impacket_server.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as serving:
        assert serving.stdin is not None
        assert serving.stdout is not None
        try:
            yield serving.stdout.readline().strip(), serving
        finally:
            serving.stdin.close()
            # Its last word, where the test has not heard it.
            serving.stdout.read()


def saw(endpoint: str) -> dict[str, Any]:
    """What impacket's client saw."""
    ended = subprocess.run(
        [sys.executable, HERE / "impacket_client.py", endpoint],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def test_it_keeps_the_contract() -> None:
    assert_it_keeps_the_contract(catalogue.load([FOLDER]), ORPC)


def test_it_begins_and_ends_as_the_contract_says() -> None:
    assert_it_begins_and_ends_as_the_contract_says(ADAPTER)


def test_impackets_client_calls_our_server(server: Adapter) -> None:
    endpoint = server.serve(ORPC)
    seen = saw(endpoint)
    assert seen.pop("bindings")[0].startswith("127.0.0.1[")
    gone = seen.pop("after release")
    assert "RPC_E_DISCONNECTED" in gone
    assert seen == {
        "sum": -(2**31),
        "persons": [[0, "Aaron", "Arnold"], [1, "Abigail", "Brown"], [2, "Adam", "Crawford"]],
        "echo": "Grüße\0!",
        "long echo": True,
        "refused": "0x80070057",
        "no such call": "nca_s_op_rng_error",
        "no such interface": "0x80004002",
        "more references": 0,
        "alive": 0,
        "own bindings": [endpoint],
        "ping": 0,
        "ping of nothing": f"{1912:#010x}",
        "unknown oxid": f"{1910:#010x}",
        "released": [0, 0],
        "again": "0x80010114",
    }
    assert server.counted()["calls"] == {"Sum": 1, "GetPersons": 2, "EchoString": 2}


def test_our_client_calls_a_server_of_impackets_structures(client: Adapter) -> None:
    with impacket_server() as (endpoint, serving):
        assert client.connect(ORPC, endpoint, 2) == 2
        assert client.call("Sum", {"a": 2**31 - 1, "b": 1})["value"] == -(2**31)
        assert client.call("GetPersons", {"n": 2})["value"][1] == {
            "ID": 1,
            "FirstName": "Abigail",
            "LastName": "Brown",
        }
        assert client.call("EchoString", {"value": "Grüße\0!"})["value"] == "Grüße\0!"
        # Longer than a fragment, both ways.
        long = client.call("EchoString", {"content": "bmp", "count": 9000, "seed": "3"})["value"]
        assert long["bytes"] > 18_000
        done = client.drive("Sum", {"a": 1, "b": 2}, calls=20, seconds=0)
        assert done["calls"] >= 20
        assert not done["errors"]
        client.disconnect()
        assert serving.stdin is not None
        assert serving.stdout is not None
        serving.stdin.close()
        # Each of two clients held two interfaces.
        assert serving.stdout.read().strip() == "4"


def test_an_address_that_is_none_of_dcom_is_reported(client: Adapter) -> None:
    with pytest.raises(AdapterFailure, match="no address of DCOM") as caught:
        client.connect(ORPC, "the moon", 1)
    assert caught.value.kind == "bad-request"


def test_a_server_that_is_not_there_is_reported(client: Adapter) -> None:
    free = free_ports()
    with pytest.raises(AdapterFailure, match="start the server first") as caught:
        client.connect(ORPC, f"127.0.0.1[{free}]", 1)
    assert caught.value.kind == "refused"


def test_what_never_answers_is_given_up(client: Adapter) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as mute, pytest.raises(AdapterFailure) as caught:
        client.connect(ORPC, f"127.0.0.1[{mute.getsockname()[1]}]", 1, timeout_ms=300)
    assert caught.value.kind == "timeout"


def test_what_speaks_something_else_is_reported(client: Adapter) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as other, ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: other.accept()[0].sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"))
        with pytest.raises(AdapterFailure, match="cannot be read") as caught:
            client.connect(ORPC, f"127.0.0.1[{other.getsockname()[1]}]", 1)
    assert caught.value.kind == "protocol"


def test_a_server_that_dies_in_a_call_closes_it(server: Adapter, client: Adapter) -> None:
    client.connect(ORPC, server.serve(ORPC, options={"delay_us": 120_000_000}), 1, timeout_ms=240_000)
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(client.call, "Sum", {"a": 1, "b": 2})
        # It is counted when it begins, two minutes before it is answered.
        assert eventually(lambda: bool(server.counted()["calls"]))
        server.process.signal(signal.SIGKILL)
        with pytest.raises(AdapterFailure) as caught:
            call.result(60)
    assert caught.value.kind == "closed"


def _connect(client: Adapter, endpoint: str, options: dict[str, Any]) -> None:
    members = {"stack": ORPC, "endpoint": endpoint, "clients": 1, "timeout_ms": 10_000, "options": options}
    client.ask("connect", "connected", 60, **members)


def test_objects_that_are_pinged_stay_and_others_go(server: Adapter, client: Adapter) -> None:
    # Without pings the server would forget the object after four of its periods.
    _connect(client, server.serve(ORPC, options={"ping_ms": 1000}), {"ping_ms": 100})
    time.sleep(5)
    assert client.call("Hello", {})["value"] == "Hello World"
    client.disconnect()
    server.stop_serving()
    # A client that pings every hour.
    _connect(client, server.serve(ORPC, options={"ping_ms": 100}), {"ping_ms": 3_600_000})

    def gone() -> bool:
        # Each call keeps the object alive for as long.
        time.sleep(0.6)
        try:
            client.call("Hello", {})
        except AdapterFailure as failure:
            return "RPC_E_DISCONNECTED" in str(failure)
        return False

    assert eventually(gone, 60)
    # Its next call activates a new object.
    assert client.call("Hello", {})["value"] == "Hello World"


def test_a_dissector_knows_every_packet(server: Adapter, client: Adapter, tmp_path: Path) -> None:
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed")
    with frames.on_loopback() as seen:
        options = {"ping_ms": 200, "resolve": True}
        _connect(client, server.serve(ORPC, options=options), options)
        for call, arguments in (
            ("Sum", {"a": 1, "b": 2}),
            ("GetPersons", {"n": -1}),
            ("EchoString", {"content": "bmp", "count": 9000, "seed": "3"}),
            ("FindItems", {"n": 20}),
        ):
            client.call(call, arguments)
        time.sleep(0.7)
        client.disconnect()
        server.stop_serving()
        saw(server.serve(ORPC))
        found = list(_ours(seen.waiting()))
    shown = _dissected(found, tmp_path)
    assert len(shown) > 40
    assert [line for line in shown if "alformed" in line or "not-dcerpc" in line] == []
    every = "\n".join(shown)
    for part in ("RemoteActivation", "ResolveOxid2", "ServerAlive2", "SimplePing", "ComplexPing", "RemQueryInterface"):
        assert part in every, part
    assert "RemRelease" in every
    assert "Alter_context" in every
    assert "Fragment: 1st" in every
    assert "Fault" in every


def _dissected(found: list[bytes], folder: Path) -> list[str]:
    """Return a line for each frame with TCP data: the dissector's name for it."""
    capture = frames.keep(found, folder / "calls.pcap")
    shown_fields = [part for name in ("frame.protocols", "_ws.col.Info", "_ws.malformed") for part in ("-e", name)]
    shown = subprocess.run(
        ["tshark", "-r", capture, "-d", "tcp.port==1-65535,dcerpc", "-Y", "tcp.len > 0", "-T", "fields", *shown_fields],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    # A segment of a PDU that others complete is no packet of its own.
    lines = [line for line in shown.stdout.splitlines() if "TCP segment of a reassembled PDU" not in line]
    return [line if "dcerpc" in line else f"not-dcerpc {line}" for line in lines]


def _ours(seen: Iterable[tuple[bytes, bool]]) -> Iterator[bytes]:
    """The frames that belong to conversations of DCOM: those of ports on which a bind was seen."""
    spoken: list[tuple[frozenset[int], bytes]] = []
    ours: set[frozenset[int]] = set()
    for frame, leaving in seen:
        if not leaving and frame[12:14] == b"\x08\x00" and frame[23] == TCP:
            start = 14 + 4 * (frame[14] & 15)
            ports = frozenset(struct.unpack_from(">HH", frame, start))
            spoken.append((ports, frame))
            if frame[start + 4 * (frame[start + 12] >> 4) :].startswith(b"\x05\x00\x0b\x03\x10\x00\x00\x00"):
                ours.add(ports)
    yield from (frame for ports, frame in spoken if ports in ours)
