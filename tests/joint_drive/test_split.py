"""A load that is shared out among generators is the one that was asked for."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.adapter.joint_drive.split import MOST_GAPS, arrivals_of, calls_of, owners, schedules_of, shares
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


@given(st.integers(1, 300), st.integers(1, 20), st.integers(1, 7), st.floats(1, 1e6), st.booleans())
def test_arrivals_of_all_generators_are_the_schedule(
    count: int, clients: int, hosts: int, rate: float, constant: bool
) -> None:
    gaps = arrivals.constant(rate, count) if constant else arrivals.poisson(rate, count, 7)
    each = [share for share in shares(clients, hosts) if share]
    dealt = arrivals_of(gaps, count, each)
    together = np.sort(np.concatenate([np.cumsum(one.astype(np.int64)) for one in dealt]))
    assert together[:count].tolist() == arrivals.due_ns(gaps, count).tolist()
    # None begins its circle again before the whole is over.
    for one in dealt:
        assert int(one.astype(np.int64).sum()) >= int(arrivals.due_ns(gaps, count)[-1])


@given(st.integers(0, 1000), st.integers(1, 50), st.integers(1, 7))
def test_a_host_has_the_arrivals_of_its_clients(count: int, clients: int, hosts: int) -> None:
    """By hosts, one with a client of three had half of the calls."""
    assert np.bincount(owners(300, [2, 1])).tolist() == [200, 100]
    each = [share for share in shares(clients, hosts) if share]
    found = np.bincount(owners(count, each), minlength=len(each))
    assert found.sum() == count
    turns, rest = divmod(count, clients)
    assert all(turns * share <= own <= turns * share + min(rest, share) for own, share in zip(found, each, strict=True))


def made_by(gaps: "arrivals.Gaps", calls: int, seconds: float) -> list[int]:
    """The moments at which a load loop makes calls by a schedule, as LOOP.md has it."""
    made: list[int] = []
    due = 0
    for number in range(10 * (calls + len(gaps))):
        due += int(gaps[number % len(gaps)])
        if number >= calls and due >= round(1e9 * seconds):
            return made
        made.append(due)
    raise AssertionError("it goes on for too long")


@given(st.integers(1, 40), st.sampled_from((0, 0.3, 0.77, 1, 1.2, 2)), st.integers(1, 60), st.booleans(), st.data())
def test_hosts_make_the_calls_of_one_and_no_others(
    count: int, circles: float, calls: int, constant: bool, data: st.DataObject
) -> None:
    """Also where the time ends within the circle, at its end, or before a host has an arrival."""
    gaps = arrivals.constant(100, count) if constant else arrivals.poisson(100, count, 5)
    seconds = circles * count / 100
    clients = shares(data.draw(st.integers(1, 9)), data.draw(st.integers(1, 5)))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "one.gaps"
        file.write_bytes(gaps.astype("<u8").tobytes())
        dealt = schedules_of(file, calls, seconds, [share for share in clients if share])
        made = [made_by(np.frombuffer(own.read_bytes(), "<u8"), least, seconds) for least, own in dealt]
    assert sorted(due for own in made for due in own) == made_by(gaps, calls, seconds)


def test_more_arrivals_than_hosts_can_make_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "constant.gaps"
    file.write_bytes(arrivals.constant(1e6, 1_000_000).astype("<u8").tobytes())
    with pytest.raises(BadInput, match=f"at most {MOST_GAPS:,} arrivals .* give fewer --seconds, or more hosts"):
        schedules_of(file, 1, 3.0, [1, 1])
