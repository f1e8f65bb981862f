"""A steady call's count: exact if two counts in whole bytes agree, else a mean with its spread."""

import pytest

from callbench.analysis.wire.accounts import Ledger
from callbench.analysis.wire.counts import FIGURES, STEADY, Row, stream
from callbench.runner.wire.trial import counts_agree, steady_counts


def count(to_server: float, to_client: float = 26, packets: float = 1) -> list[Row]:
    """A count of one call."""
    row: Row = dict.fromkeys(FIGURES, 0) | {"connections": 0, "packets": packets}
    return [
        {**row, "direction": "to_server", "payload": to_server},
        {**row, "direction": "to_client", "payload": to_client},
    ]


def test_a_count_that_came_twice_in_a_row_is_exact() -> None:
    found = steady_counts([count(50), count(49), count(49)])
    assert (found.exact, stream(found.rows), found.counts) == (True, 75, [76, 75, 75])


def test_a_fraction_that_came_twice_is_no_exact_count() -> None:
    # A ping of two bytes in every other drive of four calls: 49.5 bytes a call, the same mean again and again.
    counts = [count(49.5), count(49.5), count(49.5)]
    assert not counts_agree(counts)
    assert not steady_counts(counts).exact


def test_halves_of_both_directions_do_not_make_a_whole() -> None:
    assert not counts_agree([count(49.5, 26.5), count(49.5, 26.5)])


def test_what_never_agreed_is_the_mean_of_all_and_says_how_far_it_varied() -> None:
    found = steady_counts([count(47), count(48, packets=2), count(47), count(48, packets=2)])
    assert not found.exact
    assert stream(found.rows) == 73.5
    assert [row["packets"] for row in found.rows] == [1.5, 1.5]
    ledger = Ledger({STEADY: found.rows}, 8, 4, found.exact, found.counts)
    assert ledger.reach == pytest.approx((73, 74))
    assert ledger.by_count()["stream_bytes"] == {0: 73, 1: 74, 2: 73, 3: 74}


@pytest.mark.parametrize("counts", [(), (75.0, 75.0)])
def test_an_exact_account_has_no_reach(counts: tuple[float, ...]) -> None:
    ledger = Ledger({STEADY: count(49)}, 8, 4, True, counts)
    assert ledger.reach is None
    assert ledger.by_count() == {}
