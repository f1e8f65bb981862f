"""The processor time of a call over a link, where both sides sleep before it: predicted, or measured."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from callbench.analysis.advice.advice import of_figures
from callbench.analysis.advice.checks import Check, checks, off_by
from callbench.analysis.advice.figures import Every, Figures, OverLink
from callbench.analysis.advice.savings import MONEY, CostLine, lines, processor_line
from callbench.catalog.situation.link_text import link_of
from callbench.model.situation import MONTH_S, Goal, Prices, Situation, SituationLink
from callbench.report.advice.words import not_measured

NAME = "office"
LINK = SituationLink(NAME, link_of("25ms,20mbit").wire, 1.0)
SITUATION = Situation([LINK])
FORKS = 5
CASES = 200
# Server and client, in a loop and over 25 ms and 20 Mbit/s, in µs: 12 cells of 6 native stacks, slices of 24 calls,
# while other programs kept the machine busy (2026-11-23).
MEASURED = {
    ("soap+http-keepalive", "Sum"): ((39.5, 183.2), (44.1, 229.1)),
    ("json+http-keepalive", "Sum"): ((38.6, 161.5), (42.3, 204.5)),
    ("bin+supertcp", "Sum"): ((30.6, 84.4), (31.8, 111.9)),
    ("protobuf+tcp", "Sum"): ((31.6, 85.0), (32.8, 109.4)),
    ("json+http2", "Sum"): ((45.1, 216.1), (51.4, 275.2)),
    ("json+http", "Sum"): ((73.1, 223.8), (103.2, 376.5)),
    ("soap+http-keepalive", "GetPersons"): ((65.1, 202.2), (114.8, 571.5)),
    ("json+http-keepalive", "GetPersons"): ((48.5, 181.9), (66.4, 306.6)),
    ("bin+supertcp", "GetPersons"): ((33.3, 101.9), (40.6, 164.4)),
    ("protobuf+tcp", "GetPersons"): ((36.7, 84.8), (45.1, 130.8)),
    ("json+http2", "GetPersons"): ((60.7, 231.5), (84.3, 349.8)),
    ("json+http", "GetPersons"): ((90.3, 256.6), (134.7, 479.4)),
}


def _figures(stack: str, group: str, server: tuple[float, float], client: tuple[float, float]) -> Figures:
    """One stack with one call, the same in every fork."""

    def spent(place: int) -> OverLink:
        forks = range(FORKS)
        times = {"mean_us": dict.fromkeys(forks, 100.0), "p99_us": dict.fromkeys(forks, 300.0)}
        return OverLink(times, dict.fromkeys(forks, server[place]), dict.fromkeys(forks, client[place]))

    row = {"packets": 1.0, "ip": 20.0, "tcp": 32.0, "payload": 100.0, "retransmitted": 0.0, "turns": 1.0}
    channel = stack.rpartition("+")[2]
    return Figures(
        stack, group, "call", "json", channel, spent(0), [{"connections": 0.0, **row}] * 2, 100.0, 50.0,
        {NAME: spent(1)},
    )  # fmt: skip


def _measured(group: str) -> list[Figures]:
    return [_figures(*key, *both) for key, both in MEASURED.items() if key[1] == group]


def _of_processors(found: list[Check]) -> list[Check]:
    return [one for one in found if one.what.startswith("processor time")]


@pytest.mark.parametrize("group", ["Sum", "GetPersons"])
def test_measured_cells_lie_within_the_interval_of_their_prediction(group: str) -> None:
    """Each is predicted from the other stacks, as they were on a real machine."""
    found = _of_processors(checks(_measured(group), SITUATION))
    assert len(found) == 12
    for one in found:
        assert one.predicted.low is not None
        assert one.predicted.high is not None
        assert one.predicted.low <= one.measured.middle <= one.predicted.high, one
        # A loop without a link is several times too low.
        assert 0.5 < one.off.middle < 2


def _drawn(number: int) -> Iterator[Figures]:
    """Draw stacks whose factors vary as they do on a machine, with noise."""
    random = np.random.default_rng(number)
    for stack in range(random.integers(2, 5)):
        here = float(random.lognormal(math.log(50), 0.4))
        over = here * float(random.lognormal(math.log(3.5), 0.25))
        yield _figures(f"stack/{stack}+channel{stack}", "call", (here, over), (here, over))


def test_the_interval_holds_what_is_measured_as_often_as_it_says() -> None:
    found = [one for number in range(CASES) for one in _of_processors(checks(list(_drawn(number)), SITUATION))]
    held = [(one.predicted.low or 0) <= one.measured.middle <= (one.predicted.high or 0) for one in found]
    assert len(held) > CASES
    assert sum(held) / len(held) > 0.93


def test_a_cell_is_never_predicted_from_itself() -> None:
    cells = _measured("Sum")
    changed = [replace(cells[0], over={NAME: replace(cells[0].over[NAME], server_us=dict.fromkeys(range(FORKS), 1e6))})]
    before, after = (
        next(one for one in _of_processors(checks(each, SITUATION)) if one.stack == cells[0].stack)
        for each in (cells, [*changed, *cells[1:]])
    )
    assert before.predicted == after.predicted
    assert before.measured != after.measured


def test_a_stack_alone_is_not_predicted() -> None:
    assert _of_processors(checks(_measured("Sum")[:1], SITUATION)) == []


def _lines(main: Every, other: Every, pair: tuple[str, str], situation: Situation = SITUATION) -> dict[str, CostLine]:
    found = lines([main, other], situation, pair, {"Sum": 1.0}, {}, partial(off_by, []))
    return {one.name: one for one in found}


def _bare(cells: list[Figures]) -> Every:
    return {(one.stack, one.group): replace(one, over={}) for one in cells}


def test_a_measured_cell_is_used_instead_of_a_prediction() -> None:
    cells = _measured("Sum")
    tested = {(one.stack, one.group): one for one in cells[:2]}
    name = processor_line("server", NAME)
    measured = _lines(_bare(cells), tested, (cells[0].stack, cells[1].stack))[name]
    assert not measured.predicted
    assert measured.own.middle == pytest.approx(183.2)
    assert measured.saved is not None
    assert measured.saved.middle == pytest.approx(161.5 - 183.2)
    predicted = _lines(_bare(cells), tested, (cells[0].stack, cells[2].stack))[name]
    assert predicted.predicted
    assert predicted.other is not None
    # json+http2 is on another channel: its factor is that of the two.
    assert predicted.other.holds(84.4)


def test_no_processor_time_is_below_nothing() -> None:
    """However much its forks differ."""
    one, other = _measured("Sum")[:2]
    spread = replace(one, here=replace(one.here, server_us={0: 1.0, 1: 100.0}))
    found = _lines(_bare([spread, other]), {}, (one.stack, other.stack))[processor_line("server")]
    assert found.own.low == 0.0
    assert found.own.middle == pytest.approx(50.5)


def test_money_of_a_month_has_the_processor_time_that_a_link_adds_everywhere() -> None:
    """One number: among the candidates, among the costs and in the sentence."""
    cells = [one for one in _measured("Sum") if one.channel == "http-keepalive"]
    prices = Prices("EUR", processor_hour=1.0)
    situation = replace(SITUATION, calls_per_s=100.0, prices=prices, goal=Goal.MONEY)
    advice = of_figures({(one.stack, one.group): one for one in cells}, situation)
    line = next(one for one in advice.lines if one.name == MONEY)
    assert not any("sleeps" in one.name for one in advice.lines)
    # The two stacks took 4.4 times as much over the link, in the geometric mean.
    factor = math.sqrt(183.2 / 39.5 * 161.5 / 38.6)
    month = 100 * MONTH_S / 3.6e9
    assert line.own.middle == pytest.approx(38.6 * factor * month)
    assert line.own.holds(161.5 * month)
    assert advice.amounts[advice.choice.best] == line.own
    assert advice.amounts[advice.beside] == line.other


def test_money_where_no_link_was_measured_is_without_it() -> None:
    situation = replace(SITUATION, calls_per_s=100.0, prices=Prices("EUR", processor_hour=1.0), goal=Goal.MONEY)
    advice = of_figures(_bare(_measured("Sum")), situation)
    assert advice.amounts["json+http-keepalive"].middle == pytest.approx(38.6 * 100 * MONTH_S / 3.6e9)
    assert any("Processor time over office is not known" in one for one in not_measured(advice))


def test_what_is_not_known_of_a_link_is_said() -> None:
    advice = of_figures(_bare(_measured("Sum")), SITUATION)
    assert any("Processor time over office is not known" in one for one in not_measured(advice))
    known = of_figures({(one.stack, one.group): one for one in _measured("Sum")}, SITUATION)
    assert not any("is not known" in one for one in not_measured(known))


@pytest.mark.parametrize(("calls", "told"), [(500.0, "500"), (10_000.0, "10,000"), (1_234_567.0, "1,234,567")])
def test_the_calls_of_a_load_are_written_in_full(calls: float, told: str) -> None:
    tested = {(one.stack, one.group): one for one in _measured("Sum")}
    advice = of_figures(tested, replace(SITUATION, calls_per_s=calls))
    assert any(f"At {told} calls/s the server keeps" in text for text in not_measured(advice))
