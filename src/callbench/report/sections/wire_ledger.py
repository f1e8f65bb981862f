"""The wire ledger: what each byte of a call was for, by stack, with what the bytes cost."""

from collections.abc import Mapping, Sequence

from callbench.report.charts.draw import drawn
from callbench.report.charts.shares import shares as chart_of
from callbench.report.section import Chart, Section, Sheet
from callbench.report.subject import Subject
from callbench.results import Result
from callbench.wire.counts import FIRST, LIFE, SET_UP, STEADY, TEAR_DOWN, shares, stream, wire
from callbench.wire.found import WIRE_SQL, Ledger

SHARES = (
    "payload",
    "encoding",
    "framing",
    "TLS",
    "TCP and IP headers",
    "acknowledgements",
    "set-up and tear-down",
    "sent again",
)
_PHASES = (SET_UP, FIRST, STEADY, TEAR_DOWN, LIFE)
PRICE = "price_per_gigabyte"
_NONE = "–"  # noqa: RUF001 - a mark, not a minus


def section(subject: Subject) -> Section | None:
    """Write the section, where a study asked for a ledger."""
    ledgers = subject.results.ledgers
    if not ledgers:
        return None
    cells = {one.id: one for one in subject.results.cells}
    groups: dict[str, list[tuple[Result, Ledger]]] = {}
    for cell, ledger in ledgers.items():
        if cell in cells:
            groups.setdefault(cells[cell].attributes["group"], []).append((cells[cell], ledger))
    sheets, charts = [], []
    for group, found in groups.items():
        ordered = sorted(found, key=lambda one: one[1].statistics().get("wire_bytes", float("inf")))
        sheets += [_of_shares(subject, group, ordered), _of_phases(group, ordered)]
        charts += _chart(subject, group, ordered)
    return Section(
        id="wire",
        title="Wire ledger",
        about=(
            "What each byte of a call was for, counted from a capture of a cable on which nothing else talks, in a"
            " trial of its own: no timed trial had a capture beside it. Payload is the data itself, whatever writes it"
            " down; encoding what the message adds; framing what the channel puts around the message. Bytes of the"
            " streams are exact: each counts once, however often it was sent. How many packets only acknowledge depends"
            " on moments, so packets and their headers can vary by a few from run to run."
        ),
        found=[text for group, found in groups.items() if (text := _sentence(group, found))],
        sheets=sheets,
        charts=charts,
        source=WIRE_SQL,
    )


def message_bytes(subject: Subject, cell: Result) -> float | None:
    """Give the mean size of a call's two messages, where the codec was timed."""
    key = cell.attributes["message"], cell.attributes["group"]
    found = [one.bytes for one in subject.results.codecs if (one.message, one.group) == key]
    return sum(found) if len(found) == 2 else None


def _shares(subject: Subject, cell: Result, ledger: Ledger) -> Mapping[str, float]:
    payload = ledger.request_payload + ledger.answer_payload
    return shares(ledger.phases[STEADY], payload, message_bytes(subject, cell))


def _price(subject: Subject) -> float | None:
    price = subject.study.parameters.get(PRICE)
    return float(price) if isinstance(price, int | float) and not isinstance(price, bool) else None


def _of_shares(subject: Subject, group: str, found: Sequence[tuple[Result, Ledger]]) -> Sheet:
    """Write the shares of a steady call."""
    price = _price(subject)
    rows, without = [], False
    for cell, ledger in found:
        message, payload = message_bytes(subject, cell), ledger.request_payload + ledger.answer_payload
        if not ledger.phases:
            without = True
            encoding = "" if message is None else _bytes(message - payload)
            rows.append([cell.attributes["stack"], _bytes(payload), encoding, *[_NONE] * (len(SHARES) + 1)])
            continue
        parts, steady = _shares(subject, cell, ledger), ledger.phases[STEADY]
        texts = [_bytes(parts[name]) for name in SHARES]
        if message is None:
            texts[SHARES.index("framing")] = "in encoding"
        packets, turns = (sum(row[name] for row in steady) for name in ("packets", "turns"))
        exact = "" if ledger.exact else " (varies)"
        rows.append(
            [cell.attributes["stack"], *texts, _bytes(wire(steady)) + exact, _bytes(packets), _bytes(turns / 2)]
        )
    columns = ["stack", *SHARES, "IP packets, whole", "packets", "round trips"]
    if price is not None:
        columns.append("a million calls cost")
        for row, (_, ledger) in zip(rows, found, strict=True):
            row.append(f"{wire(ledger.phases[STEADY]) * 1e6 / 1e9 * price:,.2f}" if ledger.phases else _NONE)
    note = (
        "A message's size is the codec's mean over 64 payloads, which differ in length a little."
        if any(message_bytes(subject, cell) is not None for cell, _ in found)
        else ""
    )
    if without:
        note += " A channel without packets has neither headers nor round trips that could be captured."
    if price is not None:
        note += f" At {price:g} a gigabyte (10^9 bytes) of IP packets, both ways."
    return Sheet(f"Bytes of a steady call: {group}", columns, rows, note.strip())


def _of_phases(group: str, found: Sequence[tuple[Result, Ledger]]) -> Sheet:
    """Write the counts side by side: set-up, first, steady, life."""
    columns = ["stack", *(f"{phase}: stream" for phase in _PHASES), *(f"{phase}: IP" for phase in _PHASES)]
    rows = [
        [
            cell.attributes["stack"],
            *(_bytes(stream(ledger.phases[phase])) for phase in _PHASES),
            *(_bytes(wire(ledger.phases[phase])) for phase in _PHASES),
        ]
        for cell, ledger in found
        if ledger.phases
    ]
    note = (
        "Stream: bytes above TCP, as the thesis of 2003 counted them. Life: a fresh client that connects, calls once"
        " and ends, counted on its own. What a channel sends late of its own accord counts where it came."
    )
    return Sheet(f"Set-up, first call, steady call, life: {group}", columns, rows, note)


def _chart(subject: Subject, group: str, found: Sequence[tuple[Result, Ledger]]) -> list[Chart]:
    parts = {cell.attributes["stack"]: _shares(subject, cell, ledger) for cell, ledger in found if ledger.phases}
    if not parts:
        return []
    title, about = f"Wire: {group}", "Bytes of one steady call, both ways, by what they were for."
    svg = drawn(chart_of(parts, SHARES), f"{title}. {about} The figures are in the sheets above.")
    return [Chart(f"wire-{group}", title, about, svg, WIRE_SQL)]


def _sentence(group: str, found: Sequence[tuple[Result, Ledger]]) -> str:
    """Say who sends least and most."""
    counted = [(cell.attributes["stack"], wire(ledger.phases[STEADY])) for cell, ledger in found if ledger.phases]
    if len(counted) < 2:
        return ""
    least, most = min(counted, key=lambda one: one[1]), max(counted, key=lambda one: one[1])
    return (
        f"{group}: a steady call takes from {_bytes(least[1])} bytes ({least[0]}) to {_bytes(most[1])} ({most[0]}),"
        f" {most[1] / least[1]:.3g} times as many."
    )


def _bytes(value: float) -> str:
    """Write a count: whole where it is whole, else with what a mean has behind the point."""
    return f"{value:,.0f}" if abs(value - round(value)) < 1e-9 else f"{value:,.2f}"
