"""What `hosts check` says beside clocks: one stream from host to host, tools, and what may be done."""

import socket
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from fleet_lab import made_keys

from callbench.adapter.network.remote import facts, host_check, rights, stream
from callbench.adapter.network.remote.fleet import Agent, Present
from callbench.adapter.network.remote.host_check import HostCheck, StreamCheck, streamed
from callbench.adapter.network.remote.host_failure import HostFailure
from callbench.adapter.network.remote.keys import create, read
from callbench.adapter.network.remote.session_host import SessionHost
from ports import free_ports


class NearAgent:
    """An agent without a network to its core."""

    def __init__(self, folder: Path, keys: Path) -> None:
        """Take its host."""
        self.host = SessionHost(folder, read(keys))
        self.present = Present(keys.name, "127.0.0.1", 1, {})

    def ask(self, do: str, members: Mapping[str, Any], seconds: float = 1.0) -> dict[str, Any]:
        assert seconds
        try:
            return self.host._done({"do": do, "core": "core", **members})
        except HostFailure as failure:
            raise HostFailure(f"host {self.present.name}: {failure}") from failure


@pytest.fixture
def two(tmp_path: Path) -> tuple[Agent, Agent]:
    own = made_keys(tmp_path / "hosts", "alpha", "beta")
    alpha, beta = (NearAgent(tmp_path, own.folder / name) for name in ("alpha", "beta"))
    return cast("tuple[Agent, Agent]", (alpha, beta))


def test_a_stream_is_sent_and_counted_by_who_receives_it(
    two: tuple[Agent, Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "COUNTED_SECONDS", 0.05)
    check = streamed(*two)
    assert check.to == "beta"
    assert check.mbit_s is not None
    assert check.mbit_s > 0
    assert not check.why_not


def test_who_has_no_key_of_the_core_sends_none(two: tuple[Agent, Agent], tmp_path: Path) -> None:
    """Neither does who listens there learn anything: both sides have certificates."""
    create(tmp_path / "other", "127.0.0.1", ["alpha"])
    check = streamed(cast("Agent", NearAgent(tmp_path, tmp_path / "other" / "alpha")), two[1])
    assert check.mbit_s is None
    assert "host alpha: no stream to 127.0.0.1:" in check.why_not
    assert HostCheck("a", clock_ms=0.0, clock_bound_ms=1.0, round_trip_ms=1.0, stream=check).row()["stream"] == (
        "none to beta"
    )


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_each_sends_to_the_next_and_takes_part_in_one_stream_at_a_time(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    sends, lock = set[str](), threading.Lock()

    def stream_of(sender: Agent, receiver: Agent) -> StreamCheck:
        both = {sender.present.name, receiver.present.name}
        with lock:
            assert not sends & both
            sends.update(both)
        # The other streams of this moment begin meanwhile.
        time.sleep(0.001)
        with lock:
            sends.difference_update(both)
        return StreamCheck(receiver.present.name, 1.0)

    monkeypatch.setattr(host_check, "streamed", stream_of)
    agents = [cast("Agent", SimpleNamespace(present=Present(str(number), "", 0, {}))) for number in range(count)]
    to = {name: check.to for name, check in host_check._streams(agents).items()}
    assert to == {str(number): str((number + 1) % count) for number in range(count)}


def test_a_port_that_nobody_opens_is_said(two: tuple[Agent, Agent]) -> None:
    with pytest.raises(HostFailure, match="open all TCP ports between the hosts"):
        two[0].ask("send stream", {"address": "127.0.0.1", "port": free_ports()})


@pytest.mark.usefixtures("nothing_left")
def test_rights_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(socket, "socket", refused)
    found = rights.of_this_user()
    assert list(found) == ["namespaces", "capture", "perf", "pinning"]
    assert found["capture"] == "Operation not permitted"
    assert found["pinning"] is None


def test_tools_are_those_of_the_network_lab_and_of_captures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    tools = facts.tools()
    assert {"supervisor", "network-lab", "tshark", "user-namespaces", "packet-sockets", "htb"} <= tools.keys()
    assert tools["tshark"] is False
