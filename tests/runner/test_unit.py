"""A unit is started, driven and stopped; what breaks the contract is one sentence, and leaves nothing behind."""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import psutil
import pytest

from callbench.adapter import placement
from callbench.adapter.network.host import LOOPBACK_HOSTS
from callbench.adapter.stack import side_processes
from callbench.catalog.catalogue import KnownAdapter
from callbench.catalog.manifest import Programs
from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell, Load
from callbench.model.errors import AdapterFailure
from callbench.runner.drive import running_stack
from callbench.runner.drive.rounds import run_slice
from callbench.runner.drive.running_stack import BASIC_CHECKS, WrongAnswer
from callbench.runner.drive.slices import Length
from callbench.runner.drive.tasks import SlicePlan
from callbench.runner.drive.unit import Unit, UnitRequest
from callbench.runner.measure.compiler import ThreadTimes
from conftest import eventually

if TYPE_CHECKING:
    from callbench.model.card import StackCard

SLICE = Length(0.02, 4)


def request(adapter: KnownAdapter) -> UnitRequest:
    stack = next(one for one in adapter.stacks if one.channel == "tcp")
    cell = Cell("c001", "g", stack.id, "Sum", {"a": 1, "b": 2}, Load(1, 4, 0.02))
    return UnitRequest(
        "unit", stack, Programs(adapter.manifest, adapter.manifest), (cell,), LOOPBACK, checks=BASIC_CHECKS
    )


def start_unit(adapter: KnownAdapter) -> Unit:
    return Unit(request(adapter), placement.choose_placement(), LOOPBACK_HOSTS)


def established(pid: int) -> list[object]:
    """The connections of a process on which it can still answer."""
    return [link for link in psutil.Process(pid).net_connections() if link.status == psutil.CONN_ESTABLISHED]


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.usefixtures("nothing_left")
def test_it_is_driven_slice_by_slice(misbehaving: Callable[[str], KnownAdapter]) -> None:
    with start_unit(misbehaving("honest")) as unit:
        (cell,) = unit.request.cells
        unit.start_idle_watch()
        assert unit.warm(cell, SLICE) is None, "nothing of it compiles"
        unit.reset_counts()
        for _ in range(3):
            made = run_slice(unit, SlicePlan(cell, SLICE), None)
            assert made["done"]["calls"] >= SLICE.calls
            assert made["agree"] is True
        assert not unit.broken
        assert unit.compiler_report() == ""
        assert unit.record()["stack"] == "honest/tcp"


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("said", [True, False])
def test_a_connection_that_its_server_closes_while_others_are_driven_is_made_anew(
    misbehaving: Callable[[str], KnownAdapter], monkeypatch: pytest.MonkeyPatch, *, said: bool
) -> None:
    """The card says after how long it closes. Without that, the calls on its closed connections fail."""
    asked = request(misbehaving("honest"))
    card: StackCard = {**asked.stack.card, "closes_idle_s": 2e6} if said else asked.stack.card
    asked = replace(asked, stack=replace(asked.stack, card=card))
    with Unit(asked, placement.choose_placement(), LOOPBACK_HOSTS) as unit:
        (cell,) = asked.cells
        slice_plan = SlicePlan(cell, SLICE, lead=False)
        assert run_slice(unit, slice_plan, None)["done"]["errors"] == {}
        # So much time passes, and the server closes what nobody has used.
        (server,) = side_processes.processes_of(unit.running.sides).server
        os.kill(server, signal.SIGUSR1)
        assert eventually(lambda: not established(server))
        monkeypatch.setattr(running_stack, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + 3e6))
        errors = run_slice(unit, slice_plan, None)["done"]["errors"]
        assert errors == ({} if said else {"closed": 1})


@pytest.mark.usefixtures("nothing_left")
def test_only_short_calls_and_those_over_a_link_are_led_in(misbehaving: Callable[[str], KnownAdapter]) -> None:
    with start_unit(misbehaving("honest")) as unit:
        (cell,) = unit.request.cells
        unit.start_idle_watch()
        unit.warm(cell, SLICE)
        assert unit.needs_lead(cell)
        unit._call_s[cell.id] = 0.1
        assert not unit.needs_lead(cell)
        assert unit.needs_lead(replace(cell, link="lan100"))
        led: list[Cell] = []
        unit.lead_in = lambda cell, clients, seconds: led.append(cell)  # type: ignore[method-assign] # noqa: ARG005
        for lead in (False, True):
            run_slice(unit, SlicePlan(cell, SLICE, lead=lead), None)
        assert led == [cell]


