"""How much of a link a load used, from the bytes of its answers."""

import pytest

from callbench.runner.capacity.search import link_use

WAY = {"delay_ns": 35_000_000, "rate_bps": 12_000_000}
LTE = {"link": {"to_server": WAY, "to_client": WAY}}


@pytest.mark.parametrize("link", [{}, {"link": None}, {"link": {"to_client": {"delay_ns": 1}}}])
def test_without_a_limit_there_is_no_share(link: dict[str, object]) -> None:
    assert link_use(link, 1_000_000, 10**9) is None


def test_the_round_trip_before_the_first_answers_is_left_out() -> None:
    """A full link carries 12 Mbit/s from 70 ms after the start on; of it 4 % are headers of packets."""
    carried = int(12e6 / 8 * 0.43 / 1.04)
    assert link_use(LTE, carried, 500_000_000) == pytest.approx(1.0)


def test_a_load_that_ends_at_once_used_little() -> None:
    share = link_use(LTE, 100, 80_000_000)
    assert share is not None
    assert share < 0.01
    assert link_use(LTE, 0, 0) == 0.0
