"""Bytes of data in a call, counted by hand from SERVICE.md."""

from pathlib import Path
from typing import Any

import pytest

from callbench.model.card import RequestTable, StackCard
from callbench.model.cell import Cell, Load, Stack
from callbench.model.errors import BadInput
from callbench.runner.wire.payload import payload, payload_of


@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        ("Empty", {}, (0, 0)),
        ("Hello", {}, (0, 11)),
        ("Sum", {"a": 1, "b": 2}, (8, 4)),
        ("Send", {"type": "boolean", "content": "fixed"}, (1, 0)),
        ("Send", {"type": "double[]", "content": "random", "count": 7, "seed": 3}, (56, 0)),
        ("Send", {"type": "char", "content": "fixed"}, (2, 0)),
        ("Send", {"type": "byte[]", "value": [1, 2, 3]}, (3, 0)),
        ("Send", {"type": "string", "content": "fixed", "count": 40}, (40, 0)),
        ("Send", {"type": "string[]", "content": "fixed", "count": 3}, (33, 0)),
        ("Send", {"type": "string", "value": "ä€"}, (5, 0)),
        ("Send", {"type": "string", "value": {"utf16": [0xD800, 65]}}, (4, 0)),
        ("EchoString", {"value": "abc"}, (3, 3)),
        ("GetBinaryData", {"size": 10, "fill": "article"}, (11, 8)),
        ("GetBinaryData", {"size": 10, "fill": "zero"}, (8, 10)),
        ("GetPersons", {"n": 0}, (4, 0)),
        # The text of 50 characters and three empty lists.
        ("EchoStructure", {"n": 0}, (50, 50)),
    ],
)
def test_payload(call: str, arguments: dict[str, Any], expected: tuple[int, int]) -> None:
    assert payload(call, arguments) == expected


def test_a_long_is_8_bytes_though_json_writes_it_as_a_text() -> None:
    """The structure of one user, one bean and one number; the user is named after the first person."""
    _, size = payload("EchoStructure", {"n": 1})
    bean = 4 + len("bean0") + len("A bean of the test structure, number 0") + 8 + 1 + 3 * 4
    persons = payload("GetPersons", {"n": 1})[1] - 4
    twice_the_first_name = size - 50 - 4 - bean - (persons + 1) - 2 * len("0") - len("@example.org") - (4 + 1 + 8)
    assert 4 <= twice_the_first_name <= 2 * (persons - 2)
    assert twice_the_first_name % 2 == 0


@pytest.mark.parametrize(
    ("request_", "octets"),
    [
        ({"expect_body": '{"result":["Hello World!"]}'}, (0, 27)),
        ({"body": "Grüße", "expect_body_hex": "0001ff"}, (7, 3)),
        ({"method": "GET"}, (0, 11)),
    ],
)
def test_what_a_request_stands_for_carries_what_its_card_says(request_: RequestTable, octets: tuple[int, int]) -> None:
    stack = Stack("load/http1:a/b", "load:a", "json", "http", "x", "l", "1", card={"request": request_})
    assert payload_of(stack, Cell("c1", "g", stack.id, "Hello", {}, Load(1, 1, 1.0))) == octets
    alone = Stack("a/b", "a", "json", "http", "x", "l", "1", card={"request": request_})
    assert payload_of(alone, Cell("c1", "g", alone.id, "Hello", {}, Load(1, 1, 1.0))) == (0, 11)


def test_the_body_of_a_file_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "body"
    file.write_bytes(bytes(1000))
    card: StackCard = {"request": {"expect_body_file": str(file)}}
    stack = Stack("load/http1:a/b", "load:a", "json", "http", "x", "l", "1", card=card)
    cell = Cell("c1", "g", stack.id, "Hello", {}, Load(1, 1, 1.0))
    assert payload_of(stack, cell) == (0, 1000)
    file.unlink()
    with pytest.raises(BadInput, match="expect_body_file"):
        payload_of(stack, cell)
