"""The map of an advice: who wins where, where several are equal, and where it is undecided."""

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from advice.simulated import Truth, record
from callbench.analysis.advice.advice import Advice, of_figures
from callbench.analysis.advice.regions import Axis, Regions, lines_through
from callbench.catalog.situation.link_text import link_of
from callbench.model.situation import Situation, SituationLink
from callbench.report.advice import words
from callbench.report.charts.regions import regions
from callbench.report.sections import winners

if TYPE_CHECKING:
    from callbench.analysis.run.subject import Subject

# Few bytes against little time: the first wins where bytes decide, and they are equal where the delay does.
SMALL = Truth("stack/small", fixed_us=60.0, us_per_byte=0.002, overhead_bytes=100.0, factor=1.0)
LARGE = Truth("stack/large", fixed_us=60.0, us_per_byte=0.002, overhead_bytes=100.0, factor=3.0)
SIZES = {"small": 300.0, "call": 3_000.0, "large": 300_000.0}


def _advice(today: str = "", forks: int = 6) -> Advice:
    situation = Situation([SituationLink("far", link_of("25ms,20mbit").wire, 1.0)], today=today)
    return of_figures(record([SMALL, LARGE], SIZES, situation, 3, forks), replace(situation, groups={"call": 1.0}))


def test_the_one_with_few_bytes_wins_where_messages_are_long() -> None:
    found = _advice().map
    assert found is not None
    along_size, _ = lines_through(found)
    assert [(one.winner, one.tied) for one in along_size[-1:]] == [("stack/small", False)]
    assert along_size[0].tied
    fastest = found.winners[-1][0], found.tied[-1][0]
    assert fastest[0] >= 0
    assert fastest[1]


def test_a_run_of_several_sizes_has_a_map_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    every = record([SMALL, LARGE], SIZES, Situation([SituationLink("far", {}, 1.0)]), 3, 6)
    [found] = winners.maps(every)
    assert found.x.unit == "bytes"
    assert found.y.here is None, "a run has no link that is its reader's"
    assert found.names[found.winners[0][-1]] == "stack/small", "many bytes over a slow link"
    assert found.tied[-1][0] or found.winners[-1][0] < 0, "few bytes over a fast one"
    assert not list(winners.maps({key: known for key, known in every.items() if key[1] == "call"})), "one size"
    monkeypatch.setattr("callbench.report.sections.winners.figures.read", lambda *_: every)
    made = winners.section(cast("Subject", SimpleNamespace(results=SimpleNamespace(cells=[]), cards={})))
    assert made is not None
    assert "<svg" in made.charts[0].svg
    assert made.charts[0].title == "Who wins where: Order"


def test_today_is_named_among_equals() -> None:
    for today in ("stack/small", "stack/large"):
        found = _advice(today).map
        assert found is not None
        assert found.names[found.winners[-1][0]] == today


def test_its_sentences_tell_equals_from_winners() -> None:
    sentence = words.depends(_advice("stack/large"))[0]
    assert "stack/large or an equal one below" in sentence
    assert sentence.endswith(".")
    assert "stack/small above" in sentence


# One letter a place along a line: who wins there; small: or an equal one; a dot: undecided.
_PLACES = [10.0**place for place in range(6)]


def _line(letters: str) -> str:
    """The sentence of a map of one row, of places from 1 byte to 100 KB."""
    names = ["A", "B"]
    winners = [names.index(letter.upper()) if letter != "." else -1 for letter in letters]
    x, y = (Axis(name, unit, _PLACES[: len(letters)], 1.0) for name, unit in (("payload", "bytes"), ("rate", "Mbit/s")))
    rows = [winners] * len(y.places)
    tied = [[letter.islower() for letter in letters]] * len(y.places)
    advice = replace(_advice(), map=Regions(names, x, y, rows, tied, "call", "round trip 1 ms"), changes=())
    return words.depends(advice)[0].partition(": ")[2]


@pytest.mark.parametrize(
    ("letters", "said"),
    [
        ("AA.AAA", "A at each payload, from 0 bytes to 316 KB (undecided from 32 bytes to 316 bytes)."),
        ("aa.aBB", "A or an equal one below 3.2 KB (undecided from 32 bytes to 316 bytes), B above 3.2 KB."),
        ("A.A.AB", "A below 32 KB (undecided from 3 bytes to 32 bytes and from 316 bytes to 3.2 KB), B above 32 KB."),
        ("aa..AA", "A or an equal one below 32 bytes, undecided from 32 bytes to 3.2 KB, A above 3.2 KB."),
        ("AA..BB", "A below 32 bytes, undecided from 32 bytes to 3.2 KB, B above 3.2 KB."),
        (".AAA.A", "undecided below 3 bytes, A above 3 bytes (undecided from 3.2 KB to 32 KB)."),
        ("AAABBB", "A below 316 bytes, B above 316 bytes."),
    ],
)
def test_who_wins_on_both_sides_of_a_gap_is_named_once(letters: str, said: str) -> None:
    assert _line(letters) == said


def test_one_fork_leaves_the_map_undecided() -> None:
    advice = _advice(forks=1)
    assert advice.map is not None
    assert {winner for row in advice.map.winners for winner in row} == {-1}
    assert not any(tied for row in advice.map.tied for tied in row)
    assert regions(advice.map) is None


def test_equals_are_pale_in_the_chart() -> None:
    advice = _advice()
    assert advice.map is not None
    spec = regions(advice.map)
    assert spec is not None
    values = spec["layer"][0]["data"]["values"]
    assert {one["tied"] for one in values} == {True, False}
    assert spec["layer"][0]["encoding"]["opacity"]["condition"]["test"] == "datum.tied"
