"""A choice among many that are alike: their number, and which of them needs the least of what costs money."""

import pytest

from advice.simulated import Truth, record
from callbench.analysis.advice.advice import of_figures
from callbench.analysis.advice.choice import AdviceVerdict
from callbench.catalog.situation.link_text import link_of
from callbench.model.situation import Situation, SituationLink
from callbench.report.advice import words

LINK = SituationLink("far", link_of("100ms,100mbit").wire, 1.0)


@pytest.mark.parametrize("small", [2, 5])
def test_many_that_are_alike_are_counted_and_the_thriftiest_named(small: int) -> None:
    truths = [
        Truth(f"stack/{number}", 40.0 if number == 3 else 80.0, 0.001, 100.0 if number == small else 300.0, 1.0)
        for number in range(6)
    ]
    advice = of_figures(record(truths, {"call": 100.0}, Situation([LINK]), 7), Situation([LINK]))
    assert advice.choice.verdict is AdviceVerdict.EITHER
    sentence = words.headline(advice)
    assert sentence.startswith(f"Choose stack/{small} (the fewest bytes) or stack/3 (the least processor time).")
    assert "6 candidates lie within 5 % of each other in mean time of a call" in sentence
    assert "stack/0 is one of them" in sentence
    assert "stack/1" not in sentence


def test_the_least_processor_time_is_named_only_where_it_is_shown() -> None:
    truths = [Truth(f"stack/{number}", 80.0, 0.001, 100.0 if number == 2 else 300.0, 1.0) for number in range(6)]
    advice = of_figures(record(truths, {"call": 100.0}, Situation([LINK]), 7), Situation([LINK]))
    sentence = words.headline(advice)
    assert sentence.startswith("Choose stack/2 (the fewest bytes). ")
    assert sentence.endswith("It is undecided which of them needs the least processor time.")


def test_few_that_are_alike_are_named() -> None:
    truths = [Truth(f"stack/{number}", 80.0, 0.001, 300.0, 1.0) for number in range(3)]
    advice = of_figures(record(truths, {"call": 100.0}, Situation([LINK]), 7), Situation([LINK]))
    assert all(one.name in words.headline(advice) for one in truths)
