"""What is known of messages and channels beyond what a measurement shows."""

import tomllib

import pytest

from callbench.catalog.formats import FORMATS, why_not_in, why_not_in_browsers, why_not_readable
from conftest import ROOT


def test_every_native_message_is_known() -> None:
    manifest = tomllib.loads((ROOT / "engine/native/adapter.toml").read_text())
    assert set(manifest["matrix"]["message"]) <= set(FORMATS)
    assert all(one.source for one in FORMATS.values())


@pytest.mark.parametrize(
    ("message", "can"), [("json", True), ("protobuf", True), ("java-serialization", False), ("unheard-of", True)]
)
def test_what_a_browser_can_read(message: str, *, can: bool) -> None:
    assert (why_not_in_browsers(message) is None) is can


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
        ("unheard-of", "java", True),
    ],
)
def test_which_language_can_take_part(message: str, language: str, *, can: bool) -> None:
    assert (why_not_in(message, language) is None) is can


def test_what_people_can_read() -> None:
    assert why_not_readable("soap") is None
    assert why_not_readable("protobuf") == "protobuf is binary"
    assert why_not_readable("unheard-of") is None
