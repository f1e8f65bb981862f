"""Canonical JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.adapter.service.canonical import canonical, digest_if_large, double_form, float_form

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (-1, "-1"),
        ({"b": [], "a": {}, "B": "/"}, '{"B":"/","a":{},"b":[]}'),
        ('"\\\b\f\n\r\t\x01\x1f\x7f\u2028é𝄞', '"\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\u2028é𝄞"'),
        ("\ud834\udd1e", '"𝄞"'),
        ("\udd1e\ud834", '{"utf16":[56606,55348]}'),
        (b"", f'{{"bytes":0,"sha256":"{EMPTY}"}}'),
        (float_form(1.0), '"0x3f800000"'),
        (double_form(-0.0), '"0x8000000000000000"'),
    ],
)
def test_each_kind_has_its_form(value: object, text: str) -> None:
    assert canonical(value) == text


def test_a_plain_float_is_no_right_value_but_can_be_shown() -> None:
    assert canonical(1.0) == "1.0" != canonical(1)


def test_other_kinds_have_no_form() -> None:
    with pytest.raises(TypeError, match="complex"):
        canonical(1j)


def test_a_long_text_becomes_its_digest() -> None:
    assert digest_if_large("A" * 4094) == "A" * 4094
    digest = digest_if_large("A" * 4095)
    assert isinstance(digest, dict)
    assert digest["bytes"] == 4097
    assert digest_if_large("é" * 2048) != "é" * 2048


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_reads_back(text: str) -> None:
    assert json.loads(canonical(text)) == text
