"""The messages of a service with everything in FlatBuffers, with Google's package.

A field's number is its place in its message. A map is a vector of tables of a key and a value, sorted by key. A vector
within a vector has a table around it.
"""

import json
from base64 import b64decode, b64encode
from typing import Any

import flatbuffers
from everything_service import SCHEMA
from flatbuffers import number_types as types
from flatbuffers.table import Table

from callbench.model.service.schema import Field, Kind, Message, Shape

_NUMBERS: dict[Kind, Any] = {
    Kind.BOOL: types.BoolFlags,
    Kind.INT32: types.Int32Flags,
    Kind.INT64: types.Int64Flags,
    Kind.UINT32: types.Uint32Flags,
    Kind.UINT64: types.Uint64Flags,
    Kind.FLOAT: types.Float32Flags,
    Kind.DOUBLE: types.Float64Flags,
    Kind.ENUM: types.Uint16Flags,
}
_PLACES = {one.name: [name for name, _ in one.values] for one in SCHEMA.enumerations}


def place(number: int) -> int:
    """Where the list of fields has a field."""
    return 4 + 2 * number


def root(body: bytes) -> Table:
    """The table that a message begins with."""
    return Table(body, flatbuffers.encode.Get(flatbuffers.packer.uoffset, body, 0))


def inner(table: Table, number: int) -> Table:
    """A table within."""
    return Table(table.Bytes, table.Indirect(table.Pos + table.Offset(place(number))))


def read(table: Table, number: int, name: str) -> Any:
    """The user's JSON of the message of this name, which a field holds."""
    message = SCHEMA.message(name)
    if message.wrapped:
        return _read_field(message.fields[0], table, number)
    return _read_record(message, inner(table, number))


def _read_record(message: Message, table: Table) -> Any:
    made = {}
    for number, field in enumerate(message.fields):
        absent = not table.Offset(place(number)) and (field.shape is Shape.OPTIONAL or field.oneof)
        if not absent:
            made[field.json_name] = _read_field(field, table, number)
        elif field.nullable:
            made[field.json_name] = None
    return made


def _elements(table: Table, number: int, size: int) -> list[int]:
    """Where the elements of a vector are."""
    offset = table.Offset(place(number))
    if not offset:
        return []
    start = table.Vector(offset)
    return [start + size * at for at in range(table.VectorLen(offset))]


def _read_field(field: Field, table: Table, number: int) -> Any:
    if field.shape is Shape.MAP:
        entries = [Table(table.Bytes, table.Indirect(at)) for at in _elements(table, number, 4)]
        keys = [one.String(one.Pos + one.Offset(place(0))) for one in entries]
        assert keys == sorted(keys)
        return {key.decode(): _read_one(field, one, 1) for key, one in zip(keys, entries, strict=True)}
    if field.shape is Shape.MANY:
        flags = _NUMBERS.get(field.kind)
        size = flags.bytewidth if flags else 4
        return [_read_element(field, table, at) for at in _elements(table, number, size)]
    return _read_one(field, table, number)


def _read_element(field: Field, table: Table, at: int) -> Any:
    if field.kind in _NUMBERS:
        return _number(field, table.Get(_NUMBERS[field.kind], at))
    if field.kind in {Kind.STRING, Kind.JSON}:
        return _text(field, table.String(at))
    held = Table(table.Bytes, table.Indirect(at))
    if field.kind is Kind.BYTES:
        return _read_one(field, held, 0)
    message = SCHEMA.message(field.type_name)
    return _read_field(message.fields[0], held, 0) if message.wrapped else _read_record(message, held)


def _read_one(field: Field, table: Table, number: int) -> Any:
    if field.kind is Kind.MESSAGE:
        return read(table, number, field.type_name)
    if field.kind is Kind.BYTES:
        return b64encode(bytes(table.Get(types.Uint8Flags, at) for at in _elements(table, number, 1))).decode()
    offset = table.Offset(place(number))
    if field.kind in _NUMBERS:
        return _number(field, table.Get(_NUMBERS[field.kind], table.Pos + offset) if offset else 0)
    return _text(field, table.String(table.Pos + offset))


