"""Where a link takes nearly all of a call, its bytes and round trips are known exactly: little that is open matters."""

from dataclasses import replace

import pytest

from advice.simulated import Truth, record
from callbench.analysis.advice.advice import of_figures
from callbench.analysis.advice.choice import AdviceVerdict, choose
from callbench.analysis.advice.figures import Every
from callbench.analysis.advice.regions import lines_through
from callbench.catalog.situation.file import situation_of
from callbench.report.advice.words import headline, reasons

SLOW = situation_of({"links": [{"link": "25ms,1mbit"}]}, "the test")
PAYLOAD = 40_000.0
# Sizes that hardly differ, about 28.4 ms; and those that take 320 ms more, which hardly vary.
ALIKE = [Truth(f"native/s{place}+tcp-tls", 60.0 + 3 * place, 0.0002, 380.0 + place, 0.0) for place in range(10)]
PLAIN = [Truth(f"native/plain{place}+tcp-tls", 60.0, 0.001, 400.0, 1.0 + place / 100) for place in range(10)]


def noisy(seed: int, forks: int = 3, busy_times: float = 2.5) -> Every:
    """A busy machine: the time that was spent on it is 2.5 times as long in one fork of three."""
    every = record([*ALIKE, *PLAIN], {"Order": PAYLOAD}, SLOW, seed, forks)
    found = {}
    for place, (key, one) in enumerate(every.items()):
        times = one.here.latency_us["mean_us"]
        busy = {fork: us * (busy_times if (fork + place + seed) % 3 == 0 else 1) for fork, us in times.items()}
        found[key] = replace(one, here=replace(one.here, latency_us={"mean_us": busy}))
    return found


def bounded(every: Every, name: str) -> Every:
    """The same, and the rate of a stack is only a lower bound."""
    return {key: replace(one, at_most=key[0] == name) for key, one in every.items()}


@pytest.mark.parametrize("seed", range(5))
def test_noise_of_a_small_part_leaves_the_whole_decided(seed: int) -> None:
    """Three forks of 0.06 to 0.2 ms say little of how these vary, and it cannot matter beside 28 ms of the link."""
    choice = of_figures(noisy(seed), SLOW).choice
    assert choice.verdict is AdviceVerdict.EITHER
    assert not {*choice.leaders} & {one.name for one in PLAIN}


@pytest.mark.parametrize("place", range(5))
def test_an_upper_bound_of_a_small_part_leaves_the_whole_decided(place: int) -> None:
    """A call that was measured too slow takes what the link takes all the same."""
    advice = of_figures(bounded(noisy(1, busy_times=1.0), ALIKE[place].name), SLOW)
    assert advice.choice.verdict is AdviceVerdict.EITHER
    assert advice.map is not None
    along, _ = lines_through(advice.map)
    assert any(part.winner and part.low <= 25 < part.high for part in along)


def test_an_upper_bound_that_the_link_does_not_hold_up_leaves_it_open() -> None:
    near = situation_of({"links": [{"link": "loopback"}]}, "the test")
    quick, slow = (Truth(f"native/{name}+tcp-tls", us, 0.0, 380.0, 0.0) for name, us in (("a", 60.0), ("b", 120.0)))
    every = record([quick, slow], {"Order": PAYLOAD}, near, 1)
    assert of_figures(every, near).choice.verdict is AdviceVerdict.CHOOSE
    assert of_figures(bounded(every, slow.name), near).choice.verdict is AdviceVerdict.UNDECIDED


def test_an_upper_bound_below_all_others_is_the_least_whatever_it_is() -> None:
    """At most 60 us is less than 120: that was undecided, since nothing is known of how much less."""
    near = situation_of({"links": [{"link": "loopback"}]}, "the test")
    quick, slow = (Truth(f"native/{name}+tcp-tls", us, 0.0, 380.0, 0.0) for name, us in (("a", 60.0), ("b", 120.0)))
    every = record([quick, slow], {"Order": PAYLOAD}, near, 1)
    choice = of_figures(bounded(every, quick.name), near).choice
    assert (choice.verdict, choice.best) == (AdviceVerdict.CHOOSE, quick.name)


