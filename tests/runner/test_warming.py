"""Stacks that compile are warmed up side by side: near ones as many at once as there are processors, far ones all."""

import os
import threading
from types import SimpleNamespace
from typing import Any, cast

import pytest

from callbench.model.errors import AdapterFailure
from callbench.runner.drive.unit import Unit
from callbench.runner.measure.processor_time import threads_of
from callbench.runner.measure.warm_up import STEADY, WarmUp
from callbench.runner.warm.warming import _place, on_one_processor, warm_up_in_parallel, warm_up_of
from callbench.stats.wire.link import Wires, round_trip_ns

FAR: Wires = {"far": {"link": {"to_server": {"delay_ns": 25_000_000}, "to_client": {"delay_ns": 25_000_000}}}}
WARM = WarmUp(compiles=True, steady=True, ended=STEADY, why="", limit_s=60.0, before_s=0.0)


def unit(name: str, link: str = "loopback", cells: int = 2) -> Unit:
    request = SimpleNamespace(link=link, cells=tuple(SimpleNamespace(id=f"c{number}") for number in range(cells)))
    return cast("Unit", SimpleNamespace(name=name, request=request, pids=(), kill=threading.Event().set))


def test_every_cell_of_every_unit_is_warmed_up_in_order() -> None:
    began: dict[str, list[str]] = {}

    def warm_up_cell(one: Unit, cell: Any) -> WarmUp:
        began.setdefault(one.name, []).append(cell.id)
        return WARM

    outcomes = warm_up_in_parallel([unit("a"), unit("b", "far"), unit("c")], FAR, warm_up_cell)
    assert began == {name: ["c0", "c1"] for name in "abc"}
    assert {key: warm_up_of(outcome) for key, outcome in outcomes.items()} == {
        (name, cell): WARM for name in "abc" for cell in ("c0", "c1")
    }


def test_a_failure_ends_its_unit_alone() -> None:
    def warm_up_cell(one: Unit, _: object) -> WarmUp:
        if one.name == "a":
            raise AdapterFailure("died", "it died")
        return WARM

    outcomes = warm_up_in_parallel([unit("a"), unit("b")], {}, warm_up_cell)
    assert set(outcomes) == {("a", "c0"), ("b", "c0"), ("b", "c1")}
    with pytest.raises(AdapterFailure, match="it died"):
        warm_up_of(outcomes["a", "c0"])


def test_far_units_leave_the_processors_to_near_ones() -> None:
    processors = len(os.sched_getaffinity(0))
    far = [unit(f"far{number}", "far", 1) for number in range(processors + 3)]
    near = [unit(f"near{number}", cells=1) for number in range(processors + 3)]
    all_far_began = threading.Barrier(len(far), timeout=30)
    lock, at_once, most = threading.Lock(), [0], [0]

    def warm_up_cell(one: Unit, _: object) -> WarmUp:
        if one.name.startswith("far"):
            # It continues only when all of them are active together.
            all_far_began.wait()
            return WARM
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        threading.Event().wait(0.01)
        with lock:
            at_once[0] -= 1
        return WARM

    assert len(warm_up_in_parallel(near + far, FAR, warm_up_cell)) == len(near) + len(far)
    assert most[0] <= processors


def test_an_interruption_does_not_wait_and_leaves_nothing() -> None:
    killed, began = threading.Event(), []
    one, other = unit("a"), unit("b", "far")
    other.kill = killed.set  # type: ignore[method-assign]

    def warm_up_cell(of: Unit, cell: Any) -> WarmUp:
        began.append((of.name, cell.id))
        if of is one:
            raise KeyboardInterrupt
        # It owes an answer until its process ends.
        assert killed.wait(30)
        raise AdapterFailure("died", "it was killed")

    with pytest.raises(KeyboardInterrupt):
        warm_up_in_parallel([one, other], FAR, warm_up_cell)
    assert set(began) <= {("a", "c0"), ("b", "c0")}


def test_a_link_without_delay_is_near() -> None:
    assert round_trip_ns({}) == round_trip_ns({"link": None}) == round_trip_ns({"link": {"to_server": {}}}) == 0
    assert round_trip_ns({"link": {"to_server": {"delay_ns": 5}}}) == 5
    assert round_trip_ns(FAR["far"]) == 50_000_000


def test_both_sides_share_a_processor_while_they_are_warmed_up_and_return_to_their_own() -> None:
    mine = sorted(os.sched_getaffinity(0))
    if len(mine) < 2:
        pytest.skip("one processor")
    first, second = ({number} for number in mine[:2])
    end = threading.Event()
    threads = [threading.Thread(target=end.wait) for _ in range(3)]

    def places() -> set[frozenset[int]]:
        return {frozenset(os.sched_getaffinity(thread)) for thread in threads_of(os.getpid())}

    try:
        with on_one_processor([os.getpid(), 2**22 + 1], mine[0]):
            assert places() >= {frozenset(mine)}, "who has several processors stays there"
        _place(os.getpid(), first)
        with on_one_processor([os.getpid()], mine[1]):
            for thread in threads:
                thread.start()
            assert places() == {frozenset(second)}
        assert places() == {frozenset(first)}, "threads that began meanwhile too"
    finally:
        end.set()
        _place(os.getpid(), set(mine))
