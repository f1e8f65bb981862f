"""The sessions of a host, without a network: what an order may do, and that it is done once."""

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from callbench.adapter.network.remote import facts
from callbench.adapter.network.remote.agent import order_handler
from callbench.adapter.network.remote.keys import Keys
from callbench.adapter.network.remote.lease import LEASE_OVER
from callbench.adapter.network.remote.session_host import SessionHost
from callbench.adapter.watch.adapter_processes import descendants_of
from callbench.adapter.watch.adapter_watch import samples_of
from callbench.adapter.watch.process_reading import read_full
from callbench.catalog import catalogue
from callbench.model.process_tree import descendants

# Without a network, no key is read.
UNUSED = Keys(Path("/nowhere"), "alpha", "127.0.0.1", 1)


class Orders:
    """A host, and orders to it."""

    def __init__(self, folder: Path) -> None:
        """Take the host."""
        self.host = SessionHost(folder, UNUSED)
        self.ask("take")

    def ask(self, do: str, core: str = "core", **members: Any) -> dict[str, Any]:
        order = {"do": do, "core": core, **members}
        # Makes the thread of a session that is started.
        self.host.thread_of(order)
        answer: dict[str, Any] = json.loads(self.host.answer(json.dumps(order)))
        return answer


pytestmark = pytest.mark.usefixtures("nothing_left")


@pytest.fixture
def orders(tmp_path: Path) -> Iterator[Orders]:
    made = Orders(tmp_path)
    yield made
    made.host.end()


@pytest.mark.parametrize(("do", "place", "name"), [("facts", facts, "of_this_host"), ("release", SessionHost, "end")])
def test_a_slow_disk_costs_no_core_its_lease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, do: str, place: object, name: str
) -> None:
    """What waits there does so beside the renewals."""
    told, may_end = threading.Event(), threading.Event()

    def slow(*_: object) -> dict[str, Any]:
        told.set()
        assert may_end.wait(60)
        return {}

    host = SessionHost(tmp_path, UNUSED)
    ask = order_handler(host)

    async def orders() -> None:
        await ask(json.dumps({"do": "take", "core": "core"}))
        monkeypatch.setattr(place, name, slow)
        waiting = asyncio.ensure_future(ask(json.dumps({"do": do, "core": "core"})))
        assert await asyncio.to_thread(told.wait, 60)
        assert "received_ns" in json.loads(await ask(json.dumps({"do": "renew", "core": "core"})))
        assert not waiting.done()
        may_end.set()
        assert json.loads(await waiting) == {}

    asyncio.run(orders())


def test_memory_and_threads_are_read_where_the_adapter_is(orders: Orders) -> None:
    """As the core reads those of its own machine."""
    # Other tests of this process leave programs that stay loaded.
    before = set(descendants(os.getpid()).get(os.getpid(), []))
    orders.ask("start", session=1, number=0, adapter="honest", who="the server")
    orders.ask("exchange", session=1, number=1, **HELLO)
    watched = orders.ask("watch", session=1, number=2)["reading"]
    children = set(descendants(os.getpid()).get(os.getpid(), [])) - before
    [own] = [pid for pid in children if descendants_of(pid)]
    here = read_full(descendants_of(own))
    assert (watched["processes"], watched["threads"]) == (here.processes, here.threads)
    assert watched["resident_bytes"] > 1_000_000
    assert orders.ask("read", session=1, number=3)["reading"]["minor_faults"] >= watched["minor_faults"]
    track = samples_of(orders.ask("watched", session=1, number=4)["samples"])
    assert len(track.samples) >= 2
    assert {reading.threads for _, reading in track.samples} == {here.threads}
    assert (track.threads_made, track.processes_ended) == (0, 0)
    orders.ask("watch", session=1, number=5)
    # What is still watched when all ends is watched no more.
    orders.host.end()
    assert not [thread for thread in threading.enumerate() if thread.name == "sampler"]


def exchange(line: dict[str, Any], awaited: str, **files: str) -> dict[str, Any]:
    return {"lines": [line], "files": files, "send_s": 10, "read_s": 60, "waited_s": 0, "awaited": awaited}


