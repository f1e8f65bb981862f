"""A generator that lacked something is named, and the rate is then `at least`."""

from dataclasses import replace
from typing import Any

import pytest
from test_merge import drive, histogram

from callbench.adapter.joint_drive.verdict import why_starved
from callbench.stats.load.bottleneck import Evidence, Side, verdict_of


def busy(share: float) -> dict[str, dict[str, str]]:
    used = str(round(share * 1_000_000_000))
    return {"start": {"user_ns": "0", "system_ns": "0"}, "end": {"user_ns": used, "system_ns": "0"}}


@pytest.mark.parametrize(
    ("members", "host_busy", "says"),
    [
        ({"processor": busy(0.5)}, 0.7, ""),
        ({"processor": busy(0.95)}, 0.95, "host g2 was starved: its driver was 95 % busy; name more hosts"),
        ({"processor": busy(0.2)}, 0.97, "host g2 was starved: its processors were 97 % busy; end other programs"),
        ({"lateness": histogram([2_000_000] * 9 + [10] * 91)}, 0.1, "host g2 was starved: it was late for 9 %"),
        ({"lateness": histogram([2_000_000] * 1 + [10] * 99)}, 0.1, ""),
    ],
)
def test_what_a_generator_lacked(members: dict[str, Any], host_busy: float, says: str) -> None:
    found = why_starved("g2", drive([1_000] * 100, **members), host_busy)
    assert found.startswith(says)
    assert bool(found) == bool(says)


def test_a_starved_host_makes_the_rate_a_lower_bound() -> None:
    """Of a load, and of each level of a capacity, which is judged by the same evidence."""
    side = Side(busy=0.2)
    fair = Evidence(clients=10, in_process=False, client=Side(), server=side, driver=True)
    lacking = replace(fair, lacked="host g2 was starved: its driver was 95 % busy")
    assert not verdict_of(fair).at_least
    assert verdict_of(lacking).at_least
    assert verdict_of(lacking).why == lacking.lacked
