"""An objective that a link alone breaks: bytes and round trips are known, however few calls know a percentile."""

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from advice.simulated import Truth, record
from callbench.analysis.advice.advice import Advice, of_figures
from callbench.analysis.advice.choice import AdviceVerdict
from callbench.analysis.advice.figures import Every
from callbench.catalog.situation.file import situation_of
from callbench.report.advice.sections import sections
from callbench.report.advice.words import headline
from callbench.stats.decide.decision import Outcome

if TYPE_CHECKING:
    from callbench.stats.wire.link import Way

# One round trip, and 400 bytes of which the rate takes 0.2 ms or nothing.
STACKS = [Truth(f"native/{name}+tcp-tls", us, 0.0, 400.0, 0.0) for name, us in (("a", 60.0), ("b", 90.0))]


def advised(objective: str, link: str, *, few_calls: bool = True, at_most: bool = False) -> Advice:
    situation = situation_of({"links": [{"link": link}], "objective": objective}, "the test")
    every = record(STACKS, {"Order": 100.0}, situation, 1)
    return of_figures(_known(every, few_calls=few_calls, at_most=at_most), situation)


def _known(every: Every, *, few_calls: bool, at_most: bool) -> Every:
    """Leave out what was measured over the link, and p99, if too few calls know it."""
    found = {}
    for key, figures in every.items():
        times = {name: by for name, by in figures.here.latency_us.items() if not few_calls or name == "mean_us"}
        found[key] = replace(figures, here=replace(figures.here, latency_us=times), over={}, at_most=at_most)
    return found


@pytest.mark.parametrize(
    ("objective", "link", "verdict"),
    [
        ("p99 under 150 ms", "200ms,100mbit", AdviceVerdict.NONE),
        ("p90 under 200 ms", "200ms,100mbit", AdviceVerdict.NONE),
        ("max under 199.9 ms", "200ms", AdviceVerdict.NONE),
        ("p99 under 250 ms", "200ms,100mbit", AdviceVerdict.UNDECIDED),
        ("p99 under 5 ms", "0.1ms,0.1mbit", AdviceVerdict.NONE),
    ],
)
def test_too_slow_a_link_fails_all_by_a_percentile_that_nobody_knows(
    objective: str, link: str, verdict: AdviceVerdict
) -> None:
    advice = advised(objective, link)
    assert advice.choice.verdict is verdict
    assert bool(advice.failing) is (verdict is AdviceVerdict.NONE)
    assert all(check.at_least and check.outcome is Outcome.FAILED for check in advice.met)


def test_what_the_link_takes_is_said_as_the_least() -> None:
    advice = advised("p99 under 150 ms", "200ms")
    assert headline(advice).endswith("comes nearest, with at least 200 ms over the slowest one.")
    (table,) = (section for section in sections(advice) if section.id == "objective")
    assert [row[2:] for row in table.sheets[0].rows] == [("at least 200", "the link alone", "not met")] * 2


@pytest.mark.parametrize(("jitter_ms", "verdict"), [(0.0, AdviceVerdict.NONE), (30.0, AdviceVerdict.UNDECIDED)])
def test_a_jitter_can_make_a_call_faster(jitter_ms: float, verdict: AdviceVerdict) -> None:
    """Of 90 to 150 ms each way, no call takes less than 180, and 240 is what it takes in the middle."""
    way: Way = {"delay_ns": 120_000_000, "jitter_ns": round(jitter_ms * 1e6)}
    situation = situation_of({"links": [{"link": "240ms"}], "objective": "p99 under 200 ms"}, "the test")
    links = [replace(situation.links[0], wire={"link": {"to_server": way, "to_client": way}})]
    situation = replace(situation, links=links)
    every = _known(record(STACKS, {"Order": 100.0}, situation, 1), few_calls=True, at_most=False)
    assert of_figures(every, situation).choice.verdict is verdict


def test_a_time_that_callbench_limited_fails_no_objective_by_itself() -> None:
    """At most 60 us is no failure of 50 us, since the true time may be less; 250 us of a link are one."""
    assert advised("mean under 50 us", "loopback").choice.verdict is AdviceVerdict.NONE
    assert advised("mean under 50 us", "loopback", at_most=True).choice.verdict is AdviceVerdict.UNDECIDED
    assert advised("mean under 200 us", "0.25ms", at_most=True).choice.verdict is AdviceVerdict.NONE
    assert advised("mean under 500 us", "loopback", at_most=True).choice.verdict is not AdviceVerdict.NONE