def _number(field: Field, value: Any) -> Any:
    return _PLACES[field.type_name][value] if field.kind is Kind.ENUM else value


def _text(field: Field, value: bytes) -> Any:
    return json.loads(value) if field.kind is Kind.JSON else value.decode()


def message(mark: int, kind: int, name: str, value: Any) -> bytes:
    """A whole message: its id, the kind in the union, and a table of the request or of the answer."""
    to = flatbuffers.Builder(256)
    held = _written(to, name, value)
    to.StartObject(1)
    to.PrependUOffsetTRelativeSlot(0, held, 0)
    holder = to.EndObject()
    to.StartObject(3)
    to.PrependUint32Slot(0, mark, 0)
    to.PrependUint8Slot(1, kind, 0)
    to.PrependUOffsetTRelativeSlot(2, holder, 0)
    to.Finish(to.EndObject())
    return bytes(to.Output())


def _written(to: Any, name: str, value: Any) -> int:
    message = SCHEMA.message(name)
    if message.wrapped:
        return int(_write_field(to, message.fields[0], value))
    held = []
    for number, field in enumerate(message.fields):
        given = value.get(field.json_name)
        if given is not None or not (field.shape is Shape.OPTIONAL or field.oneof):
            held.append((number, field, _write_field(to, field, given)))
    to.StartObject(len(message.fields))
    for number, field, written in held:
        _set(to, number, field, written)
    return int(to.EndObject())


def _set(to: Any, number: int, field: Field, written: Any) -> None:
    if field.shape in {Shape.ONE, Shape.OPTIONAL} and field.kind in _NUMBERS:
        # None as the default: written whatever it is.
        to.PrependSlot(_NUMBERS[field.kind], number, written, None)
    else:
        to.PrependUOffsetTRelativeSlot(number, written, 0)


def _write_field(to: Any, field: Field, value: Any) -> Any:
    if field.shape is Shape.MAP:
        entries = []
        for key in sorted(value, key=str.encode):
            text, one = to.CreateString(key), _write_one(to, field, value[key])
            to.StartObject(2)
            to.PrependUOffsetTRelativeSlot(0, text, 0)
            if field.kind in _NUMBERS:
                to.PrependSlot(_NUMBERS[field.kind], 1, one, None)
            else:
                to.PrependUOffsetTRelativeSlot(1, one, 0)
            entries.append(to.EndObject())
        return _vector(to, 4, entries, to.PrependUOffsetTRelative)
    if field.shape is not Shape.MANY:
        return _write_one(to, field, value)
    made = [_write_element(to, field, one) for one in value]
    flags = _NUMBERS.get(field.kind)
    if flags is None:
        return _vector(to, 4, made, to.PrependUOffsetTRelative)
    return _vector(to, flags.bytewidth, made, lambda one: to.Prepend(flags, one))


def _vector(to: Any, size: int, made: list[Any], prepend: Any) -> int:
    to.StartVector(size, len(made), size)
    for one in reversed(made):
        prepend(one)
    return int(to.EndVector())


def _write_element(to: Any, field: Field, value: Any) -> Any:
    written = _write_one(to, field, value)
    bare = field.kind is Kind.MESSAGE and not SCHEMA.message(field.type_name).wrapped
    if bare or field.kind in {*_NUMBERS, Kind.STRING, Kind.JSON}:
        return written
    to.StartObject(1)
    to.PrependUOffsetTRelativeSlot(0, written, 0)
    return to.EndObject()


def _write_one(to: Any, field: Field, value: Any) -> Any:
    match field.kind:
        case Kind.MESSAGE:
            return _written(to, field.type_name, value)
        case Kind.BYTES:
            return to.CreateByteVector(b64decode(value))
        case Kind.STRING:
            return to.CreateString(value)
        case Kind.JSON:
            return to.CreateString(json.dumps(value))
        case Kind.ENUM:
            return _PLACES[field.type_name].index(value)
        case _:
            return value
