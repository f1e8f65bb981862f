"""The Rust that is written for a service."""

from pathlib import Path

import pytest
from everything_service import SCHEMA
from protobuf_bytes import lines

from callbench.adapter.generators import rust
from callbench.model.errors import BadInput
from callbench.model.service.schema import Field, Kind, Message, OwnCall, Schema, Shape

GOLDEN = Path(__file__).parents[2] / "engine" / "own" / "tests" / "generated" / "everything.rs"


def test_the_code_of_all_that_a_schema_can_say() -> None:
    """Is the file that the engine's own tests compile."""
    assert rust.source(SCHEMA) == GOLDEN.read_text()


def test_a_keyword_stays_the_name_in_json() -> None:
    """And gets another one in Rust, where it must."""
    source = rust.source(
        Schema("S", (Message("Self", (Field("crate", "crate", 1, Kind.INT32),)),), (OwnCall("move", "Self", "Self"),))
    )
    assert "pub struct Self_" in source
    assert 'rename = "crate"' in source
    assert "pub crate_: i32" in source
    assert '"move" Call0 "100" (types::Self_) -> types::Self_, echoes;' in source


def _within(shape: Shape) -> Schema:
    fields = (Field("next", "next", 1, Kind.MESSAGE, shape, "Node"),)
    return Schema("S", (Message("Node", fields),), (OwnCall("Walk", "Node", "Node"),))


def test_a_message_within_itself_is_boxed() -> None:
    """A list of it needs none."""
    assert "Option<::std::boxed::Box<Node>>" in rust.source(_within(Shape.OPTIONAL))
    assert "Box" not in rust.source(_within(Shape.MANY))


def test_a_message_that_never_ends_is_refused() -> None:
    """With its field and what to do."""
    with pytest.raises(BadInput, match=r"Node.*next.*optional"):
        rust.source(_within(Shape.ONE))


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\nb", "ä"])
def test_any_key_of_json_becomes_a_literal(name: str) -> None:
    """Quotes, backslashes and control characters are escaped."""
    fields = (Field("key", name, 1, Kind.INT32),)
    source = rust.source(Schema("S", (Message("M", fields),), (OwnCall("C", "M", "M"),)))
    line = next(line for line in source.splitlines() if "rename" in line and "M" not in line)
    literal = line.partition("rename = ")[2].removesuffix(")]")
    assert literal.startswith('"')
    assert literal.endswith('"')
    assert "\n" not in literal
    assert literal.encode().decode("unicode_escape", errors="ignore") is not None


def test_the_bytes_that_the_engine_is_held_to_are_those_of_protobuf() -> None:
    """The engine's own test reads the file: what prost writes has the bytes of protobuf's library, maps included."""
    assert (GOLDEN.parent / "everything.jsonl").read_text().splitlines() == list(lines())
