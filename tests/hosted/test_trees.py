"""A runner belongs to its side: it is found, paused and resumed with its host, and driven slice by slice."""

from pathlib import Path

import pytest

from callbench.adapter import placement
from callbench.adapter.network.host import LOOPBACK_HOSTS
from callbench.adapter.watch.process_reading import read_light
from callbench.catalog import catalogue
from callbench.catalog.manifest import Programs
from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell, Load
from callbench.model.process_tree import HOST
from callbench.runner.drive.rounds import run_slice
from callbench.runner.drive.running_stack import BASIC_CHECKS
from callbench.runner.drive.slices import Length
from callbench.runner.drive.tasks import SlicePlan
from callbench.runner.drive.unit import Unit, UnitRequest
from conftest import MISBEHAVING, eventually

SLICE = Length(0.02, 4)


def named(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.usefixtures("nothing_left")
def test_a_runner_is_stopped_and_continues_with_its_host() -> None:
    adapter = catalogue.load([MISBEHAVING / "runners"]).adapter("honest")
    (stack,) = adapter.stacks
    cell = Cell("c001", "g", stack.id, "Sum", {"a": 1, "b": 2}, Load(1, 4, 0.02))
    programs = Programs(adapter.manifest, adapter.manifest)
    wanted = UnitRequest("unit", stack, programs, (cell,), LOOPBACK, checks=BASIC_CHECKS)
    with Unit(wanted, placement.choose_placement(), LOOPBACK_HOSTS) as unit:
        unit.start_idle_watch()
        hosts = [pid for pid in unit.pids if named(pid) == HOST]
        runners = [pid for pid in unit.pids if pid not in hosts]
        assert (len(hosts), len(runners)) == (2, 2), "a host and a runner on each side"
        assert read_light(hosts).resident_bytes == 0
        assert read_light(unit.pids).resident_bytes == read_light(runners).resident_bytes > 0
        unit.spins = True
        unit.pause()
        assert eventually(lambda: all(state(pid) == "T" for pid in unit.pids))
        made = run_slice(unit, SlicePlan(cell, SLICE), None)
        assert made["agree"] is True
        assert made["done"]["calls"] >= SLICE.calls
