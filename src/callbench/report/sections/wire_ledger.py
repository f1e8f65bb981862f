"""The wire ledger: what each byte of a call was for, by stack, with what the bytes cost."""

from collections.abc import Mapping, Sequence

from callbench.analysis.cells.messages import MessageTimes
from callbench.analysis.cells.results import Result
from callbench.analysis.run.subject import Subject
from callbench.analysis.wire.accounts import WIRE_SQL, Ledger
from callbench.analysis.wire.counts import (
    ENCODING,
    FIRST,
    FRAMING,
    LIFE,
    MESSAGE,
    SET_UP,
    SHARES,
    STEADY,
    TEAR_DOWN,
    saved,
    shares,
    stream,
    wire,
)
from callbench.report.charts.chart import chart
from callbench.report.charts.shares import shares as chart_of
from callbench.report.text.section import Chart, Section, Sheet

_PHASES = (SET_UP, FIRST, STEADY, TEAR_DOWN, LIFE)
PRICE = "price_per_gigabyte"
_NONE = "–"  # noqa: RUF001 - a mark, not a minus
_ABOUT, _UNKNOWN = "about", "not known"
_SAVED, _STREAM = "data not sent", "streams"


def section(subject: Subject) -> Section | None:
    """Write the section, where a study asked for a ledger."""
    ledgers = subject.results.ledgers
    if not ledgers:
        return None
    cells = {cell.id: cell for cell in subject.results.cells}
    groups: dict[str, list[tuple[Result, Ledger]]] = {}
    for cell, ledger in ledgers.items():
        if cell in cells:
            groups.setdefault(cells[cell].attributes["group"], []).append((cells[cell], ledger))
    sheets, charts = [], []
    for group, pairs in groups.items():
        ordered = sorted(pairs, key=lambda pair: pair[1].statistics().get("wire_bytes", float("inf")))
        sheets += [_of_shares(subject, group, ordered), _of_phases(group, ordered)]
        charts += _chart(subject, group, ordered)
    return Section(
        id="wire",
        title="Wire ledger",
        about=(
            "The purpose of each byte of a call, counted in a capture of a link without other traffic. The capture is"
            " a separate trial, so no timed trial is affected. Payload is the data itself. Encoding is added by the"
            " message, framing by the channel. A byte of a stream counts once, even if it is sent again. A count is"
            " exact if two whole counts in a row are equal. If calls differ, the value is called a mean. The number of"
            " acknowledgement packets depends on timing. So packets and their headers can vary slightly from run to"
            " run."
        ),
        found=[text for group, pairs in groups.items() if (text := _sentence(group, pairs))],
        sheets=sheets,
        charts=charts,
        source=WIRE_SQL,
    )


def _message(subject: Subject, cell: Result) -> float | None:
    """Return the mean size of a call's two messages as the stack's own sides write them, if the codec was timed."""
    times = MessageTimes(subject.results.codecs).of(*(cell.attributes[name] for name in ("stack", "message", "group")))
    return times.bytes if times else None


def _payload(ledger: Ledger) -> int:
    return ledger.request_payload + ledger.answer_payload


def _shares(subject: Subject, cell: Result, ledger: Ledger) -> Mapping[str, float]:
    return shares(ledger.phases[STEADY], _payload(ledger), _message(subject, cell))


def _price(subject: Subject) -> float | None:
    price = subject.study.parameters.get(PRICE)
    return float(price) if isinstance(price, int | float) and not isinstance(price, bool) else None


def _of_shares(subject: Subject, group: str, pairs: Sequence[tuple[Result, Ledger]]) -> Sheet:
    """Write the shares of a steady call."""
    price = _price(subject)
    rows = [_row(subject, cell, ledger) for cell, ledger in pairs]
    columns = [_STREAM, *SHARES, "IP packets, whole", "packets", "round trips", _SAVED]
    # What no stack has, or no stack has by itself, is no column.
    columns = [name for name in columns if name not in {MESSAGE, _SAVED} or any(row.get(name) for row in rows)]
    table = [
        [cell.attributes["stack"], *(row.get(name, "") for name in columns)]
        for (cell, _), row in zip(pairs, rows, strict=True)
    ]
    columns = ["stack", *columns]
    if price is not None:
        columns.append("cost of a million calls")
        for line, (_, ledger) in zip(table, pairs, strict=True):
            line.append(f"{wire(ledger.phases[STEADY]) * 1e6 / 1e9 * price:,.2f}" if ledger.phases else _NONE)
    note = " ".join(_notes(rows, pairs))
    if price is not None:
        note += f" At {price:g} a gigabyte (10^9 bytes) of IP packets, both ways."
    return Sheet(f"Bytes of a steady call: {group}", columns, table, note.strip())


