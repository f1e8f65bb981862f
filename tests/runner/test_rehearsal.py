"""A stack rehearses until its compiler is at work in few of its slices, and ends with its first failure."""

import random
import threading
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from callbench.model.errors import AdapterFailure
from callbench.runner.warm import rehearsal
from callbench.runner.warm.rehearsal import MOST_RAN_S, MOST_REHEARSAL_S, QUIET_ROUNDS, rehearse_units

if TYPE_CHECKING:
    from callbench.runner.drive.cell_task import CellTask
    from callbench.runner.drive.unit import Unit


class Rehearsing:
    """A task in whose slices a compiler is active as often as given."""

    def __init__(self, unit: str, compiled: Sequence[int]) -> None:
        """Take in how many of 4 slices it is, round by round; the last one stays."""
        self.unit = unit
        self.made = 0
        self._compiled = compiled

    def rehearse(self) -> None:
        self.made += 1

    @property
    def compiled_slices(self) -> tuple[int, int]:
        return self._compiled[min(self.made, len(self._compiled)) - 1], 4


ROUND_S = 0.125


@pytest.fixture(autouse=True)
def no_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds take ROUND_S of virtual time. Units that rehearse at once are driven in threads, so each has its own."""
    clock = threading.local()

    def round_of(
        tasks: Sequence[Any], _units: object, _number: int, _dice: object, _traffic: object, failed: Any
    ) -> int:
        clock.s = getattr(clock, "s", 0.0) + ROUND_S
        for task in tasks:
            if task.unit == "fails":
                failed(task, "its turn", AdapterFailure("died", f"it died in round {task.made}"))
        return len(tasks)

    monkeypatch.setattr(rehearsal, "run_round", round_of)
    monkeypatch.setattr(rehearsal, "ran_ns", lambda _pids: 0)
    monkeypatch.setattr(rehearsal, "time", SimpleNamespace(monotonic=lambda: getattr(clock, "s", 0.0)))


def rehearse(*tasks: Rehearsing) -> rehearsal.Failures:
    names = {task.unit for task in tasks}
    request = SimpleNamespace(link="loopback")
    each = {"pids": (1,), "reset_counts": lambda **_: None}
    units = {name: cast("Unit", SimpleNamespace(name=name, request=request, **each)) for name in names}
    return rehearse_units(units, cast("list[CellTask]", list(tasks)), {}, random.Random(1))  # noqa: S311 - an order


def test_it_ends_after_quiet_rounds_in_a_row() -> None:
    task = Rehearsing("a", [4, 1, 2, 1, 0, 1, 4])
    assert rehearse(task) == {}
    assert task.made == 3 + QUIET_ROUNDS


def test_the_slices_of_all_cells_of_a_stack_count_together() -> None:
    busy, still = Rehearsing("a", [2]), Rehearsing("a", [0])
    rehearse(busy, still)
    assert busy.made == still.made == QUIET_ROUNDS, "2 of 8 slices are few enough"


def test_it_ends_in_any_case() -> None:
    task = Rehearsing("a", [4])
    rehearse(task)
    assert task.made == round(MOST_REHEARSAL_S / ROUND_S)


def test_it_ends_when_both_sides_used_a_processor_for_long_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    task = Rehearsing("a", [4])
    ran_s = iter(range(100))
    monkeypatch.setattr(rehearsal, "ran_ns", lambda _pids: next(ran_s) * 1e9)
    rehearse(task)
    assert task.made == MOST_RAN_S - 1, "asked once before, and once for each round"


def test_a_failure_ends_its_stack_alone_and_the_first_is_reported() -> None:
    fails, other, good = Rehearsing("fails", [4]), Rehearsing("fails", [4]), Rehearsing("a", [4])
    failures = rehearse(fails, other, good)
    assert {unit: str(failure) for unit, (_, _, failure) in failures.items()} == {"fails": "it died in round 1"}
    assert (fails.made, good.made) == (1, round(MOST_REHEARSAL_S / ROUND_S))
