"""What the probes recorded beside a real trial on a machine that others kept busy, and what is made of it."""

import json
from pathlib import Path

import pytest

from callbench.analysis.judge.neighbours import disturbances_of, disturbed_by, wait_share
from callbench.stats.load.bottleneck import Evidence, Limit, Side, verdict_of
from callbench.store.lines.rounds import Probed

BUSY: Probed = json.loads((Path(__file__).parent / "recorded" / "busy-machine.json").read_text())


def recorded(side: str) -> Side:
    processors = BUSY["processors"]
    one = next(one for one in processors["sides"] if one["side"] == side)
    elapsed = processors["elapsed_ns"]
    return Side(one["run_ns"] / elapsed, None, wait_share(one), one["neighbour_ns"] / elapsed)


def test_a_busy_machine_disturbs_a_trial_and_says_how() -> None:
    assert disturbed_by(BUSY) == "other processes took 61.6 % of a side's processors, which waited 64.7 % of the time"
    assert disturbances_of(BUSY).gap_share == pytest.approx(0.0)


def test_a_quiet_one_or_one_without_probes_is_not_disturbed() -> None:
    assert disturbed_by({}) == ""
    assert disturbed_by({"gaps": {}, "processors": {}}) == ""


def test_a_generator_that_was_starved_is_found_out_where_the_server_was_not() -> None:
    quiet = Side(busy=0.4, thread=0.4, waited=0.01, neighbours=0.0)
    starved = Evidence(clients=8, in_process=False, client=recorded("server"), server=quiet)
    verdict = verdict_of(starved)
    assert verdict.limit is Limit.GENERATOR
    assert verdict.at_least
    assert "other programs took 62 %" in verdict.why


def test_both_sides_starved_alike_is_a_shared_processor() -> None:
    both = Evidence(clients=8, in_process=False, client=recorded("client"), server=recorded("server"))
    assert verdict_of(both).limit is Limit.SHARED
