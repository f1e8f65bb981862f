"""What the manifests say of messages beyond what a measurement shows."""

import json
from pathlib import Path

import pytest

from advice.counted import run
from callbench.analysis.advice.advice import advise
from callbench.analysis.run.subject import subject
from callbench.catalog import catalogue
from callbench.catalog.formats import named_languages, why_not_in, why_not_in_browsers, why_not_readable
from callbench.catalog.situation.file import situation_of
from callbench.model.cell import FORMAT, Stack
from callbench.model.errors import BadInput
from callbench.store.record import Record

STACKS = catalogue.load().stacks


def _of(message: str) -> Stack:
    return next(stack for stack in STACKS if stack.message == message)


def test_every_native_message_is_known_and_says_who_says_so() -> None:
    assert all(stack.card[FORMAT]["source"] for stack in STACKS if stack.adapter == "native")


def test_what_one_card_says_of_a_message_is_said_of_all_stacks_with_it() -> None:
    """JSON is described by the native manifest, and the format of Java's objects by one of its two stacks."""
    for message in ("json", "java-serialization", "cdr"):
        cards = [stack.card[FORMAT] for stack in STACKS if stack.message == message]
        assert len(cards) > 1
        assert all(card == cards[0] for card in cards)


@pytest.mark.parametrize(
    ("message", "can"), [("json", True), ("protobuf", True), ("java-serialization", False), ("none", True)]
)
def test_what_a_browser_can_read(message: str, *, can: bool) -> None:
    assert (why_not_in_browsers(message, _of(message).card) is None) is can


@pytest.mark.parametrize(
    ("message", "language", "can"),
    [
        ("json", "cobol", True),
        ("java-serialization", "Kotlin", True),
        ("java-serialization", "python", False),
        ("cdr", "cpp", True),
        ("nrbf", "csharp", True),
        ("bincomp", "delphi", True),
        ("bincomp", "java", False),
        ("bincomp", "rust", True),
        ("none", "java", True),
    ],
)
def test_which_language_can_take_part(message: str, language: str, *, can: bool) -> None:
    assert (why_not_in(message, _of(message).card, language) is None) is can


def test_what_people_can_read() -> None:
    assert why_not_readable("soap", _of("soap").card) is None
    assert why_not_readable("protobuf", _of("protobuf").card) == "protobuf is binary"
    assert why_not_readable("none", _of("none").card) is None


def test_the_languages_of_messages_can_be_named() -> None:
    assert {"pascal", "c#", "java"} <= set(named_languages(stack.card for stack in STACKS))


@pytest.mark.parametrize("said", [{"readable": True}, {"browsers": True}, {"languages": ["java"]}])
def test_cards_that_say_nothing_rule_nothing_out_by_silence(tmp_path: Path, said: dict[str, object]) -> None:
    """As an earlier version kept them: with no word, every message would be allowed."""
    path = run(tmp_path / "run")
    plan = json.loads((path / "plan.json").read_text())
    for stack in plan["stacks"]:
        del stack["card"][FORMAT]
    (path / "plan.json").write_text(json.dumps(plan))
    found = subject(Record(path))
    assert advise(found, situation_of({}, "the test")).goals
    with pytest.raises(BadInput, match=r"no card says .*measure again"):
        advise(found, situation_of(said, "the test"))
