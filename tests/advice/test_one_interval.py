"""No value of an advice stands on its page with two intervals: among the candidates, the costs and the objective."""

from dataclasses import replace
from typing import Any

import pytest

from advice.simulated import Truth, record
from callbench.analysis.advice.advice import Advice, of_figures
from callbench.catalog.situation.file import situation_of
from callbench.report.advice.sections import sections
from callbench.report.advice.words import depends, headline, reasons
from intervals_of_page import figures, with_two_intervals

STACKS = [Truth(f"native/{name}+tcp-tls", us, 0.002, 300.0, 1 + us / 500)
          for name, us in (("json", 220.0), ("avro", 90.0), ("cbor", 131.0), ("soap", 410.0))]  # fmt: skip
PRICES = {"calls_per_second": 1000, "prices": {"processor_hour": 0.04, "gigabyte_out": 0.08}}
SITUATIONS: dict[str, dict[str, Any]] = {
    "time": {"links": [{"link": "25ms,20mbit"}]},
    "time over two links": {"links": [{"link": "25ms,20mbit", "share": 0.7}, {"link": "2ms,100mbit", "share": 0.3}]},
    "money": {"links": [{"link": "25ms,20mbit"}], **PRICES},
    "processor": {"links": [{"link": "25ms,20mbit"}], "goal": "processor"},
    "objective": {"links": [{"link": "25ms,20mbit"}], "objective": "mean under 26 ms"},
}


def advised(name: str, seed: int, *, measured: bool) -> Advice:
    """An advice on stacks that were measured over the links too, or not all of them."""
    situation = situation_of(SITUATIONS[name], "the test")
    every = record(STACKS, {"Order": 4_000.0}, situation, seed)
    if not measured:
        every = {key: replace(known, over={}) for key, known in every.items()}
    return of_figures(every, situation)


def page(advice: Advice) -> str:
    """All that it says, a bar between the cells of a row."""
    sheets = [sheet for section in sections(advice, [], []) for sheet in section.every_sheet]
    rows = [" | ".join(row) for sheet in sheets for row in sheet.rows]
    return "\n".join([headline(advice), *reasons(advice), *depends(advice), *rows])


@pytest.mark.parametrize("measured", [True, False], ids=["measured", "predicted"])
@pytest.mark.parametrize("name", SITUATIONS)
def test_a_value_of_an_advice_has_one_interval(name: str, measured: bool) -> None:
    """Two stacks may have one value by chance, and not with each seed; what has two intervals has them with each."""
    pages = [page(advised(name, seed, measured=measured)) for seed in range(1, 6)]
    assert min(len(list(figures(text))) for text in pages) > 3, "the intervals are not found any more"
    found = [with_two_intervals(text) for text in pages]
    same = set.intersection(*(set(each) for each in found))
    assert [found[0][words] for words in same] == []


@pytest.mark.parametrize("measured", [True, False], ids=["measured", "predicted"])
@pytest.mark.parametrize("name", ["time", "money", "processor"])
def test_costs_have_the_amounts_of_the_candidates(name: str, measured: bool) -> None:
    """A predicted mean was said to be known to 0.1 % among the candidates, and to 5 % among the costs."""
    advice = advised(name, 1, measured=measured)
    best = advice.amounts[advice.choice.best]
    same = [line.own for line in advice.lines if line.own.middle == pytest.approx(best.middle, rel=1e-9)]
    assert same
    for amount in same:
        assert amount.low == pytest.approx(best.low, rel=1e-9)
        assert amount.high == pytest.approx(best.high, rel=1e-9)
