"""Languages that must take part: whose stacks are candidates, whose figures count, and what the page says of it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from advice.simulated import Truth, record
from callbench.analysis.advice.advice import Advice, of_figures
from callbench.analysis.advice.figures import Every
from callbench.catalog.situation.link_text import link_of
from callbench.model.situation import Situation, SituationLink
from callbench.report.advice import languages, words
from callbench.report.advice.sections import sections
from callbench.report.text.section import Section

LINK = SituationLink("near", link_of("0.1ms,1000mbit").wire, 1.0)
SITUATION = Situation([LINK])
GRPC, JSON = "grpc", "json-rpc-http"
# Name, language, protocol, message, channel, and µs of a call.
STACKS = (
    ("native/json+tcp", "rust", "", "json", "tcp", 20.0),
    ("native/protobuf+grpc", "rust", GRPC, "protobuf", "grpc", 60.0),
    ("native/json+http-keepalive", "rust", JSON, "json", "http-keepalive", 70.0),
    ("go/protobuf+grpc", "go", GRPC, "protobuf", "grpc", 150.0),
    ("go/json+nethttp", "go", JSON, "json", "http-keepalive", 110.0),
    ("java/grpc", "java", GRPC, "protobuf", "h2", 300.0),
    ("java/json+http", "java", JSON, "json", "http-keepalive", 200.0),
    ("java/json+slow", "java", JSON, "json", "http-keepalive", 500.0),
    ("java/cxf-soap", "java", "", "soap", "http-keepalive", 190.0),
)


def _every(only: Sequence[str] = ("native", "go", "java")) -> Every:
    """Measured stacks of three languages; the native ones are the fastest."""
    there = [one for one in STACKS if one[0].partition("/")[0] in only]
    truths = [Truth(name, us, 0.001, 200.0, 1.0) for name, *_, us in there]
    found = record(truths, {"call": 200.0}, SITUATION, seed=5)
    cards = {one[0]: one for one in STACKS}
    return {
        (stack, group): replace(
            one, language=cards[stack][1], protocol=cards[stack][2], message=cards[stack][3], channel=cards[stack][4]
        )
        for (stack, group), one in found.items()
    }


def _advice(*named: str, today: str = "", only: Sequence[str] = ("native", "go", "java")) -> Advice:
    situation = replace(SITUATION, languages=named, today=today, source={"today": today} if today else {})
    return of_figures(_every(only), situation)


def _section(advice: Advice) -> Section:
    return next(one for one in sections(advice) if one.id == "languages")


def test_without_a_language_every_stack_is_a_candidate() -> None:
    found = _advice()
    assert found.choice.best == "native/json+tcp"
    assert set(found.goals) == {one[0] for one in STACKS}
    assert all(one.id != "languages" for one in sections(found))


@pytest.mark.parametrize("named", ["go", "Golang"])
def test_of_one_language_its_own_stacks_are_the_candidates(named: str) -> None:
    found = _advice(named)
    assert set(found.goals) == {"go/protobuf+grpc", "go/json+nethttp"}
    assert found.choice.best == "go/json+nethttp"
    rows = _section(found).sheets[0].rows
    assert rows[0][0] == "native/json+tcp"
    assert "less" in rows[0][2]
    assert all("go, which must take part" in one.why[0] for one in found.left_out)
    assert "Only stacks in go are candidates." in list(languages.origin_sentences(found))


def test_of_several_languages_the_slowest_counts() -> None:
    """Of each language its fastest stack of the protocol; a protocol that one of them lacks is out."""
    found = _advice("go", "java")
    assert set(found.goals) == {"java/grpc", "java/json+http"}
    assert found.choice.best == "java/json+http"
    out = {one.stack: one.why[0] for one in found.left_out}
    assert "no stack in go" in out["java/cxf-soap"]
    by = {(row[1], row[2]): row for row in _section(found).sheets[0].rows}
    assert set(by) == {
        ("go", "go/protobuf+grpc"), ("java", "java/grpc"), ("go", "go/json+nethttp"), ("java", "java/json+http"),
    }  # fmt: skip
    assert by["java", "java/json+http"][-1]
    assert not by["go", "go/json+nethttp"][-1]
    said = list(languages.origin_sentences(found))
    sentence = "The figures of json+http-keepalive are those of java/json+http, which needs more than go/json+nethttp."
    assert sentence in said


def test_rust_is_a_language_too() -> None:
    found = _advice("rust", "go")
    assert set(found.goals) == {"go/protobuf+grpc", "go/json+nethttp"}


def test_what_runs_today_is_the_stack_that_counts_for_its_protocol() -> None:
    found = _advice("go", "java", today="go/protobuf+grpc")
    assert found.situation.today == "java/grpc"
    assert "go/protobuf+grpc runs today. The figures of its protocol are those of java/grpc." in list(
        languages.origin_sentences(found)
    )
    assert (found.choice.best, found.choice.leave) == ("java/json+http", True)


def test_a_native_stack_of_today_is_no_candidate_and_that_is_said() -> None:
    found = _advice("go", today="native/json+tcp")
    assert any("native/json+tcp runs today and is no candidate" in one for one in words.reasons(found))


def test_a_language_without_measured_stacks_changes_no_candidate() -> None:
    found = _advice("go", only=["native"])
    assert set(found.goals) == {one[0] for one in STACKS if one[1] == "rust"}
    assert any("No stack in go was measured" in one for one in words.not_measured(found))
    assert all(one.id != "languages" for one in sections(found))


def test_of_two_languages_the_measured_one_counts() -> None:
    found = _advice("go", "python")
    assert set(found.goals) == {"go/protobuf+grpc", "go/json+nethttp"}
    assert any("No stack in python was measured" in one for one in words.not_measured(found))


def test_stacks_that_were_not_measured_have_their_reason() -> None:
    found = replace(_advice("go"), excluded={"its program is missing: run `callbench setup go`": ["go/a", "go/b"]})
    said = words.not_measured(found)
    assert "go/a and go/b were not measured: its program is missing: run `callbench setup go`." in said