def _row(subject: Subject, cell: Result, ledger: Ledger) -> dict[str, str]:
    """Write one stack's shares by column. A size that is a mean of other payloads is written as about so much."""
    message, payload = _message(subject, cell), _payload(ledger)
    if not ledger.phases:
        row = dict.fromkeys((_STREAM, *SHARES, "IP packets, whole", "packets", "round trips"), _NONE)
        row |= {MESSAGE: "", "payload": _bytes(payload)}
        if message is not None:
            row |= {ENCODING: _about(max(0.0, message - payload))}
        if message is not None and message < payload:
            row |= {_SAVED: _about(payload - message)}
        return row
    parts, steady = _shares(subject, cell, ledger), ledger.phases[STEADY]
    row = {name: _bytes(value) for name, value in parts.items()}
    if MESSAGE in parts:
        row |= {ENCODING: _UNKNOWN, FRAMING: _UNKNOWN}
    else:
        row |= {name: _about(parts[name]) for name in (ENCODING, FRAMING)}
    spared = saved(steady, payload, message)
    if spared > 0:
        row |= {"payload": _about(parts["payload"]), _SAVED: _about(spared)}
    packets, turns = (sum(row[name] for row in steady) for name in ("packets", "turns"))
    kind = "" if ledger.exact else " (mean)"
    row[_STREAM] = _bytes(stream(steady)) + kind
    row["IP packets, whole"] = _bytes(wire(steady)) + kind
    return row | {"packets": _bytes(packets), "round trips": _bytes(turns / 2)}


def _notes(rows: Sequence[Mapping[str, str]], pairs: Sequence[tuple[Result, Ledger]]) -> list[str]:
    """Describe what must be known of the values of a sheet."""
    texts = []
    if any(row.get(ENCODING, "").startswith(_ABOUT) for row in rows):
        texts.append(
            "About: the size of a message is the mean over 64 payloads that differ slightly in length. Encoding and"
            " framing are distinguished by it."
        )
    if any(row.get(ENCODING) == _UNKNOWN for row in rows):
        texts.append(
            "Not known: the messages of this stack were not counted separately. Its encoding and its framing are one"
            " value."
        )
    if any(_SAVED in row for row in rows):
        texts.append(
            "Data not sent: a message is shorter than its data, because it is compressed or sends equal values once."
            " Payload is the part that was sent."
        )
    if any(not ledger.phases for _, ledger in pairs):
        texts.append("A channel without packets has no headers and no round trips to capture.")
    return texts + [text for cell, ledger in pairs if (text := varying(cell.attributes["stack"], ledger))]


def varying(stack: str, ledger: Ledger) -> str:
    """Describe of an account that is no single exact count what it is, or nothing."""
    if not ledger.phases:
        return ""
    reach, size = ledger.reach, _bytes(stream(ledger.phases[STEADY]))
    if reach is None:
        return "" if ledger.exact else f"{stack}: {size} bytes is a mean, because the calls differ."
    ends = f"{_bytes(reach[0])} to {_bytes(reach[1])}"
    if ledger.exact:
        return f"{stack}: two counts in a row gave {size} bytes. Other counts, means of four calls each, gave {ends}."
    return f"{stack}: {size} bytes is the mean of {len(ledger.counts)} counts from {ends}, because its calls differ."


def _of_phases(group: str, pairs: Sequence[tuple[Result, Ledger]]) -> Sheet:
    """Write the counts side by side: set-up, first, steady, life."""
    columns = ["stack", *(f"{phase}: stream" for phase in _PHASES), *(f"{phase}: IP" for phase in _PHASES)]
    rows = [
        [
            cell.attributes["stack"],
            *(_bytes(stream(ledger.phases[phase])) for phase in _PHASES),
            *(_bytes(wire(ledger.phases[phase])) for phase in _PHASES),
        ]
        for cell, ledger in pairs
        if ledger.phases
    ]
    note = (
        "Stream: bytes above TCP. Life: a new client that connects, calls once and ends, counted separately."
        " Bytes that a channel sends late count in the phase in which they were sent."
    )
    return Sheet(f"Set-up, first call, steady call, life: {group}", columns, rows, note)


def _chart(subject: Subject, group: str, pairs: Sequence[tuple[Result, Ledger]]) -> list[Chart]:
    parts = {cell.attributes["stack"]: _shares(subject, cell, ledger) for cell, ledger in pairs if ledger.phases}
    title, about = f"Wire: {group}", "Bytes of one steady call, both ways, by purpose."
    spec = chart_of(parts, SHARES) if parts else None
    drawn = chart(f"wire-{group}", title, about, spec, WIRE_SQL)
    return [drawn] if drawn else []


def _sentence(group: str, pairs: Sequence[tuple[Result, Ledger]]) -> str:
    """Name who sends least and most."""
    counted = [(cell.attributes["stack"], wire(ledger.phases[STEADY])) for cell, ledger in pairs if ledger.phases]
    if len(counted) < 2:
        return ""
    least, most = min(counted, key=lambda pair: pair[1]), max(counted, key=lambda pair: pair[1])
    return (
        f"{group}: a steady call takes {_bytes(least[1])} bytes ({least[0]}) to {_bytes(most[1])} ({most[0]}),"
        f" {most[1] / least[1]:.3g} times as many."
    )


def _about(value: float) -> str:
    """Write a size that is a mean over other payloads: to the whole byte, and as about so much if it is no count."""
    return _bytes(value) if float(value).is_integer() else f"{_ABOUT} {value:,.0f}"


def _bytes(value: float) -> str:
    """Write a count: whole if it is whole, else with what a mean has behind the point."""
    return f"{value:,.0f}" if abs(value - round(value)) < 1e-9 else f"{value:,.2f}"
