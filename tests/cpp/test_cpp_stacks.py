"""The C++ stacks against the contract suite, and what happens where CORBA's naming service or a port is not there."""

import signal
import socket
from contextlib import closing
from pathlib import Path

import pytest

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from callbench.model.errors import AdapterFailure
from conftest import ROOT, eventually
from contract_suite import assert_it_begins_and_ends_as_the_contract_says, assert_it_keeps_the_contract
from giop_seen import dissected
from left_behind import marked
from ports import free_ports

FOLDER = ROOT / "adapters" / "cpp"
ADAPTER = catalogue.load([FOLDER]).adapter("cpp")
CORBA = "cpp/corba-omniorb"

pytestmark = pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not))


@pytest.mark.parametrize("stack", [CORBA, "cpp/direct"])
def test_it_keeps_the_contract(stack: str) -> None:
    assert_it_keeps_the_contract(catalogue.load([FOLDER]), stack)


def test_it_begins_and_ends_as_the_contract_says() -> None:
    assert_it_begins_and_ends_as_the_contract_says(ADAPTER)


def test_a_naming_service_that_is_not_there_is_reported(client: Adapter) -> None:
    free = free_ports()
    with pytest.raises(AdapterFailure, match="not reached through its naming service") as caught:
        client.connect(CORBA, f"corbaname::127.0.0.1:{free}#SpeedService", 1)
    assert caught.value.kind == "refused"


def test_an_address_that_is_none_of_corba_is_reported(client: Adapter) -> None:
    with pytest.raises(AdapterFailure, match="no address of CORBA") as caught:
        client.connect(CORBA, "the moon", 1)
    assert caught.value.kind == "bad-request"


def test_a_port_that_is_taken_is_reported_and_the_server_continues(server: Adapter) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(AdapterFailure) as caught:
            server.ask("serve", "serving", 120, stack=CORBA, host="127.0.0.1", port=port, options={})
    assert caught.value.kind == "out-of-resources"
    assert server.serve(CORBA).startswith("corbaname::127.0.0.1:")


@pytest.mark.usefixtures("nothing_left")
def test_the_naming_service_ends_with_its_server_and_leaves_no_files(mark: str) -> None:
    before = set(Path("/tmp").glob("callbench-names-*"))  # noqa: S108 - where the system keeps temporary files
    with Adapter(ADAPTER.manifest, "the server") as server:
        server.serve(CORBA)
        names = [pid for pid in marked(mark) if Path(f"/proc/{pid}/comm").read_text().strip() == "omniNames"]
        assert len(names) == 1
        server.process.signal(signal.SIGKILL)
        assert eventually(lambda: names[0] not in marked(mark), 30)
    # Other tests may serve at this moment, and their files are there until their naming service answers.
    assert eventually(lambda: set(Path("/tmp").glob("callbench-names-*")) <= before, 60)  # noqa: S108


def test_a_dissector_knows_the_calls_for_giop(server: Adapter, client: Adapter, tmp_path: Path) -> None:
    client.connect(CORBA, server.serve(CORBA), 1)
    shown = dissected(lambda: client.call("EchoString", {"value": "Grüße"}), tmp_path)
    assert "General Inter-ORB Protocol" in shown
    assert "EchoString" in shown
