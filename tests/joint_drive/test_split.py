"""A load that is shared out among generators is the one that was asked for."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.adapter.joint_drive.split import MOST_GAPS, arrivals_of, calls_of, schedules_of, shares
from callbench.model.errors import BadInput
from callbench.stats.load import arrivals


@given(st.integers(0, 10_000), st.integers(1, 100))
def test_shares_add_up_and_differ_by_one_at_most(whole: int, parts: int) -> None:
    found = shares(whole, parts)
    assert sum(found) == whole
    assert max(found) - min(found) <= 1
    assert found == sorted(found, reverse=True)


@given(st.integers(0, 10_000), st.lists(st.integers(1, 100), min_size=1, max_size=20))
def test_calls_are_shared_out_by_clients(whole: int, clients: list[int]) -> None:
    """Three clients on two hosts, as many calls each: the mean of a queue of 30 ms was 25 ms."""
    assert calls_of(300, [2, 1]) == [200, 100]
    found = calls_of(whole, clients)
    assert all(abs(own - whole * count / sum(clients)) <= 1 for own, count in zip(found, clients, strict=True))
    assert sum(found) == whole or 1 in found


@given(st.integers(1, 300), st.integers(1, 7), st.floats(1, 1e6), st.booleans())
def test_arrivals_of_all_generators_are_the_schedule(count: int, parts: int, rate: float, constant: bool) -> None:
    gaps = arrivals.constant(rate, count) if constant else arrivals.poisson(rate, count, 7)
    dealt = arrivals_of(gaps, count, parts)
    together = np.sort(np.concatenate([np.cumsum(one.astype(np.int64)) for one in dealt]))
    assert together[:count].tolist() == arrivals.due_ns(gaps, count).tolist()
    # None begins its circle again before the whole is over.
    for one in dealt:
        assert int(one.astype(np.int64).sum()) >= int(arrivals.due_ns(gaps, count)[-1])


def test_the_files_of_a_schedule_last_as_long_as_the_drive(tmp_path: Path) -> None:
    """The circle of 100 arrivals in a second is replayed for 3 s, as a single generator would."""
    gaps = arrivals.poisson(100, 100, 3)
    file = tmp_path / "poisson.gaps"
    file.write_bytes(gaps.astype("<u8").tobytes())
    parts = [np.frombuffer(one.read_bytes(), "<u8") for one in schedules_of(file, 1, 3.0, 3)]
    together = np.sort(np.concatenate([np.cumsum(one.astype(np.int64)) for one in parts]))
    assert together[:300].tolist() == arrivals.due_ns(gaps, 300).tolist()


def test_more_arrivals_than_hosts_can_make_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "constant.gaps"
    file.write_bytes(arrivals.constant(1e6, 1_000_000).astype("<u8").tobytes())
    with pytest.raises(BadInput, match=f"at most {MOST_GAPS:,} arrivals .* give fewer --seconds, or more hosts"):
        schedules_of(file, 1, 3.0, 2)
