"""Whether a round is made once more: by its echoes alone, when they are out of place, and seldom."""

import inspect
import random

import hypothesis.strategies as some
from hypothesis import given

from callbench.runner.reference.echoes import KNOWN_ROUNDS, OUTLIER_FACTOR, ROUNDS_PER_REPEAT, MachineState

RATES = some.dictionaries(some.sampled_from(("tcp", "unix", "pipe")), some.floats(1.0, 1e7), min_size=1)


def still(machine: MachineState, rounds: int, rate: float = 30_000.0) -> None:
    """So many rounds at the same speed of the machine, except for some noise."""
    dice = random.Random(1)  # noqa: S311 - noise to be repeated, not a secret
    for _ in range(rounds):
        machine.add_round({"tcp": rate * dice.uniform(0.97, 1.03)})


def test_it_depends_on_echoes_and_nothing_else() -> None:
    for rule in (MachineState.is_outlier, MachineState.add_round):
        assert list(inspect.signature(rule).parameters) == ["self", "rates"]
    assert list(inspect.signature(MachineState.add_repeat).parameters) == ["self"]


@given(some.floats(OUTLIER_FACTOR * 1.1, 20.0), some.booleans())
def test_a_round_that_is_out_of_place_is_made_once_more_up_or_down(factor: float, faster: bool) -> None:
    machine = MachineState()
    still(machine, KNOWN_ROUNDS)
    assert machine.is_outlier({"tcp": 30_000.0 * (factor if faster else 1 / factor)})


@given(some.floats(1 / OUTLIER_FACTOR * 1.05, OUTLIER_FACTOR / 1.05))
def test_a_round_that_is_in_its_place_is_not(factor: float) -> None:
    machine = MachineState()
    still(machine, 40)
    assert not machine.is_outlier({"tcp": 30_000.0 * factor})


@given(RATES)
def test_nothing_is_out_of_place_before_a_place_is_known(rates: dict[str, float]) -> None:
    machine = MachineState()
    still(machine, KNOWN_ROUNDS - 1)
    assert not machine.is_outlier(rates)
    assert not machine.is_outlier({})


def test_one_echo_that_is_out_of_place_among_many_is_its_own_affair() -> None:
    machine = MachineState()
    for _ in range(KNOWN_ROUNDS):
        machine.add_round({"tcp": 30_000.0, "unix": 40_000.0, "pipe": 45_000.0})
    assert not machine.is_outlier({"tcp": 10_000.0, "unix": 40_000.0, "pipe": 45_000.0})
    assert machine.is_outlier({"tcp": 10_000.0, "unix": 13_000.0, "pipe": 45_000.0})


@given(some.lists(RATES, max_size=200))
def test_of_all_rounds_no_more_than_one_in_five_is_made_once_more(every: list[dict[str, float]]) -> None:
    machine, repeats = MachineState(), 0
    for counted, rates in enumerate(every, 1):
        if machine.is_outlier(rates):
            machine.add_repeat()
            repeats += 1
        machine.add_round(rates)
        assert repeats <= 1 + counted // ROUNDS_PER_REPEAT


def test_a_machine_that_stays_elsewhere_has_a_new_place_in_the_end() -> None:
    machine = MachineState()
    still(machine, 10)
    assert machine.is_outlier({"tcp": 15_000.0})
    still(machine, 30, rate=15_000.0)
    assert not machine.is_outlier({"tcp": 15_000.0})
