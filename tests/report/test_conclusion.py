"""Who is named cheapest, and how sure that is; where the bytes of then and now differ."""

from pathlib import Path

import pytest

from callbench.errors import BadInput
from callbench.report.sections.conclusion import Cost, _first
from callbench.report.sections.overhead_beside import _difference
from callbench.study import load
from conftest import SMALL

CONCLUSION = """
[conclusion]
title = "Which"
links = ["wan50"]
calls = [{ label = "sum", near = "Sum" }]
[[conclusion.environments]]
label = "anywhere"
rows = ["tcp"]
"""
ROWS = '\n[[rows]]\nlabel = "tcp"\nwhere = { channel = "tcp" }\n'


def measured(*ms: float) -> Cost:
    return Cost(dict(enumerate(ms)), True, {})


def predicted(*ms: float) -> Cost:
    return Cost(dict(enumerate(ms)), False, {})


def test_only_what_is_shown_is_said_to_be_ahead() -> None:
    there = {"near": measured(11, 12.1, 10.9), "slow": measured(20, 22, 20.1), "quick": measured(10, 11, 10.1)}
    assert _first(there, 0.05) == ("quick", "10.4", "near", "9.3 %", "measured; shown")
    # The blocks change places: nobody is ahead.
    jumpy = {"one": measured(10, 14, 9), "other": measured(11, 10, 12)}
    assert _first(jumpy, 0.05)[0] == "one = other"
    assert "not told apart" in _first(jumpy, 0.05)[-1]


def test_a_prediction_is_not_finer_than_it_is_good_for() -> None:
    close = {"one": predicted(100, 101, 100), "other": predicted(103, 104, 103), "far": predicted(150, 151, 150)}
    told = _first(close, 0.05)
    assert (told[0], told[2], told[4]) == ("one = other", "far", "predicted; not told apart")
    assert _first(close, 0.01)[0] == "one"


def test_a_difference_alike_for_every_type_is_not_in_the_call() -> None:
    assert "419 bytes more than in 2003 for every type alike" in _difference("RMI", 419, 419, [1199, 65, 63])
    assert "written otherwise" in _difference("X", -10, 200, [])
    assert "nearly all of it" in _difference("Y", -384, -368, [])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('near = "Sum"', 'near = "Sums"', 'there is no group "Sums"'),
        ('"wan50"', '"wan51"', 'there is no link "wan51"'),
        ('rows = ["tcp"]', 'rows = ["udp"]', 'no row is called "udp"'),
    ],
)
def test_a_conclusion_names_what_exists(tmp_path: Path, old: str, new: str, said: str) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL + ROWS + CONCLUSION)
    assert load(file).part.conclusion
    file.write_text(SMALL + ROWS + CONCLUSION.replace(old, new))
    with pytest.raises(BadInput, match=said):
        load(file)