def test_what_took_less_than_the_clock_can_tell_is_left_out_by_that() -> None:
    """It said "the record does not have its money", though a price was given: what lacks is the server's time."""
    prices = {"gigabyte_out": 0.08, "processor_hour": 0.04}
    paid = situation_of({"links": [{"link": "loopback"}], "calls_per_second": 1_000, "prices": prices}, "the test")
    stacks = [Truth(f"native/{name}+tcp-tls", 60.0, 0.0, size, 0.0) for name, size in (("a", 380.0), ("b", 900.0))]
    every = record(stacks, {"Order": PAYLOAD}, paid, 1)
    assert not of_figures(every, paid).left_out
    key = (stacks[0].name, "Order")
    untold = {**every, key: replace(every[key], here=replace(every[key].here, server_us={}))}
    advice = of_figures(untold, paid)
    (left,) = advice.left_out
    assert left.stack == stacks[0].name
    assert not left.required
    assert left.why == ["its processor time for Order was not seen"]


@pytest.mark.parametrize(
    ("at_most", "least", "today", "leave"),
    [
        (["b"], {}, "c", True),
        (["a", "b"], {}, "c", True),
        (["b", "c"], {}, "c", False),
        (["b", "c"], {"c": 200}, "c", True),
        (["b", "c"], {"c": 101}, "c", False),
        (["b"], {}, "a", False),
    ],
)
def test_leaving_stays_shown_beside_a_bound_that_cannot_change_it(
    at_most: list[str], least: dict[str, float], today: str, leave: bool
) -> None:
    """A call of today's takes 300: whether one of 100 is the best, or one of at most 130, it is left."""
    values = {"a": at(100, 2), "b": at(130, 3), "c": at(300, 4)}
    floors = {name: at(least[name], 3) if name in least else {} for name in at_most}
    choice = choose(values, today, 0.05, 0.0, least=floors)
    assert (choice.verdict, choice.leave) == (AdviceVerdict.UNDECIDED, leave)
    assert "b" in choice.leaders
    assert (today in choice.leaders) != leave
    assert choice.comparison is not None
    assert not any(other.behind for other in choice.comparison.others if other.name in choice.open_bounds)


def test_an_advice_that_a_bound_leaves_open_says_that_today_is_left() -> None:
    """It said that no move is shown to save anything, and then that one takes a third of the time."""
    near = situation_of({"links": [{"link": "loopback"}], "today": "native/c+tcp-tls"}, "the test")
    stacks = [Truth(f"native/{name}+tcp-tls", us, 0.0, 380.0, 0.0) for name, us in (("a", 60), ("b", 80), ("c", 180))]
    advice = of_figures(bounded(record(stacks, {"Order": PAYLOAD}, near, 1), "native/b+tcp-tls"), near)
    assert headline(advice) == (
        "Leave native/c+tcp-tls. It is undecided which is the best of native/a+tcp-tls and native/b+tcp-tls."
    )
    (said,) = (sentence for sentence in reasons(advice) if "native/b+tcp-tls" in sentence)
    assert said == "native/b+tcp-tls may be better: only an upper bound of its mean time of a call is known."


def at(ms: float, wave: int) -> dict[int, float]:
    return {fork: ms * (1 + 0.001 * ((fork * wave) % 5 - 2)) for fork in range(6)}


@pytest.mark.parametrize(
    ("least", "today", "verdict"),
    [
        (None, "", AdviceVerdict.UNDECIDED),
        (99.5, "", AdviceVerdict.EITHER),
        (90.0, "", AdviceVerdict.UNDECIDED),
        (99.5, "c", AdviceVerdict.EITHER),
        (90.0, "c", AdviceVerdict.UNDECIDED),
        (99.5, "b", AdviceVerdict.STAY),
        (90.0, "a", AdviceVerdict.UNDECIDED),
    ],
)
def test_an_upper_bound_counts_where_the_least_would_change_it(
    least: float | None, today: str, verdict: AdviceVerdict
) -> None:
    values = {"a": at(100, 2), "b": at(100.1, 3), "c": at(300, 4)}
    floors = {"b": {} if least is None else at(least, 3)}
    assert choose(values, today, 0.05, 0.0, least=floors).verdict is verdict


