"""Shares of the bytes of a phase: they add up to what was on the wire."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.analysis.wire.counts import (
    ENCODING,
    FIGURES,
    FRAMING,
    HEADERS,
    KINDS,
    MESSAGE,
    PAYLOAD,
    Row,
    per_call,
    saved,
    shares,
    stream,
    wire,
)

FEW = st.integers(0, 5000)


@st.composite
def phases(draw: st.DrawFn) -> list[Row]:
    """Rows of two directions whose headers are those of their kinds of packets, as the ledger gives them."""
    made = []
    for direction in ("to_server", "to_client"):
        row: Row = dict.fromkeys(FIGURES, 0) | {"phase": "p", "direction": direction, "connections": 1}
        for kind in KINDS:
            row[f"{kind}_headers"] = draw(FEW)
        headers = sum(row[f"{kind}_headers"] for kind in KINDS)
        row["ip"] = draw(st.integers(0, headers))
        row["tcp"] = headers - row["ip"]
        row["payload"], row["retransmitted"] = draw(FEW), draw(FEW)
        row["tls_handshake"] = draw(st.integers(0, row["payload"]))
        row["tls_headers"] = draw(st.integers(0, row["payload"]))
        row["tls_tags"] = draw(st.integers(0, row["payload"]))
        made.append(row)
    return made


SIZES = st.one_of(st.none(), st.floats(0, 9000, allow_nan=False))


@given(phases(), st.integers(0, 12_000), SIZES)
def test_shares_add_up_and_none_is_negative(rows: list[Row], data: int, message: float | None) -> None:
    found = shares(rows, data, message)
    assert sum(found.values()) == pytest.approx(wire(rows))
    assert min(found.values()) >= 0
    assert (MESSAGE in found) != (ENCODING in found and FRAMING in found)
    assert found[PAYLOAD] + saved(rows, data, message) == pytest.approx(data)
    assert saved(rows, data, message) >= 0


@given(phases(), phases(), st.integers(1, 9), st.integers(0, 12_000), SIZES)
def test_a_difference_of_drives_has_no_negative_share(
    long: list[Row], short: list[Row], calls: int, data: int, message: float | None
) -> None:
    """A long drive can have fewer packets that only acknowledge than a short one."""
    longer = [{**one, "payload": one["payload"] + other["payload"]} for one, other in zip(long, short, strict=True)]
    rows = per_call(longer, short, calls)
    found = shares(rows, data, message)
    assert sum(found.values()) == pytest.approx(wire(rows))
    assert all(value >= 0 for name, value in found.items() if name != HEADERS)


def test_the_size_of_another_stacks_message_is_not_taken_for_ones_own() -> None:
    """A former defect: 805 bytes sent, and a message of 10,146 by another library: framing of -9,341 bytes."""
    rows: list[Row] = [dict.fromkeys(FIGURES, 0) | {"payload": 805}]
    found = shares(rows, 12, 10_145.8)
    assert {name: value for name, value in found.items() if value} == {PAYLOAD: 12, MESSAGE: 793}


def test_a_message_shorter_than_its_data_saves_the_rest() -> None:
    rows: list[Row] = [dict.fromkeys(FIGURES, 0) | {"payload": 500}]
    found = shares(rows, 32_768, 300.0)
    assert (found[PAYLOAD], found[ENCODING], found[FRAMING]) == (300, 0, 200)
    assert saved(rows, 32_768, 300.0) == 32_468


@given(phases(), st.integers(1, 9))
def test_per_call_takes_out_what_costs_but_once(rows: list[Row], calls: int) -> None:
    once = [{**row, "payload": 70, "ip": 20} for row in rows]
    long = [
        {**first, **{name: first[name] + calls * more[name] for name in FIGURES}}
        for first, more in zip(once, rows, strict=True)
    ]
    found = per_call(long, once, calls)
    assert stream(found) == stream(rows)
    assert wire(found) == wire(rows)
