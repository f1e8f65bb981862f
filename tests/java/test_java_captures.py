"""A dissector that others wrote knows the protocols of Java and CORBA in the captures that a run keeps."""

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from callbench.adapter import placement
from callbench.catalog import catalogue
from callbench.runner.wire.lab import Lab
from conftest import ROOT


@dataclass(frozen=True)
class Seen:
    """What tshark is to see of a stack.

    Attributes:
        request: a filter that holds for the packets with our calls.
        answer: one for those with what the server said.
        told: what tshark is told beforehand: it finds GIOP and HTTP by itself, the others only at their usual ports.
    """

    request: str
    answer: str
    told: Sequence[str] = ()


CORBA = "cpp/corba-omniorb"
GIOP = Seen('giop.request_op == "SendByte"', "giop.replystatus == 0")
HTTP = ("--enable-heuristic", "http_tcp")
ANY_PORT = "tcp.port==1-65535"
SEEN = {
    "java/rmi": Seen(
        "rmi.outputstream.message == 0x50 && rmi.ser.magic == 0xaced",
        "rmi.inputstream.message == 0x51 && rmi.ser.magic == 0xaced",
        ("-d", f"{ANY_PORT},rmi"),
    ),
    "java/corba-jacorb": GIOP,
    CORBA: GIOP,
    "java/grpc": Seen(
        'http2.headers.path == "/callbench.SpeedService/SendByte"',
        'http2.header.name == "grpc-status"',
        ("-d", f"{ANY_PORT},http2"),
    ),
    "java/hessian1-tuned": Seen('http.request.uri == "/hessian"', "http.response.code == 200", HTTP),
}
KNOWN = catalogue.load()
THERE = [stack.id for stack in KNOWN.stacks if stack.id in SEEN and stack.available]
CALLS = 20

pytestmark = [
    pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed: apt-get install tshark"),
    pytest.mark.usefixtures("lab", "nothing_left", "quick_jvm"),
]


def packets(capture: Path, told: Sequence[str], asked: str) -> int:
    """How many packets of a capture a filter of tshark holds for."""
    command = ["tshark", "-r", str(capture), *told, "-Y", asked, "-T", "fields", "-e", "frame.number"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return len(shown.stdout.splitlines())


@pytest.mark.skipif(not any(stack.startswith("java/") for stack in THERE), reason="Java is not built: make java")
def test_a_dissector_knows_what_java_speaks(tmp_path: Path) -> None:
    """One server and one client for all tests: only bytes are checked, and a JVM takes seconds to start."""
    stacks = [KNOWN.stack(name) for name in THERE if name.startswith("java/")]
    programs = KNOWN.programs(stacks[0])
    with Lab(placement.choose_placement()) as lab, lab.server(programs) as server, lab.client(programs) as client:
        for stack in stacks:
            capture = tmp_path / f"{stack.channel}.pcap"
            lab.begin(capture)
            client.connect(stack.id, server.serve(stack.id, lab.pair.hosts.server.address), 1)
            done = client.drive("Send", {"type": "byte", "content": "fixed"}, calls=CALLS, seconds=0)
            client.disconnect()
            server.stop_serving()
            lab.end_phase("all", quiet_ms=20)
            assert lab.end() == (0, None)
            seen = SEEN[stack.id]
            assert (done["calls"], done["errors"]) == (CALLS, {})
            assert packets(capture, seen.told, seen.request) >= CALLS, stack.id
            assert packets(capture, seen.told, seen.answer) >= CALLS, stack.id


@pytest.mark.skipif(CORBA not in THERE, reason="the C++ adapter is not built: make cpp")
def test_a_dissector_knows_the_capture_that_a_run_keeps(
    callbench: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    study = ROOT / "studies" / "one-byte.toml"
    callbench("run", study, "--select", CORBA, "--pcap", "--no-baselines", "--out", "r", check=True)
    [row] = json.loads(callbench("query", "r", "SELECT cell FROM cells", "--json", check=True).stdout)
    capture = tmp_path / "r" / "captures" / f"{row['cell']}.pcap"
    # The first call of each of two clients, and at least two drives of four and of eight calls between them.
    assert packets(capture, (), GIOP.request) >= 26
    assert packets(capture, (), GIOP.answer) >= 26
    # Each client asks the naming service, and then the object what it is.
    assert packets(capture, (), 'giop.request_op == "resolve"') == 2
    assert packets(capture, (), 'giop.request_op == "_non_existent"') == 2
