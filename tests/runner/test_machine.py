"""Whether a round is made once more: by its echoes alone, when they are out of place, and seldom."""

import inspect
import random

import hypothesis.strategies as some
from hypothesis import given

from callbench.runner.echoes import ELSEWHERE, KNOWN_ROUNDS, REPEATS_IN, Machine

RATES = some.dictionaries(some.sampled_from(("tcp", "unix", "pipe")), some.floats(1.0, 1e7), min_size=1)


def still(machine: Machine, rounds: int, rate: float = 30_000.0) -> None:
    """So many rounds where the machine stays in its place, but for some noise."""
    dice = random.Random(1)  # noqa: S311 - noise to be repeated, not a secret
    for _ in range(rounds):
        machine.counts({"tcp": rate * dice.uniform(0.97, 1.03)})


def test_it_is_told_of_echoes_and_of_nothing_else() -> None:
    for rule in (Machine.elsewhere, Machine.counts):
        assert list(inspect.signature(rule).parameters) == ["self", "rates"]
    assert list(inspect.signature(Machine.repeats).parameters) == ["self"]


@given(some.floats(ELSEWHERE * 1.1, 20.0), some.booleans())
def test_a_round_that_is_out_of_place_is_made_once_more_up_or_down(factor: float, faster: bool) -> None:
    machine = Machine()
    still(machine, KNOWN_ROUNDS)
    assert machine.elsewhere({"tcp": 30_000.0 * (factor if faster else 1 / factor)})


@given(some.floats(1 / ELSEWHERE * 1.05, ELSEWHERE / 1.05))
def test_a_round_that_is_in_its_place_is_not(factor: float) -> None:
    machine = Machine()
    still(machine, 40)
    assert not machine.elsewhere({"tcp": 30_000.0 * factor})


@given(RATES)
def test_nothing_is_out_of_place_before_a_place_is_known(rates: dict[str, float]) -> None:
    machine = Machine()
    still(machine, KNOWN_ROUNDS - 1)
    assert not machine.elsewhere(rates)
    assert not machine.elsewhere({})


def test_one_echo_that_is_out_of_place_among_many_is_its_own_affair() -> None:
    machine = Machine()
    for _ in range(KNOWN_ROUNDS):
        machine.counts({"tcp": 30_000.0, "unix": 40_000.0, "pipe": 45_000.0})
    assert not machine.elsewhere({"tcp": 10_000.0, "unix": 40_000.0, "pipe": 45_000.0})
    assert machine.elsewhere({"tcp": 10_000.0, "unix": 13_000.0, "pipe": 45_000.0})


@given(some.lists(RATES, max_size=200))
def test_of_all_rounds_no_more_than_one_in_five_is_made_once_more(every: list[dict[str, float]]) -> None:
    machine, repeats = Machine(), 0
    for counted, rates in enumerate(every, 1):
        if machine.elsewhere(rates):
            machine.repeats()
            repeats += 1
        machine.counts(rates)
        assert repeats <= 1 + counted // REPEATS_IN


def test_a_machine_that_stays_elsewhere_has_a_new_place_in_the_end() -> None:
    machine = Machine()
    still(machine, 10)
    assert machine.elsewhere({"tcp": 15_000.0})
    still(machine, 30, rate=15_000.0)
    assert not machine.elsewhere({"tcp": 15_000.0})
