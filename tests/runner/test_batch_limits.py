"""The resources of a batch, and which cells the probes watch."""

from pathlib import Path

import hypothesis.strategies as some
from hypothesis import given

from callbench.runner.machine.batch_limits import (
    MEMORY_SHARE,
    MOST_THREADS,
    MOST_UNITS,
    ResourceLimits,
    Resources,
    available_resources,
)

GIB = 1 << 30
EACH = some.builds(Resources, some.integers(0, 4 * GIB), some.integers(0, 500), some.just(1))


@given(some.lists(EACH, max_size=500), some.integers(0, 64 * GIB))
def test_units_are_taken_in_as_long_as_one_more_of_their_size_has_room(every: list[Resources], memory: int) -> None:
    limits, taken = ResourceLimits(memory), Resources()
    for one in every:
        if not limits.allows(taken):
            break
        taken += one
        # What was taken in was said to fit, but for what it takes more than the others did.
        assert taken.units <= MOST_UNITS
        assert taken.threads - one.threads <= MOST_THREADS
        assert taken.memory_bytes - one.memory_bytes <= memory


@given(some.lists(EACH, min_size=1, max_size=20))
def test_more_room_never_holds_less(every: list[Resources]) -> None:
    taken = sum(every, Resources())
    held = [ResourceLimits(memory).allows(taken) for memory in (0, GIB, 8 * GIB, 1 << 50)]
    assert held == sorted(held)
    assert not ResourceLimits(1 << 50, threads=taken.threads - 1).allows(taken)
    assert not ResourceLimits(1 << 50, units=taken.units).allows(taken)


def test_the_room_is_a_share_of_what_the_kernel_says_is_available(tmp_path: Path) -> None:
    said = tmp_path / "meminfo"
    said.write_text("MemTotal: 16777216 kB\nMemAvailable: 8388608 kB\n")
    assert available_resources(said).memory_bytes == int(8 * GIB * MEMORY_SHARE)
    small = available_resources(tmp_path / "nothing").memory_bytes
    said.write_text("MemAvailable: some\n")
    assert available_resources(said).memory_bytes == small > 0


@given(some.lists(EACH, min_size=1, max_size=20), some.integers(0, 50))
def test_others_are_of_the_mean_of_those_that_are(every: list[Resources], others: int) -> None:
    taken = sum(every, Resources())
    more = taken.with_more(others)
    assert more.units == taken.units + others
    assert more.memory_bytes == taken.memory_bytes + taken.memory_bytes * others // len(every)
    assert Resources().with_more(others) == Resources(0, 0, others)
