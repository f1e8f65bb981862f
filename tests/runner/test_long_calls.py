"""Cells with calls that are long for their slices get longer slices, and no other cell does."""

import random

import pytest

from callbench.model.cell import Cell, Load
from callbench.runner.drive.long_calls import MOST_SECONDS, LongCalls
from callbench.runner.drive.slices import Length, length_of
from known.driving import closed
from known.servers import Pool

FACTOR = 300.0


def cell(clients: int) -> Cell:
    return Cell("c1", "g", "a/x+y", "Sum", {}, Load(clients, 4, 0.02))


def after_slices(clients: int, *, workers: int, service_s: float, slow_share: float, slices: int = 60) -> Length:
    """The length of slices after so many, of a server some of whose calls take 300 times as long."""
    dice, one, long_calls = random.Random(5), cell(clients), LongCalls()  # noqa: S311 - to be repeated
    first = length_of(one.load)
    for _ in range(slices):
        length = long_calls.lengthened(one, first)
        server = Pool(workers, service_s, slow_share=slow_share, slow_factor=FACTOR, dice=dice)
        # A slice lasts for its calls too.
        seconds = max(length.seconds, length.calls * service_s / min(workers, clients))
        long_calls.add_slice(one, first, closed(server, clients, seconds))
    return long_calls.lengthened(one, first)


@pytest.mark.parametrize("clients", [2, 8, 64])
@pytest.mark.parametrize("workers", [1, 4, 64])
def test_stalls_of_300_ms_get_slices_of_several_of_them(clients: int, workers: int) -> None:
    """A server of 4 workers whose slow calls hold up others was 13 % too fast in slices of 20 ms."""
    assert after_slices(clients, workers=workers, service_s=0.001, slow_share=0.001).seconds >= 5 * 0.3


def test_the_longest_slice_has_a_bound() -> None:
    assert after_slices(8, workers=8, service_s=0.004, slow_share=0.001).seconds == MOST_SECONDS


@pytest.mark.parametrize("service_s", [0.0001, 0.001, 0.008, 0.03])
@pytest.mark.parametrize("workers", [1, 4, 64])
def test_calls_that_are_alike_keep_their_slices(workers: int, service_s: float) -> None:
    assert after_slices(8, workers=workers, service_s=service_s, slow_share=0.0) == length_of(cell(8).load)


def test_one_client_needs_none() -> None:
    """All of its calls count over all of its time."""
    assert after_slices(1, workers=1, service_s=0.001, slow_share=0.001) == length_of(cell(1).load)