@pytest.mark.parametrize(
    ("least", "today", "verdict"),
    [
        # Behind by its upper bound, which it may be far below: what is not shown to be behind is not.
        (None, "", AdviceVerdict.UNDECIDED),
        (80, "", AdviceVerdict.UNDECIDED),
        (None, "a", AdviceVerdict.UNDECIDED),
        (80, "a", AdviceVerdict.UNDECIDED),
        (200, "", AdviceVerdict.CHOOSE),
        (200, "a", AdviceVerdict.STAY),
    ],
)
def test_behind_an_upper_bound_is_behind_only_by_the_least_it_can_be(
    least: float | None, today: str, verdict: AdviceVerdict
) -> None:
    values = {"a": at(100, 2), "b": at(130, 3), "c": at(300, 4)}
    floors = {"c": {} if least is None else at(least, 4)}
    choice = choose(values, today, 0.05, 0.0, least=floors)
    assert choice.verdict is verdict
    assert ("c" in choice.leaders) == (verdict is AdviceVerdict.UNDECIDED)


def test_the_map_names_nobody_where_an_upper_bound_behind_might_win() -> None:
    """One that takes 120 us at most counted as behind one of 60 us, where no link holds either up."""
    near = situation_of({"links": [{"link": "loopback"}]}, "the test")
    quick, slow = (Truth(f"native/{name}+tcp-tls", us, 0.0, 380.0, 0.0) for name, us in (("a", 60.0), ("b", 120.0)))
    every = record([quick, slow], {"Order": PAYLOAD}, near, 1)
    known, bound = of_figures(every, near).map, of_figures(bounded(every, slow.name), near).map
    assert known is not None
    assert bound is not None
    # The fastest link with the shortest trip.
    assert (known.winners[-1][0], bound.winners[-1][0]) == (0, -1)
    # Over the slowest ones both are alike, whatever the bound holds.
    assert known.tied[0][-1]
    assert bound.tied[0][-1]


def test_candidates_that_differ_by_less_than_a_move_is_worth_are_alike() -> None:
    """45 EUR a month, or 36 to 54, where json costs 8,800: which of the two is open, and does not matter."""
    swings = {fork: 0.2 * (-1) ** fork for fork in range(6)}
    noise = {"a": at(45, 2), "b": {fork: 45 * (1 + swing) for fork, swing in swings.items()}, "json": at(8_800, 4)}
    assert choose(noise, "json", 0.05, 0.0).verdict is AdviceVerdict.UNDECIDED
    assert choose(noise, "json", 0.05, 0.0, worth=50.0).verdict is AdviceVerdict.EITHER
    assert choose(noise, "json", 0.05, 0.0, worth=1.0).verdict is AdviceVerdict.UNDECIDED


def test_money_of_bytes_is_as_certain_as_their_number() -> None:
    """Processor time after a sleep can be off by half; the bytes of a month were counted."""
    prices = {"processor_hour": 0.04, "gigabyte_out": 0.08}
    situation = situation_of(
        {"links": [{"link": "25ms,20mbit"}], "calls_per_second": 1000, "prices": prices}, "the test"
    )
    advice = of_figures(record([*ALIKE, *PLAIN], {"Order": PAYLOAD}, situation, 1), situation)
    money = advice.amounts[PLAIN[0].name]
    assert money.low is not None
    assert money.high is not None
    assert 0.99 < money.low / money.middle < 1 < money.high / money.middle < 1.01
    short = advice.amounts[ALIKE[0].name]
    assert short.high is not None
    assert short.high / short.middle > 1.01
