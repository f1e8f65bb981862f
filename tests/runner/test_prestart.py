"""Processes started before their turn serve when it comes; those whose turn never comes are ended."""

import select
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import pytest

from callbench.adapter import placement
from callbench.adapter.network.host import LOOPBACK_HOSTS, Hosts
from callbench.adapter.process import AdapterProcess
from callbench.adapter.session import Adapter as Process
from callbench.catalog.catalogue import KnownAdapter
from callbench.catalog.manifest import Programs
from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell, Load
from callbench.model.errors import HostLost
from callbench.model.process_tree import is_alive
from callbench.runner.drive.prestart import PrestartedStacks
from callbench.runner.drive.unit import Unit, UnitRequest
from conftest import eventually


def request(adapter: KnownAdapter, name: str) -> UnitRequest:
    stack = next(one for one in adapter.stacks if one.channel == "tcp")
    cell = Cell("c001", "g", stack.id, "Sum", {"a": 1, "b": 2}, Load(1, 4, 0.02))
    return UnitRequest(name, stack, Programs(adapter.manifest, adapter.manifest), (cell,), LOOPBACK)


def ahead() -> PrestartedStacks:
    return PrestartedStacks(placement.choose_placement(), lambda _: LOOPBACK_HOSTS)


@pytest.mark.usefixtures("nothing_left")
def test_a_unit_takes_what_was_started_for_it_and_the_rest_is_ended(misbehaving: Callable[[str], KnownAdapter]) -> None:
    first, second = (request(misbehaving("honest"), name) for name in ("first", "second"))
    with closing(ahead()) as started:
        started.start((first, second))
        # Started again while the first is served: nothing is started twice.
        started.start((first, second))
        sides = started.take(first)
        assert sides is not None
        assert started.take(first) is None
        with Unit(first, placement.choose_placement(), LOOPBACK_HOSTS, sides) as unit:
            assert unit.running.sides is sides
            assert unit.running.record["start_s"] > 0
        other = started.take(second)
        assert other is not None
        pid = other.client.process.pid
        assert pid is not None
        other.close(at_once=True)
        assert eventually(lambda: not is_alive(pid))
        started.start((first,))


@pytest.mark.usefixtures("nothing_left")
def test_what_cannot_be_started_waits_for_its_turn(misbehaving: Callable[[str], KnownAdapter]) -> None:
    adapter = misbehaving("honest")
    gone = replace(adapter.manifest, program=("/nowhere/at-all",))
    bad = replace(request(adapter, "bad"), programs=Programs(gone, gone))
    with closing(ahead()) as started:
        started.start((bad,))
        sides = started.take(bad)
        if sides is not None:
            # Behind the supervisor, the child looks for the program, so the error appears when its hello is read.
            sides.close(at_once=True)


@pytest.mark.usefixtures("nothing_left")
def test_a_link_that_is_gone_ends_the_run(misbehaving: Callable[[str], KnownAdapter]) -> None:
    no_link = request(misbehaving("honest"), "no link")

    def hosts(link: str) -> Hosts:
        raise HostLost(f"the link {link} cannot be created")

    with closing(PrestartedStacks(placement.choose_placement(), hosts)) as started:
        with pytest.raises(HostLost):
            started.start((no_link,))
        assert started.take(no_link) is None


@pytest.mark.usefixtures("nothing_left")
def test_a_hello_in_time_counts_even_if_it_is_read_late(misbehaving: Callable[[str], KnownAdapter]) -> None:
    manifest = replace(misbehaving("honest").manifest, start_seconds=0.0)
    process = Process(manifest, "the client")
    try:
        assert isinstance(process.process, AdapterProcess)
        assert select.select([process.process._stdout], [], [], 60)[0]
        time.sleep(0.01)
        assert process.read_hello().hello["adapter"] == "honest"
    finally:
        process.stop()
