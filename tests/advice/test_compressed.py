"""Compressed JSON beats plain JSON where bytes are slow, and a binary format beats both where messages are tiny.

The bytes are those that each format's own library makes of the message; the times are assumed, and so is their noise.
"""

from pathlib import Path

import pytest

from advice.orders import LONG_BYTES, order_of, service_of
from advice.simulated import Truth, record
from callbench.analysis.advice.advice import of_figures
from callbench.analysis.advice.choice import AdviceVerdict
from callbench.catalog.encoders.byte_table import byte_table
from callbench.catalog.own import folder
from callbench.catalog.situation.file import situation_of

ENVELOPE = 400.0
"""Bytes of headers, envelopes and records of a call, both ways."""
# µs for each byte of JSON that a stack encodes, compresses, and the other way round.
TIMES = {"plain": 0.02, "gzip": 0.08, "zstd": 0.05}


def _truths(service: Path, formats: tuple[str, ...]) -> tuple[list[Truth], float]:
    """The stacks of these formats with each coding, and the bytes of the answer in JSON."""
    (table,) = byte_table(folder.read(service), {})
    rows = {row.format: row for row in table.formats}
    payload = rows["json"].answer["plain"]
    truths = [
        Truth(f"{name}, {coding}", 100.0, TIMES[coding], ENVELOPE, rows[name].answer[coding] / payload)
        for name in formats
        for coding in TIMES
    ]
    return truths, payload


@pytest.mark.parametrize("seed", range(5))
def test_compressed_json_wins_over_a_slow_link(tmp_path: Path, seed: int) -> None:
    truths, payload = _truths(service_of(tmp_path, order_of(LONG_BYTES)), ("json",))
    assert payload == LONG_BYTES
    situation = situation_of({"links": [{"link": "25ms,2mbit"}]}, "the test")
    advice = of_figures(record(truths, {"Order": payload}, situation, seed), situation)
    assert advice.choice.verdict in (AdviceVerdict.CHOOSE, AdviceVerdict.EITHER)
    assert set(advice.choice.leaders or [advice.choice.best]) <= {"json, gzip", "json, zstd"}


@pytest.mark.parametrize("seed", range(5))
def test_plain_json_wins_where_bytes_are_fast(tmp_path: Path, seed: int) -> None:
    truths, payload = _truths(service_of(tmp_path, order_of(LONG_BYTES)), ("json",))
    situation = situation_of({"links": [{"link": "0.1ms,10gbit"}]}, "the test")
    advice = of_figures(record(truths, {"Order": payload}, situation, seed), situation)
    assert (advice.choice.verdict, advice.choice.best) == (AdviceVerdict.CHOOSE, "json, plain")


def test_a_binary_format_wins_by_bytes_where_messages_are_tiny(tmp_path: Path) -> None:
    """There a coding makes a body longer."""
    service = service_of(tmp_path, {"id": 17, "count": 3})
    truths, payload = _truths(service, ("json", "protobuf", "avro"))
    # Without what lies around a message, which is the same for all.
    bare = [Truth(one.name, one.fixed_us, one.us_per_byte, 4.0, one.factor) for one in truths]
    situation = situation_of({"links": [{"link": "25ms,64kbit"}], "goal": "bytes", "margin_percent": 1}, "the test")
    advice = of_figures(record(bare, {"Order": payload}, situation, 1), situation)
    leaders = set(advice.choice.leaders or [advice.choice.best])
    assert leaders <= {"protobuf, plain", "avro, plain"}
    assert leaders