HELLO: dict[str, Any] = {"lines": [], "files": {}, "send_s": 10, "read_s": 60, "waited_s": 0, "awaited": "hello"}
STACKS = {"do": "serve", "id": 1, "stack": "honest/tcp", "host": "127.0.0.1", "port": 0, "options": {}}


def test_an_order_that_arrives_twice_is_done_once(orders: Orders) -> None:
    start: dict[str, Any] = {"session": 1, "number": 0, "adapter": "honest", "who": "the server"}
    assert orders.ask("start", **start) == orders.ask("start", **start) == {"broken": False, "closed": False}
    assert orders.host.alive == 1
    assert orders.ask("exchange", session=1, number=1, **HELLO)["lines"][0]["is"] == "hello"
    served = orders.ask("exchange", session=1, number=2, **exchange(STACKS, "serving"))
    assert served["lines"][0]["is"] == "serving"
    # Done again, it would be refused, or have another port.
    assert orders.ask("exchange", session=1, number=2, **exchange(STACKS, "serving")) == served


@pytest.mark.parametrize("name", ["../honest", "/bin/sh", "sh -c true", "", "nothere"])
def test_only_an_installed_adapter_is_started(orders: Orders, name: str) -> None:
    said = orders.ask("start", session=1, number=0, adapter=name, who="the server")
    assert said["failure"]["kind"] == "unsupported"
    assert "is not installed" in said["failure"]["message"]


def test_manifests_are_read_once_a_core(orders: Orders, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read for each adapter that is started, they would disturb slices that are driven meanwhile."""
    load = catalogue.load
    reads: list[int] = []

    def counted() -> catalogue.Catalogue:
        reads.append(1)
        return load()

    monkeypatch.setattr(catalogue, "load", counted)
    for number in (1, 2):
        orders.ask("start", session=number, number=0, adapter="honest", who="the server")
    assert (orders.host.alive, len(reads)) == (2, 1)
    orders.ask("release")
    orders.ask("take", core="other")
    # What was installed since is there for the next core.
    orders.ask("start", core="other", session=1, number=0, adapter="honest", who="the server")
    assert (orders.host.alive, len(reads)) == (1, 2)


def test_a_schedule_is_a_file_of_the_host_itself(orders: Orders) -> None:
    """A path of an order is never opened: what it stands for comes along, and lies in the agent's folder."""
    line = {"do": "drive", "schedule": "/etc/passwd"}
    own = orders.host.with_own_files(line, {"/etc/passwd": "AAEC"})
    assert Path(own["schedule"]).read_bytes() == b"\0\1\2"
    assert not own["schedule"].startswith("/etc")
    orders.host.end()
    assert not Path(own["schedule"]).exists()
    with pytest.raises(KeyError):
        orders.host.with_own_files(line, {})


def test_another_core_is_told_that_the_host_is_in_use(orders: Orders) -> None:
    assert orders.ask("take", core="other") == {"taken": False}
    refused = orders.ask("start", core="other", session=7, number=0, adapter="honest", who="the server")
    assert refused["failure"]["kind"] == LEASE_OVER
    assert orders.host.alive == 0
    orders.ask("release")
    assert orders.ask("take", core="other") == {"taken": True}


def test_what_is_lost_is_said(orders: Orders) -> None:
    orders.ask("start", session=1, number=0, adapter="honest", who="the server")
    orders.ask("exchange", session=1, number=1, **HELLO)
    orders.ask("signal", session=1, signal="SIGKILL")
    # Its supervisor is killed, and it a moment later.
    assert orders.ask("died", session=1, number=2, seconds=60)["died"]["ending"] == "killed"
    said = orders.ask("exchange", session=1, number=3, **exchange(STACKS, "serving"))
    assert said["failure"]["kind"] == "died"
    assert said["broken"] is True
    assert orders.ask("close", session=1, number=4, seconds=0)["closed"] is True
    assert "has ended" in orders.ask("wait", session=1, number=5, seconds=0)["failure"]["message"]
