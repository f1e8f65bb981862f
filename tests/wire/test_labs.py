"""Ledgers that are counted side by side, each in a lab of its own."""

import threading
import time
from typing import Any, Self

import pytest

from callbench.runner.wire import labs


class FakeLab:
    """Counts who uses it, and can be killed."""

    made: list["FakeLab"]

    def __init__(self, _placement: object) -> None:
        """Nobody uses it yet."""
        self.users, self.most, self.killed, self.closed = 0, 0, threading.Event(), False
        FakeLab.made.append(self)

    def __enter__(self) -> Self:
        """Return the lab."""
        return self

    def __exit__(self, *_: object) -> None:
        """Note that it was closed."""
        self.closed = True

    def kill(self) -> None:
        self.killed.set()


@pytest.fixture(autouse=True)
def fake_labs(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeLab.made = []
    monkeypatch.setattr(labs, "Lab", FakeLab)
    monkeypatch.setattr(labs, "labs_at_once", lambda jobs: min(3, jobs))


def test_results_come_in_order_and_no_lab_is_shared() -> None:
    placement: Any = None

    def count(lab: Any, job: int) -> int:
        lab.users += 1
        lab.most = max(lab.most, lab.users)
        time.sleep(0.01 * (5 - job % 5))
        lab.users -= 1
        return job * job

    found = list(labs.count_in_labs(placement, range(20), count))
    assert found == [(job, job * job) for job in range(20)]
    assert [lab.most for lab in FakeLab.made] == [1, 1, 1]
    assert all(lab.closed and not lab.killed.is_set() for lab in FakeLab.made)


def test_a_failure_ends_the_others_and_begins_no_more() -> None:
    placement: Any = None
    begun: list[int] = []

    def count(lab: Any, job: int) -> None:
        begun.append(job)
        if job == 0:
            raise KeyboardInterrupt
        # Ends by the kill alone.
        assert lab.killed.wait(60)

    with pytest.raises(KeyboardInterrupt):
        list(labs.count_in_labs(placement, range(20), count))
    assert all(lab.killed.is_set() and lab.closed for lab in FakeLab.made)
    # The place of the one that failed may have taken the next before all were ended.
    assert len(begun) <= 2 * len(FakeLab.made)
