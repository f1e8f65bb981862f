"""Shares of the bytes of a phase: they add up to what was on the wire."""

from hypothesis import given
from hypothesis import strategies as st

from callbench.wire.counts import FIGURES, KINDS, Row, per_call, shares, stream, wire

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
        row["tls_headers"] = draw(st.integers(0, row["payload"]))
        made.append(row)
    return made


@given(phases(), st.integers(0, 3000), st.one_of(st.none(), st.integers(0, 9000)))
def test_shares_add_up(rows: list[Row], data: int, message: int | None) -> None:
    found = shares(rows, data, message)
    assert sum(found.values()) == wire(rows)
    assert found["payload"] == data
    assert found["framing"] == 0 or message is not None


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
