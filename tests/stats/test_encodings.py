"""Bytes per character in each encoding, for known texts; and what a line adds to a call."""

from typing import TYPE_CHECKING

import pytest

from callbench.adapter.service.generate import string
from callbench.stats.wire.encodings import fitting, per_character
from callbench.stats.wire.link import on_the_line_ms

if TYPE_CHECKING:
    from callbench.stats.wire.link import Way, Wire


def test_characters_take_the_octets_that_the_standards_say() -> None:
    assert per_character("A\u00e9") == {
        "Latin-1": 1.0,
        "UTF-8": 1.5,
        "modified UTF-8": 1.5,
        "UTF-16": 2.0,
        "UTF-32": 4.0,
        "UTF-16 in base64": 4.0,
    }
    # JVMS 4.4.7: zero takes two bytes, a character beyond the BMP two times three. Latin-1 has neither.
    one = per_character("\0\U0001f600")
    assert (one["UTF-8"], one["modified UTF-8"], "Latin-1" in one) == (2.5, 4.0, False)
    with pytest.raises(ValueError, match="empty"):
        per_character("")


def test_three_bytes_a_character_are_utf_8_and_no_utf_24() -> None:
    # The thesis's own slope: 983.46 bytes beyond one a character in 500 characters of uniform 16-bit values.
    assert fitting(1 + 983.46 / 500, per_character(string("bmp", 50_000, 1))) == ["UTF-8", "modified UTF-8"]
    letters = per_character(string("random", 500, 1))
    assert fitting(1.0, letters) == ["Latin-1", "UTF-8", "modified UTF-8"]
    assert fitting(2.002, letters) == ["UTF-16"]
    assert fitting(3.0, letters) == []


def row(packets: int, payload: int, turns: float) -> dict[str, float]:
    return {
        "packets": packets,
        "ip": 20 * packets,
        "tcp": 32 * packets,
        "payload": payload,
        "retransmitted": 0,
        "turns": turns,
    }


def test_a_line_adds_its_delay_and_its_rate() -> None:
    rows = [row(1, 48, 1), row(1, 48, 1)]
    slow: Way = {"delay_ns": 10_000_000, "rate_bps": 8_000, "overhead_bytes": -14}
    # 100 bytes each way at a thousand a second, and 20 ms there and back.
    assert on_the_line_ms({"link": {"to_server": slow, "to_client": slow}}, rows) == pytest.approx(220)
    assert on_the_line_ms({"link": {"to_server": slow, "to_client": slow}}, rows, 2) == pytest.approx(260)
    assert on_the_line_ms({"link": None}, rows) == 0


def test_an_answer_takes_a_round_trip_even_where_packets_cross() -> None:
    way: Way = {"delay_ns": 25_000_000}
    wire: Wire = {"link": {"to_server": way, "to_client": way}}
    assert on_the_line_ms(wire, [row(1, 48, 0.4), row(1, 48, 0.4)]) == pytest.approx(50)
    assert on_the_line_ms(wire, [row(1, 48, 0), row(1, 0, 0)]) == 0
