"""How much of a link a load used, from the bytes of its requests and answers."""

import pytest

from callbench.runner.capacity.search import link_use
from callbench.stats.wire.link import Way, Wire

WAY: Way = {"delay_ns": 35_000_000, "rate_bps": 12_000_000}
LTE: Wire = {"link": {"to_server": WAY, "to_client": WAY}}


@pytest.mark.parametrize("link", [{}, {"link": None}, {"link": {"to_client": {"delay_ns": 1}}}])
def test_without_a_limit_there_is_no_share(link: Wire) -> None:
    assert link_use(link, (1_000_000, 1_000_000), 10**9) is None


def test_the_round_trip_before_the_first_answers_is_left_out() -> None:
    """A full link carries 12 Mbit/s from 70 ms after the start on; of it 4 % are headers of packets."""
    carried = int(12e6 / 8 * 0.43 / 1.04)
    assert link_use(LTE, (0, carried), 500_000_000) == pytest.approx(1.0)


def test_a_load_that_ends_at_once_used_little() -> None:
    share = link_use(LTE, (100, 100), 80_000_000)
    assert share is not None
    assert share < 0.01
    assert link_use(LTE, (0, 0), 0) == 0.0


def test_requests_fill_a_link_as_answers_do() -> None:
    """Uploads over a link of 12 Mbit/s used 1 % of it, by their answers."""
    carried = int(12e6 / 8 * 0.43 / 1.04)
    assert link_use(LTE, (carried, carried // 100), 500_000_000) == pytest.approx(1.0)


def test_each_way_has_a_rate_of_its_own_and_the_fuller_one_counts() -> None:
    """A line with a tenth of its rate towards the server is full there with a tenth of the bytes."""
    line: Wire = {"link": {"to_server": {**WAY, "rate_bps": 1_200_000}, "to_client": WAY}}
    carried = int(12e6 / 8 * 0.43 / 1.04)
    assert link_use(line, (carried // 10, carried // 2), 500_000_000) == pytest.approx(1.0, rel=1e-4)
    assert link_use(line, (carried // 40, carried // 2), 500_000_000) == pytest.approx(0.5, rel=1e-4)
    upward: Wire = {"link": {"to_server": WAY, "to_client": {"delay_ns": 35_000_000}}}
    assert link_use(upward, (carried, carried), 500_000_000) == pytest.approx(1.0)
