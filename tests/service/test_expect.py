"""The right answers, and the arguments that make no call."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.adapter.service import BadArgumentsError, ServiceFault, expected, sent

INTS = st.integers(-(2**31), 2**31 - 1)


@given(INTS, INTS)
def test_sums_wrap_at_32_bits(a: int, b: int) -> None:
    total = expected("Sum", {"a": a, "b": b})
    assert isinstance(total, int)
    assert -(2**31) <= total < 2**31
    assert (total - a - b) % 2**32 == 0


@pytest.mark.parametrize(
    ("call", "arguments", "message"),
    [
        ("GetPersons", {"n": -1}, "n is -1: it must be from 0 to 1000000"),
        ("FindItems", {"n": 1000001}, "n is 1000001: it must be from 0 to 1000000"),
        (
            "GetBinaryData",
            {"size": 268435457, "fill": "zero"},
            "size is 268435457: it must be from 0 to 268435456",
        ),
        ("GetBinaryData", {"size": 4, "fill": "noise"}, "fill is noise: it must be article, random, zero or text"),
        ("GetBinaryData", {"size": -1, "fill": "noise"}, "size is -1: it must be from 0 to 268435456"),
    ],
)
def test_refusals_name_the_parameter_and_its_range(call: str, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ServiceFault) as caught:
        expected(call, arguments)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("call", "arguments", "part"),
    [
        ("Nothing", {}, "no call"),
        ("Sum", {"a": 1}, "b is missing"),
        ("Sum", {"a": True, "b": 1}, "a is True"),
        ("Sum", {"a": 2**31, "b": 1}, "a is 2147483648"),
        ("EchoStructure", {"n": -1}, "n is -1"),
        ("Send", {"type": "word", "value": 1}, "type is 'word'"),
        ("Send", {"type": "byte", "value": 256}, "255"),
        ("Send", {"type": "int"}, "value or content"),
        ("Send", {"type": "int", "value": 1, "content": "fixed"}, "not both"),
        ("Send", {"type": "int[]", "content": "fixed"}, "count is missing"),
        ("Send", {"type": "int[]", "content": "fixed", "count": 2**24 + 1}, "count is 16777217"),
        ("Send", {"type": "int", "content": "bmp"}, "not for int"),
        ("Send", {"type": "float", "value": "0x123"}, "8 hexadecimal"),
        ("EchoString", {"content": "noise", "count": 1}, "content is 'noise'"),
        ("EchoString", {"content": "random", "count": 1, "seed": "+7"}, "seed is"),
    ],
)
def test_bad_arguments_are_named(call: str, arguments: dict[str, object], part: str) -> None:
    with pytest.raises(BadArgumentsError, match=part):
        expected(call, arguments)


def test_a_lone_surrogate_keeps_its_unit() -> None:
    assert expected("EchoString", {"value": {"utf16": [55348]}}) == {"utf16": [55348]}
    assert sent({"type": "string", "value": {"utf16": [55348, 56606]}}) == "𝄞"
