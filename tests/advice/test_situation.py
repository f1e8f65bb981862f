"""The situation from files, options and answers, and the messages about mistakes in it."""

import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callbench.analysis.advice import stored
from callbench.catalog.situation import answers, file
from callbench.catalog.situation.link_text import link_of
from callbench.model.errors import BadInput
from callbench.model.situation import Goal
from callbench.report.export.template import left_columns
from callbench.report.text.section import Sheet
from callbench.stats.wire.link import ways
from conftest import ROOT

# Other programs may keep the machine busy.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def test_the_example_of_the_reference_is_a_situation() -> None:
    page = (ROOT / "docs/reference/situation.md").read_text()
    found = file.situation_of(tomllib.loads(page.split("```toml\n")[1].split("```")[0]), "the page")
    assert [round(one.share, 6) for one in found.links] == [0.7, 0.3]
    assert found.goal is Goal.MONEY
    assert found.main_link.name == "office"


def test_nothing_said_is_a_situation() -> None:
    found = file.situation_of({}, "nothing")
    assert (found.goal, found.margin, len(found.links)) == (Goal.TIME, 0.05, 1)


def test_a_round_trip_is_halved() -> None:
    way, _ = ways(link_of("25ms,20mbit").wire)
    assert (way["delay_ns"], way["rate_bps"]) == (12_500_000, 20_000_000)
    assert ways(link_of("0.5s, 64kbit/s, 1%").wire)[1]["loss"] == 0.01
    assert link_of("loopback").wire == {}
    assert link_of("wan50").name == "wan50"


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"link": []}, ["link", "links"]),
        ({"links": []}, ["links", "at least 1"]),
        ({"links": [{"link": "1ms", "shar": 1}]}, ["links[1].shar", "share"]),
        ({"links": [{"link": "1ms", "share": 1}, {"link": "2ms"}]}, ["links", "share"]),
        ({"links": [{"link": "1ms"}, {"link": "1ms"}]}, ["two of the name"]),
        ({"links": [{"link": "1ms", "share": -1}]}, ["links[1].share", "-1"]),
        ({"links": [{}]}, ["links[1].link is missing"]),
        ({"prices": {"processor_hour": 1}}, ["calls_per_second"]),
        ({"prices": {}, "calls_per_second": 1}, ["no price above 0"]),
        ({"prices": {"procesor_hour": 1}}, ["processor_hour"]),
        ({"calls": [{"group": "a"}, {"group": "a"}]}, ["twice"]),
        ({"worth": 200}, ["worth", "no prices", "processor_hour"]),
        ({"worth": 0}, ["worth", "no prices", "gigabyte_out"]),
        (
            {"worth": 9, "goal": "time", "calls_per_second": 1, "prices": {"processor_hour": 1}},
            ["worth", "money", "time"],
        ),
        ({"languages": "java"}, ["languages", "'java'"]),
        ({"margin_percent": 0}, ["margin_percent"]),
        ({"calls_per_second": float("nan")}, ["calls_per_second"]),
    ],
)
def test_what_is_wrong_is_named(said: dict[str, object], says: list[str]) -> None:
    with pytest.raises(BadInput) as failure:
        file.situation_of(said, "situation.toml")
    sentence = str(failure.value)
    assert sentence.startswith("situation.toml: ")
    assert "\n" not in sentence
    for part in says:
        assert part in sentence


@_PATIENT
@given(st.binary(max_size=200))
def test_any_file_is_a_situation_or_a_sentence(content: bytes) -> None:
    with tempfile.NamedTemporaryFile() as one:
        one.write(content)
        one.flush()
        path = Path(one.name)
        said = _said(lambda: file.situation_of(file.read(path), str(path)))
    assert "\n" not in said


@_PATIENT
@given(st.text(max_size=30))
def test_any_text_is_a_link_or_a_sentence(text: str) -> None:
    assert "\n" not in _said(lambda: link_of(text)).replace(text, "")


def _said(make: Callable[[], object]) -> str:
    """The sentence of a refusal; nothing where there is none. Any other failure fails the test."""
    try:
        make()
    except BadInput as failure:
        return str(failure)
    return ""


def test_options_replace_what_a_file_says() -> None:
    said = {"today": "a/b", "links": [{"link": "wan50"}], "prices": {"gigabyte_out": 1.0}, "browsers": True}
    found = answers.with_options(said, links=["1ms", "2ms"], today="c/d", processor_hour=2.0, browsers=False)
    assert found["links"] == [{"link": "1ms"}, {"link": "2ms"}]
    assert found["today"] == "c/d"
    assert found["prices"] == {"gigabyte_out": 1.0, "processor_hour": 2.0}
    assert found["browsers"] is True


def test_answers_are_a_situation_and_what_is_known_is_not_a_question() -> None:
    asked: list[str] = []

    def ask(text: str, default: str) -> str:
        asked.append(text)
        told = {"Links": "1ms,10mbit; lte", "Must browsers": "yes", "Price of a processor": "0.04"}
        return next((answer for start, answer in told.items() if text.startswith(start)), default)

    said = answers.ask_questions({"calls_per_second": 5.0}, ask)
    found = file.situation_of(said, "the answers")
    assert [one.name for one in found.links] == ["1ms,10mbit", "lte"]
    assert found.browsers
    assert found.prices is not None
    assert not any(text.startswith("Calls per second") for text in asked)


def test_an_answer_that_is_no_number_is_said() -> None:
    with pytest.raises(BadInput, match="many"):
        answers.ask_questions({}, lambda text, default: "many" if text.startswith("Calls") else default)


def test_a_move_may_be_worth_nothing_or_much() -> None:
    prices = {"calls_per_second": 100, "prices": {"processor_hour": 0.04}}
    usual, free, dear = (
        file.situation_of(answers.with_options(prices, None, worth=worth), "here") for worth in (None, 0.0, 200.0)
    )
    assert (usual.worth, free.worth, dear.worth) == (50.0, 0.0, 200.0)


def test_an_earlier_advice_with_a_worth_that_counted_nowhere_is_read(tmp_path: Path) -> None:
    kept = stored.Stored(tmp_path / "advice.json", {"situation": {"worth": 200, "links": [{"link": "1ms"}]}})
    assert kept.situation.prices is None
    said = {"worth": 200, "calls_per_second": 1, "prices": {"processor_hour": 1}}
    assert stored.Stored(tmp_path / "advice.json", {"situation": said}).situation.worth == 200


def test_values_of_unlike_rows_stand_on_one_side() -> None:
    """`100 % of the traffic` stood to the right, and `mean time of a call` in the same column to the left."""
    like = Sheet("a", ("stack", "ms", "why"), [("x", "3 ± 1 %", "a sentence that is longer than a value can be")])
    rows = [("link", "100 % of the traffic", "given"), ("goal", "mean time of a call", "default")]
    unlike = Sheet("a", ("", "value", "from"), rows, unlike=True)
    assert left_columns(like) == [2]
    assert left_columns(unlike) == [1, 2]
    assert not unlike.has_values(1)
