"""kill -9 of any process of a run on two hosts: no finished round is lost, nothing is left, and it goes on."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from killed_run import VICTIMS, KilledRun
from two_hosts import TwoHosts

from conftest import SMALL, assert_one_sentence

pytestmark = [pytest.mark.usefixtures("lab", "nothing_left"), pytest.mark.engine]
ROUNDS, FORKS = 40, 2


@pytest.fixture
def two(tmp_path: Path) -> Iterator[TwoHosts]:
    with ExitStack() as stack:
        yield TwoHosts(tmp_path, stack)


@pytest.mark.parametrize("victims", [("core", "scheduler", "beta"), ("adapter",)])
def test_a_killed_run_loses_no_round_and_goes_on(two: TwoHosts, tmp_path: Path, victims: tuple[str, ...]) -> None:
    """`bench/run kills_of_hosts` does it at a hundred moments, and says how long something was left."""
    assert set(victims) <= set(VICTIMS)
    file = tmp_path / "longer.toml"
    file.write_text(SMALL.replace("rounds = 2", f"rounds = {ROUNDS}"))
    words = ("--forks", FORKS, "--seed", 3, "--no-baselines", "--select", "stack=honest/tcp")
    run = KilledRun(two, file, words, seed=len(victims))
    for victim in victims:
        kill = run.kill(victim)
        assert kill.lost == 0, kill
        if victim == "scheduler":
            assert_the_scheduler_is_named(kill.said)
    codes = {0, 1} if "adapter" in victims else {0}
    assert run.finish() in codes
    assert run.finished
    if "adapter" not in victims:
        assert len(run.rounds()) == ROUNDS * FORKS


def assert_the_scheduler_is_named(said: str) -> None:
    """Nothing of Dask's, and one sentence: no host is to blame."""
    assert "distributed" not in said
    assert "Traceback" not in said
    says = ["the scheduler at", "has ended: run `callbench hosts start`", "--resume"]
    assert_one_sentence(said.splitlines()[-1], says)
