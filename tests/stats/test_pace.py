"""A missed rate is detected, and a late generator is distinguished from a saturated server."""

from typing import Any

import pytest

from callbench.analysis.load import result
from callbench.analysis.load.request import LoadRequest
from callbench.analysis.load.usage import Observations
from callbench.runner.drive import knees
from callbench.stats.estimate.interval import Interval, geometric_mean
from callbench.stats.load.pace import REACHED, missed, reached_per_s
from callbench.stats.load.rate import Window


def test_the_last_call_of_a_short_trial_does_not_make_its_target_look_missed() -> None:
    # 100 calls at 1000/s: the last is due at 0.1 s and answered 20 ms later.
    assert reached_per_s(100, 0.12e9, 0.02e9, Window(99, 10**8, 0)) == 1000.0
    # Answers that take as long as the whole window are in flight at its end: nothing was missed.
    assert reached_per_s(100, 0.2e9, 0.1e9, Window(50, 10**8, 100)) == 1000.0


def test_one_answer_that_takes_long_does_not_make_a_rate_look_missed() -> None:
    # 3,000 calls at 1000/s for 3 s, the last of which is answered after 7 s, the others at once.
    assert reached_per_s(3000, 7e9, 0.002e9, Window(2999.0, 3 * 10**9, 1)) == 1000.0


def test_a_server_that_is_too_slow_reaches_what_it_can() -> None:
    # Of 1,000 calls due within a second four clients begin 104; the rest wait, and are made in the nine that follow.
    reached = reached_per_s(1000, 10e9, 0.04e9, Window(102.0, 10**9, 4))
    assert 100 <= reached <= 106


def test_a_rate_is_missed_where_its_interval_lies_below() -> None:
    near, low = geometric_mean([990, 1000, 960]), geometric_mean([900, 910, 905])
    assert missed(1000, near, 10, 100) is None
    why = missed(1000, low, 10, 100)
    assert why is not None
    assert why.startswith("905 of 1,000 calls/s were reached: every client was waiting")
    assert missed(1000, Interval(980, None, None, 1), 10, 100) is not None


def test_two_unequal_forks_do_not_hide_that_a_rate_was_missed() -> None:
    wide = geometric_mean([3000, 6000])
    assert wide.high is not None
    assert wide.high > 1e5
    assert missed(1e5, wide, 10, 100) is not None


def test_a_starved_generator_is_blamed() -> None:
    late = missed(1000, Interval(1000, 999, 1001, 5), 40_000, 50_000)
    assert late is not None
    assert late.startswith("the generator itself was late, by 40,000 µs")
    short = missed(1000, Interval(500, 490, 510, 5), 40_000, 50_000)
    assert short is not None
    assert "calls/s were reached: the generator itself" in short
    # Late, but by less than a machine with other things to do always is; or by far less than the latency.
    assert missed(1000, Interval(1000, 999, 1001, 5), 900, 1000) is None
    assert missed(1000, Interval(1000, 999, 1001, 5), 4_000, 50_000) is None


def _driven(calls: int) -> Any:
    """So many calls of a microsecond within a second."""
    service = {"count": calls, "sum_ns": str(calls * 1000), "min_ns": 1000, "max_ns": 1000, "buckets": [[896, calls]]}
    nothing = {"user_ns": "0", "system_ns": "0"}
    return {
        "calls": calls,
        "errors": {},
        "elapsed_ns": 10**9 + 1000,
        "threads": 1,
        "processor": {"start": nothing, "end": nothing},
        "latency": service,
        "service": service,
        "lateness": None,
    }


@pytest.mark.parametrize("share", [0.5, REACHED - 0.001, REACHED + 0.001, 1.0])
def test_a_load_a_knee_and_a_cell_miss_a_rate_at_the_same_share(share: float) -> None:
    """Before, a load had missed its rate at 98 %, the others at 99 %."""
    target = 10_000
    done = _driven(round(share * target))
    load = result.compute_result(
        LoadRequest("http://127.0.0.1:80/", rate=target), done, 50, Observations(None, _UNSEEN)
    )
    step = knees.objective_result(done, "p99 under 20 us", target)
    cell = missed(target, Interval(step["reached_per_s"], None, None, 1), 10, 100)
    assert (load.rate_missed, not step["holds"], cell is not None) == (share < REACHED,) * 3


_UNSEEN: Any = {"elapsed_ns": 10**9, "seen_ns": 10**9, "processors": 2, "steal_ns": 0, "sides": []}
