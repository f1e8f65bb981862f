"""The table of bytes of a service: each call in each format, plain and compressed."""

from collections.abc import Iterator, Mapping, Sequence

from callbench.catalog.encoders.byte_table import CallBytes
from callbench.catalog.encoders.codings import CODINGS, LEVELS
from callbench.model.service.imported import MOST_CALLS

CALLS = 3
"""Calls that are printed. `--json` has more."""
_WIDTH = 9
_NAME = 15
_REASON = 100


def lines(tables: Sequence[CallBytes]) -> Iterator[str]:
    """The table as text, in at most 80 columns."""
    if not tables:
        return
    levels = ", ".join(f"{name} at level {level}" for name, level in LEVELS.items())
    yield "Bytes of each message, without the envelope of a protocol:"
    yield f"  {levels}"
    for table in tables[:CALLS]:
        yield from _call(table)
    if len(tables) > CALLS:
        yield f"  and {len(tables) - CALLS} more calls: --json has the first {MOST_CALLS}"


def _call(table: CallBytes) -> Iterator[str]:
    payloads = "sample" if table.samples else "payload"
    mean = f"1 {payloads}" if table.payloads == 1 else f"mean of {table.payloads} {payloads}s"
    yield f"  {table.call}, {mean}"
    side = _WIDTH * len(CODINGS)
    yield f"    {'':{_NAME}}{'request':>{side}}{'answer':>{side}}"
    yield f"    {'':{_NAME}}" + 2 * "".join(f"{name:>{_WIDTH}}" for name in CODINGS)
    for row in table.formats:
        yield f"    {row.format:{_NAME}}" + _numbers(row.request) + _numbers(row.answer)
    for name, reason in table.cannot.items():
        yield f"    {name} cannot carry it: {reason:.{_REASON}}"


def _numbers(side: Mapping[str, float]) -> str:
    return "".join(f"{number:>{_WIDTH},.0f}" for number in side.values())


def as_record(tables: Sequence[CallBytes]) -> list[dict[str, object]]:
    """The same for programs, with means that are not rounded."""
    return [
        {
            "call": table.call,
            "payloads": table.payloads,
            "samples": table.samples,
            "formats": [
                {"format": row.format, "request": dict(row.request), "answer": dict(row.answer)}
                for row in table.formats
            ],
            "cannot": dict(table.cannot),
        }
        for table in tables
    ]
