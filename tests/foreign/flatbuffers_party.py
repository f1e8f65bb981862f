"""FlatBuffers with Google's package, by the numbers that contract/service.fbs gives its fields."""

import itertools
from typing import Any

import flatbuffers
from flatbuffers import number_types
from flatbuffers.table import Table
from party import Person, RefusedError, post

# The unions of the schema.
SUM, GET_PERSONS, GET_BINARY_DATA = 2, 3, 4
FAULT = 1


def place(number: int) -> int:
    """Where the list of fields has a field."""
    return 4 + 2 * number


def root(body: bytes) -> Table:
    """The table that a message begins with."""
    return Table(body, flatbuffers.encode.Get(flatbuffers.packer.uoffset, body, 0))


def member(table: Table, number: int) -> Any:
    """Where a member lies; None where it is absent."""
    offset = table.Offset(place(number))
    return table.Pos + offset if offset else None


def scalar(table: Table, number: int, flags: Any) -> Any:
    """A number; zero where it is absent."""
    at = member(table, number)
    return 0 if at is None else table.Get(flags, at)


def inner(table: Table, number: int) -> Table:
    """A table within."""
    return Table(table.Bytes, table.Indirect(member(table, number)))


def text(table: Table, number: int) -> str:
    """A text."""
    at = member(table, number)
    return "" if at is None else str(table.String(at).decode())


def message(kind: int, mark: int, fields: list[tuple[str, Any]]) -> bytes:
    """A request: its id and the table of parameters, in the order of the schema."""
    builder = flatbuffers.Builder(64)
    held = [(sort, builder.CreateString(value) if sort == "text" else value) for sort, value in fields]
    builder.StartObject(len(fields))
    for number, (sort, value) in enumerate(held):
        if sort == "text":
            builder.PrependUOffsetTRelativeSlot(number, value, 0)
        else:
            builder.PrependInt32Slot(number, value, 0)
    parameters = builder.EndObject()
    builder.StartObject(3)
    builder.PrependUint32Slot(0, mark, 0)
    builder.PrependUint8Slot(1, kind, 0)
    builder.PrependUOffsetTRelativeSlot(2, parameters, 0)
    builder.Finish(builder.EndObject())
    return bytes(builder.Output())


class FlatBuffers:
    """A client."""

    def __init__(self, url: str) -> None:
        """Talk to the service at `url`."""
        self._url = url
        self._ids = itertools.count(1)

    def _call(self, kind: int, *fields: tuple[str, Any]) -> Table:
        mark = next(self._ids)
        answer = root(post(self._url, "application/x-flatbuffers", message(kind, mark, list(fields))))
        assert scalar(answer, 0, number_types.Uint32Flags) == mark
        held = inner(answer, 2)
        if scalar(answer, 1, number_types.Uint8Flags) == FAULT:
            raise RefusedError(text(held, 0))
        return held

    def sum(self, a: int, b: int) -> int:
        return int(scalar(self._call(SUM, ("int", a), ("int", b)), 0, number_types.Int32Flags))

    def persons(self, n: int) -> list[Person]:
        answer = self._call(GET_PERSONS, ("int", n))
        offset = answer.Offset(place(0))
        start = answer.Vector(offset)
        found = [Table(answer.Bytes, answer.Indirect(start + 4 * at)) for at in range(answer.VectorLen(offset))]
        return [(scalar(one, 0, number_types.Int32Flags), text(one, 1), text(one, 2)) for one in found]

    def binary(self, size: int, fill: str) -> bytes:
        answer = self._call(GET_BINARY_DATA, ("int", size), ("text", fill))
        offset = answer.Offset(place(0))
        start = answer.Vector(offset)
        return bytes(answer.Bytes[start : start + answer.VectorLen(offset)])
