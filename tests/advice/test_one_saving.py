"""What a move saves, as a share and as an amount: one value with one interval, by which it is decided too."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from advice.simulated import Truth, record, true_value
from callbench.analysis.advice.advice import Advice, of_figures
from callbench.analysis.advice.choice import AdviceVerdict, choose
from callbench.analysis.advice.one_saving import saved_of
from callbench.analysis.advice.savings import MONEY, CostLine
from callbench.catalog.situation.file import situation_of
from callbench.model.situation import Situation
from callbench.report.advice.words import headline, reasons
from callbench.stats.estimate.difference import Difference
from callbench.stats.estimate.interval import Interval

PAYLOAD = 1_000.0
TODAY, BEST = "native/json+tcp-tls", "native/avro+tcp-tls"
STACKS = [Truth(TODAY, 130.0, 0.001, 300.0, 1.0), Truth(BEST, 110.0, 0.001, 300.0, 1.0),
          Truth("native/soap+tcp-tls", 220.0, 0.001, 300.0, 1.0)]  # fmt: skip
PRICES = {"calls_per_second": 20_000, "prices": {"processor_hour": 0.05}, "links": [{"link": "loopback"}]}


def advised(seed: int, forks: int = 3, noise: float = 0.1, **said: Any) -> tuple[Advice, Situation]:
    """An advice on few forks that differ much, as a busy machine makes them."""
    situation = situation_of({"today": TODAY, **PRICES, **said}, "the test")
    every = record(STACKS, {"Order": PAYLOAD}, situation, seed, forks)
    found = {}
    for place, (key, figures) in enumerate(every.items()):
        spent = {fork: us * math.exp(noise * math.sin(7.1 * fork + 3.3 * place + seed))
                 for fork, us in figures.here.server_us.items()}  # fmt: skip
        found[key] = replace(figures, here=replace(figures.here, server_us=spent))
    return of_figures(found, situation), situation


def saving_of(advice: Advice) -> tuple[CostLine, Difference]:
    line = next(line for line in advice.lines if line.name == MONEY)
    assert line.saved is not None
    return line, line.saved


def cases() -> Iterator[tuple[Advice, CostLine, Difference, Interval]]:
    for seed in range(40):
        advice, _ = advised(seed)
        move = (advice.choice.moves or {}).get(advice.choice.best)
        if move is not None and advice.beside == TODAY:
            yield advice, *saving_of(advice), move.ratio


def test_a_share_and_an_amount_are_decided_alike() -> None:
    """`18 % less (6 to 29 %)` stood beside `13 EUR (-19 to 45)`: the forks alone, without what all stacks say."""
    shown = []
    for _, line, saved, ratio in cases():
        assert saved.low is not None
        assert saved.high is not None
        assert ratio.low is not None
        assert ratio.high is not None
        assert line.other is not None
        shown.append(ratio.high < 1)
        assert (saved.low > 0, saved.high < 0) == (ratio.high < 1, ratio.low > 1)
        assert saved.middle == pytest.approx(line.other.middle * (1 - ratio.middle))
    assert len({*shown}) == 2, "all are decided alike, so nothing was tried"


def test_what_is_saved_holds_the_truth() -> None:
    """Of 40 intervals of 95 %, fewer than 36 hold it with a chance of 5 %, were they not wider."""
    held = 0
    for seed in range(40):
        advice, situation = advised(seed, noise=0.0)
        _, saved = saving_of(advice)
        today, best = (true_value(truth, PAYLOAD, situation) for truth in STACKS[:2])
        held += bool(saved.holds(today - best if advice.beside == TODAY else best - today))
    assert held >= 36


def test_no_headline_denies_what_is_said_below_it() -> None:
    """Neither does it deny a saving above all that counts, nor keep today where more may be saved."""
    verdicts = set()
    for worth in (0.0, 10.0, 50.0, 400.0):
        for seed in range(10):
            advice, situation = advised(seed, worth=worth)
            _, saved = saving_of(advice)
            assert saved.low is not None
            assert saved.high is not None
            said = " ".join([headline(advice), *reasons(advice)])
            verdicts.add(advice.choice.verdict)
            margin = situation.margin * advice.amounts[TODAY].middle
            if advice.choice.verdict is AdviceVerdict.STAY and advice.beside != TODAY:
                assert -saved.low <= max(worth, margin) * 1.001, said
            if advice.choice.verdict is AdviceVerdict.UNDECIDED and advice.beside == TODAY and not advice.choice.leave:
                assert saved.low <= max(worth, margin) or "correction" in said, said
                assert not worth or f"{worth:g} EUR a month" in headline(advice), said
    assert {AdviceVerdict.STAY, AdviceVerdict.UNDECIDED} <= verdicts


@pytest.mark.parametrize(
    ("ratio", "low", "high"),
    [
        (Interval(0.8, 0.7, 0.9, 3), 8.0, 36.0),
        (Interval(0.9, 0.8, 1.1, 3), -12.0, 24.0),
        (Interval(1.2, 1.1, 1.3, 3), -36.0, -8.0),
    ],
)
def test_a_saving_is_a_share_of_all_that_the_other_may_need(ratio: Interval, low: float, high: float) -> None:
    saved = saved_of(Difference(100.0, 80.0, 120.0, 3), ratio)
    assert saved.middle == pytest.approx(100 * (1 - ratio.middle))
    assert saved.low == pytest.approx(low)
    assert saved.high == pytest.approx(high)


def test_staying_is_shown_by_the_interval_that_is_shown() -> None:
    """A share of 4.5 % at most was undecided at a margin of 5 %: the error of predictions counted twice."""
    swings = {fork: (-1) ** fork for fork in range(6)}
    values = {"today": dict.fromkeys(swings, 100.0), "other": {fork: 99.0 + 0.3 * by for fork, by in swings.items()}}
    choice = choose(values, "today", 0.05, math.log1p(0.03))
    assert choice.moves is not None
    low = choice.moves["other"].ratio.low
    assert low is not None
    assert 1 / 1.05 < low < 0.96
    assert choice.verdict is AdviceVerdict.STAY


@pytest.mark.parametrize(("most", "verdict"), [(100.0, AdviceVerdict.STAY), (200.0, AdviceVerdict.UNDECIDED)])
def test_today_is_kept_only_if_no_saving_may_be_worth_a_move(most: float, verdict: AdviceVerdict) -> None:
    """40 % of 100 is not worth 50; of up to 200, it may be."""
    values = {"today": dict.fromkeys(range(6), 100.0), "other": {fork: 60 + 0.1 * (fork % 2) for fork in range(6)}}
    amounts = {"today": Difference(100.0, 50.0, most, 6), "other": Difference(60.0, 30.0, 0.6 * most, 6)}
    assert choose(values, "today", 0.05, 0.0, worth=50.0, amounts=amounts).verdict is verdict
