"""`callbench peer` with the real JMeter, if it is installed, and the messages if something is wrong."""

import subprocess
from collections.abc import Callable

import pytest

from callbench.catalog import catalogue
from callbench.runner.peer import jmeter
from conftest import ROOT
from sealed import sealed

Run = Callable[..., subprocess.CompletedProcess[str]]

needs_jmeter = pytest.mark.skipif(jmeter.why_not() is not None, reason=str(jmeter.why_not()))


@needs_jmeter
@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_jmeter_drives_a_server_of_ours_and_its_answers_are_right(callbench: Run) -> None:
    if catalogue.load([ROOT / "adapters" / "rust"]).adapter("rust").why_not:
        pytest.skip("the engine is not built")
    options = ("--clients", 4, "--rounds", 1, "--seconds", 1, "--warm-up", 2, "--delay-us", 20_000, "--json")
    seen = callbench("peer", "load/http1:rust/hyper", *options)
    # 1: on a machine that starves one of the two they may differ; 3: one round cannot decide. Both are fine here.
    assert seen.returncode in {0, 1, 3}, seen.stderr
    told = sealed("peer", seen.stdout)
    [each] = told["rounds"]
    assert each["ours"]["errors"] == each["peers"]["errors"] == 0
    assert each["peers"]["rate_per_s"] > 0
    # No call can be shorter than what each waits, and no client can call more often.
    assert min(each["ours"]["median_ms"], each["peers"]["median_ms"]) >= 19
    assert max(each["ours"]["rate_per_s"], each["peers"]["rate_per_s"]) <= 4 / 0.02 * 1.05
    assert told["verdict"] in {"agree", "differ", "peer limited", "unsure"}


@needs_jmeter
@pytest.mark.engine
@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("native/json+supertcp", "is not called by the load driver"),
        ("http://127.0.0.1:1/", "refused"),
        ("nonsense", "nonsense"),
    ],
)
def test_a_target_that_cannot_be_driven_is_one_sentence(target: str, says: str, callbench: Run) -> None:
    seen = callbench("peer", target)
    assert seen.returncode == 2
    assert says in seen.stderr
