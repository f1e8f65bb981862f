"""Processor time that lies under the clock's tick: an upper bound, carried as one to the advice."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from advice.simulated import Truth, record, true_value
from callbench.analysis.advice.advice import Advice, of_figures
from callbench.analysis.advice.choice import AdviceVerdict
from callbench.analysis.advice.figures import Every, Figures
from callbench.analysis.advice.prediction import at_least
from callbench.analysis.advice.savings import MONEY
from callbench.analysis.advice.scaling import Scale, ladders, scaled
from callbench.catalog.situation.file import situation_of
from callbench.model.situation import Situation
from callbench.report.advice.sections import sections
from callbench.report.advice.words import headline, reasons
from callbench.stats.estimate.processor_time import ForkUse, ProcessorTime

PAYLOAD = 1000.0
FORKS = 10


def _paid(gigabyte_out: float = 0.0, worth: float = 0.0) -> Situation:
    """A processor hour costs 1, so a microsecond a call costs 0.73 a month at 1,000 calls/s."""
    prices = {"gigabyte_out": gigabyte_out, "processor_hour": 1.0}
    asked = {"links": [{"link": "loopback"}], "calls_per_second": 1_000, "prices": prices, "worth": worth}
    return situation_of(asked, "the test")


def _stack(name: str, server_us: float, size: float = 400.0) -> Truth:
    return Truth(f"native/{name}+tcp-tls", 2 * server_us, 0.0, size, 0.0)


def _bounded(figures: Figures, most_us: float) -> Figures:
    forks = figures.here.server_us
    least = {"server_us": dict.fromkeys(forks, 0.0)}
    return replace(figures, here=replace(figures.here, server_us=dict.fromkeys(forks, most_us), least_us=least))


def _record(stacks: list[Truth], most_us: Mapping[str, float], situation: Situation, seed: int = 1) -> Every:
    """Measure stacks, some of them with a clock that tells no more than that they are under a bound."""
    every = record(stacks, {"Order": PAYLOAD}, situation, seed, FORKS)
    return {key: _bounded(each, most_us[key[0]]) if key[0] in most_us else each for key, each in every.items()}


def _advised(stacks: list[Truth], most_us: Mapping[str, float], situation: Situation) -> Advice:
    return of_figures(
        _record(stacks, {f"native/{name}+tcp-tls": us for name, us in most_us.items()}, situation), situation
    )


def _cells(advice: Advice, section: str) -> list[tuple[str, ...]]:
    made = next(each for each in sections(advice) if each.id == section)
    return [tuple(map(str, row)) for sheet in made.sheets for row in sheet.rows]


def test_the_bound_is_all_that_the_clock_can_have_missed() -> None:
    short = ProcessorTime({fork: ForkUse(0, 10_000_000, 1000) for fork in range(4)})
    assert not short.by_fork
    assert short.most_us == pytest.approx(10.0)
    # One fork of several saw less than a step, so none has a value of its own; together they used 3 to 11 steps.
    some = ProcessorTime({fork: ForkUse(20_000_000 if fork else 10_000_000, 10_000_000, 1000) for fork in range(4)})
    assert some.under is None
    assert not some.by_fork
    assert some.most_us >= 11 * 10_000_000 / 4000 / 1e3


def test_what_costs_less_than_others_even_at_its_bound_is_chosen() -> None:
    advice = _advised([_stack("a", 2.0), _stack("b", 30.0)], {"a": 5.0}, _paid())
    assert headline(advice).startswith("Choose native/a+tcp-tls.")
    assert not advice.left_out
    first, second = _cells(advice, "candidates")
    assert first[1] == "at most 3.65"
    assert second[2].startswith("at least ")
    money = next(row for row in _cells(advice, "savings") if row[0].startswith(MONEY))
    assert money[1] == "at most 3.65"
    assert money[3].startswith("at least ")
    assert any("native/a+tcp-tls saves at least " in said for said in reasons(advice))


def test_what_costs_more_by_its_bytes_alone_is_ruled_out() -> None:
    """A gigabyte costs 1, so 1,000 bytes a call more cost 2,628 a month."""
    stacks = [_stack("a", 2.0, 6_000.0), _stack("b", 30.0)]
    advice = _advised(stacks, {"a": 5.0}, _paid(gigabyte_out=1.0))
    assert headline(advice).startswith("Choose native/b+tcp-tls.")
    assert [row[3] for row in _cells(advice, "candidates")] == ["least", "behind"]


def test_what_may_cost_less_or_more_leaves_the_choice_open() -> None:
    advice = _advised([_stack("a", 2.0), _stack("b", 30.0)], {"a": 40.0}, _paid())
    assert advice.choice.verdict is AdviceVerdict.UNDECIDED
    assert "native/a+tcp-tls may be better: only an upper bound of its money a month is known." in reasons(advice)
    assert "at most 29.2" in [row[1] for row in _cells(advice, "candidates")]


def test_candidates_under_their_ticks_are_alike_where_no_move_pays() -> None:
    """Each costs at most 3.65 a month: whichever it is, no other saves 50."""
    stacks = [_stack(name, us) for name, us in (("a", 2.0), ("b", 4.0), ("c", 3.0))]
    bounds = dict.fromkeys(("a", "b", "c"), 5.0)
    assert _advised(stacks, bounds, _paid()).choice.verdict is AdviceVerdict.UNDECIDED
    advice = _advised(stacks, bounds, _paid(worth=50.0))
    assert advice.choice.verdict is AdviceVerdict.EITHER
    assert len(advice.choice.leaders) == len(stacks)
    today = replace(_paid(worth=50.0), today=stacks[1].name)
    assert _advised(stacks, bounds, today).choice.verdict is AdviceVerdict.STAY


def test_no_stack_is_named_that_the_truth_contradicts() -> None:
    """Each second stack is under a tick of between once and ten times what it takes."""
    decided = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        situation = _paid(gigabyte_out=float(random.choice([0.0, 0.05])), worth=float(random.choice([0.0, 20.0])))
        stacks = [_stack(name, float(random.lognormal(2.5, 1.0)), float(random.uniform(300, 1500))) for name in "abcd"]
        most = {each.name: each.here_us(PAYLOAD) / 2 * float(random.uniform(1.0, 10.0)) for each in stacks[::2]}
        choice = of_figures(_record(stacks, most, situation, seed), situation).choice
        true = {each.name: true_value(each, PAYLOAD, situation) for each in stacks}
        least, named = min(true.values()), [choice.best]
        if choice.verdict is AdviceVerdict.EITHER:
            named = list(choice.leaders)
        if choice.verdict in (AdviceVerdict.CHOOSE, AdviceVerdict.EITHER):
            decided += 1
            matters = max(0.05 * least, situation.worth)
            assert all(true[name] <= least + 1.1 * matters for name in named), (seed, choice.verdict, named, true)
    assert decided > 10


def _sized(us: Mapping[float, float], under: Mapping[float, float]) -> Every:
    """Measure a stack with several payloads: processor time by payload, and a bound where the clock told no more."""
    found = {}
    for payload in sorted({*us, *under}):
        truth = Truth("native/a+tcp-tls", 1.0, 0.0, 400.0, 1.0)
        figures = record([truth], {f"of{payload:g}": payload}, _paid(), 1)[truth.name, f"of{payload:g}"]
        here = replace(figures.here, server_us=dict.fromkeys(range(FORKS), us.get(payload, 0.0)))
        of_size = replace(figures, here=here)
        found[truth.name, f"of{payload:g}"] = _bounded(of_size, under[payload]) if payload in under else of_size
    return found


@pytest.mark.parametrize(
    ("factor", "low", "high"),
    [
        (1.0, 0.0, 6.0),
        # Measured at 10,000 bytes: 40, and here it takes from nothing to 6.
        (10.0, 34.0, 46.0),
        # From there on it grows by what it grew from 1,000 bytes: 40 at most, 34 at least.
        (19.0, 68.0, 86.0),
        # A smaller one needs no more.
        (0.5, 0.0, 6.0),
    ],
)
def test_bounds_of_one_size_lie_in_those_of_another(factor: float, low: float, high: float) -> None:
    every = _sized({10_000.0: 40.0}, {1_000.0: 6.0})
    here = {key: figures for key, figures in every.items() if key[1] == "of1000"}
    moved = scaled(here, ladders(every), Scale(["Order"], answers=factor, requests=factor))
    assert moved is not None
    (figures,) = moved.values()
    assert [*figures.here.server_us.values()] == pytest.approx([high] * FORKS)
    assert [*at_least(figures).here.server_us.values()] == pytest.approx([low] * FORKS)


def test_a_known_time_becomes_a_bound_where_another_size_has_one() -> None:
    every = _sized({10_000.0: 40.0}, {1_000.0: 6.0})
    here = {key: figures for key, figures in every.items() if key[1] == "of10000"}
    moved = scaled(here, ladders(every), Scale(["Order"], answers=0.1, requests=0.1))
    assert moved is not None
    (figures,) = moved.values()
    assert figures.here.server_us[0] == pytest.approx(6.0)
    assert at_least(figures).here.server_us[0] == pytest.approx(0.0)
