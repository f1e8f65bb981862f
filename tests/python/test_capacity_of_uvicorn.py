"""A capacity along the rate, of a real server: uvicorn. What is asserted holds on a machine of any speed."""

import subprocess
from collections.abc import Callable

import pytest

from callbench.catalog import catalogue
from conftest import ROOT
from sealed import sealed

PYTHON = catalogue.load([ROOT / "adapters" / "python"]).adapter("python")
MOST = 40

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(PYTHON.why_not is not None, reason=str(PYTHON.why_not)),
    pytest.mark.usefixtures("nothing_left"),
]


def test_the_rate_is_raised_until_most(callbench: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    options = ("--along", "rate", "--most", MOST, "--objective", "p90 under 2 s", "--seconds", 20, "--out", "kept")
    finished = callbench("capacity", "load/http1:python/uvicorn", *options, "--json")
    record = sealed("capacity", finished.stdout)
    assert (record["along"], record["state"], record["death"]) == ("rate", "finished", None)
    assert "calls/s with p90 under 2 s" in record["found"][0]
    levels = [one["level"] for one in record["steps"]]
    assert 1 <= min(levels) <= max(levels) <= MOST
    assert any(one["rate_per_s"] for one in record["steps"])
    if MOST in levels and all(one["holds"] for one in record["steps"]):
        # Loads of a few limits allow for the queue that they end too early for: less is said than was driven.
        assert record["capacity"]["end"] == "at least"
        assert MOST / 2 < record["capacity"]["level"] <= MOST
    # The folder says the same.
    assert sealed("capacity", callbench("show", "kept", "--json", check=True).stdout) == record