@pytest.mark.usefixtures("nothing_left")
def test_what_is_frozen_continues_for_its_slice_and_ends_although_it_is_stopped(
    misbehaving: Callable[[str], KnownAdapter],
) -> None:
    with start_unit(misbehaving("honest")) as unit:
        (cell,) = unit.request.cells
        unit.start_idle_watch()
        unit.paused = True
        unit.pause()
        assert eventually(lambda: {state(pid) for pid in unit.pids} == {"T"})
        made = run_slice(unit, SlicePlan(cell, SLICE), None)
        assert made["done"]["calls"] >= SLICE.calls
        assert made["resume_ns"] > 0
        assert eventually(lambda: {state(pid) for pid in unit.pids} == {"T"})


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("never-ready", "did not send hello within"),
        ("wrong-version", "speaks contract version 2"),
        ("garbage", "not a line of the contract"),
        ("wrong-id", "answered request"),
        ("other-stacks", "its manifest alone has other-stacks/tcp"),
        ("floods", "wrote a line longer than"),
    ],
)
@pytest.mark.usefixtures("nothing_left")
def test_what_breaks_the_contract_at_its_start_is_one_sentence(
    misbehaving: Callable[[str], KnownAdapter], name: str, says: str
) -> None:
    with pytest.raises(AdapterFailure) as caught:
        start_unit(misbehaving(name))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("nothing_left")
def test_what_answers_wrongly_is_not_timed(misbehaving: Callable[[str], KnownAdapter]) -> None:
    with pytest.raises(WrongAnswer, match="2147483648"):
        start_unit(misbehaving("wrong-answer"))


@pytest.mark.parametrize(("name", "says"), [("dies-driving", "out of cheese"), ("deaf", "did not send done")])
@pytest.mark.usefixtures("nothing_left")
def test_what_breaks_in_a_slice_is_broken_and_ends(
    misbehaving: Callable[[str], KnownAdapter], name: str, says: str
) -> None:
    with start_unit(misbehaving(name)) as unit:
        (cell,) = unit.request.cells
        unit.start_idle_watch()
        with pytest.raises(AdapterFailure) as caught:
            run_slice(unit, SlicePlan(cell, SLICE), None)
        assert says in str(caught.value)
        assert unit.broken


@pytest.mark.usefixtures("nothing_left")
def test_what_counts_other_calls_than_it_makes_does_not_agree(misbehaving: Callable[[str], KnownAdapter]) -> None:
    with start_unit(misbehaving("lies")) as unit:
        unit.start_idle_watch()
        (cell,) = unit.request.cells
        assert run_slice(unit, SlicePlan(cell, SLICE), None)["agree"] is False


class Compiling:
    """A compiler that the slice gives work, and which is found working at so many looks after it."""

    compiles = True

    def __init__(self, looks: int) -> None:
        """Begin to work at the first look, which is that of the begin of a slice."""
        self._looks = looks
        self.looked = 0

    def read(self) -> dict[str, ThreadTimes]:
        self.looked += 1
        return {"server": ThreadTimes(compiler_ns=min(self.looked, self._looks) * 10**9)}


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(("looks", "most_ns", "looked"), [(10, 10**15, 11), (10**9, 0, 4)])
def test_a_compiler_finishes_before_others_are_driven_if_it_can(
    misbehaving: Callable[[str], KnownAdapter],
    monkeypatch: pytest.MonkeyPatch,
    looks: int,
    most_ns: int,
    looked: int,
) -> None:
    """A unit that was paused for its compiler compiled in its own slices alone, up to the last one."""
    monkeypatch.setattr("callbench.runner.drive.unit._MOST_WAITED_A_SLICE_NS", most_ns)
    with start_unit(misbehaving("honest")) as unit:
        (cell,) = unit.request.cells
        unit.start_idle_watch()
        unit.reset_counts()
        unit._compiler = compiler = Compiling(looks)  # type: ignore[assignment]
        run_slice(unit, SlicePlan(cell, SLICE), None)
        assert compiler.looked == looked, "it was waited for, but not for ever"
        assert unit.compiler_ns > 0
