"""What a call of an imported service must answer: the pairs of its folder, in the form in which adapters answer.

It is worked out from the schema and the JSON that the user wrote, not by the code that is generated from them.
"""

from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from callbench.adapter.service import BadArgumentsError
from callbench.adapter.service.canonical import Form, bytes_form, canonical, double_form, float_form, long_form
from callbench.model.cell import Cell
from callbench.model.service.imported import Imported, Json, Pair
from callbench.model.service.schema import Field, Kind, Message, Schema, Shape

PAIR = "pair"
"""The argument that names one pair of a call, from 1; without it, clients take all in rotation."""
_WHOLE = 2**53
_DEFAULTS: Mapping[Kind, Json] = {Kind.BOOL: False, Kind.STRING: "", Kind.BYTES: "", Kind.MESSAGE: {}, Kind.JSON: None}
_WIDTHS = {
    Kind.BOOL: 1,
    Kind.INT32: 4,
    Kind.UINT32: 4,
    Kind.FLOAT: 4,
    Kind.ENUM: 4,
    Kind.INT64: 8,
    Kind.UINT64: 8,
    Kind.DOUBLE: 8,
}


def has(service: Imported | None, call: str) -> bool:
    """Whether the call is one of the service's."""
    return service is not None and any(declared.name == call for declared in service.schema.calls)


def pair_of(service: Imported, call: str, arguments: Mapping[str, object]) -> Pair:
    """The pair that the arguments name, else the first.

    Raises:
        BadArgumentsError: the call has no such pair.
    """
    pairs, number = service.payloads.get(call, ()), arguments.get(PAIR, 1)
    if not isinstance(number, int) or not 1 <= number <= len(pairs):
        raise BadArgumentsError(f"{PAIR} is {number!r}: {call} has {len(pairs)} pairs, counted from 1")
    return pairs[number - 1]


def some(
    service: Imported | None, call: str, arguments: Mapping[str, object], most: int = 16
) -> list[Mapping[str, object]]:
    """Arguments with which a call is checked: each of the first pairs of an imported service's; else as they are."""
    if service is None or PAIR in arguments or not has(service, call):
        return [arguments]
    count = min(len(service.payloads.get(call, ())), most)
    return [{**arguments, PAIR: number} for number in range(1, count + 1)] or [arguments]


def right(service: Imported, call: str, arguments: Mapping[str, object]) -> Form:
    """The right answer, in canonical form.

    A request may stand in several pairs: the first one's answer is right for all.

    Raises:
        BadArgumentsError: the call has no such pair.
    """
    schema = service.schema
    types = next(declared for declared in schema.calls if declared.name == call)
    pair = pair_of(service, call, arguments)
    request = canonical(form(schema, types.request, pair.request))
    alike = (kept for kept in service.payloads[call] if kept.request == pair.request)
    first = next(
        (kept for kept in alike if canonical(form(schema, types.request, kept.request)) == request),
        pair,
    )
    return form(schema, types.answer, first.answer)


def form(schema: Schema, message: str, value: Json) -> Form:
    """The canonical form of a message, given its JSON."""
    return _Forms(schema).of(message, value)


def payload(service: Imported, call: str, arguments: Mapping[str, object]) -> tuple[int, int]:
    """The bytes of data in a call's request and in its answer: without names, types and lengths.

    Raises:
        BadArgumentsError: the call has no such pair.
    """
    types = next(declared for declared in service.schema.calls if declared.name == call)
    pair, sizes = pair_of(service, call, arguments), _Sizes(service.schema)
    return sizes.of(types.request, pair.request), sizes.of(types.answer, pair.answer)


def steady(service: Imported | None, cell: Cell) -> Cell:
    """The cell with one pair alone, of which every call has as many bytes: the pair of middle length."""
    if service is None or PAIR in cell.arguments or not has(service, cell.call):
        return cell
    lengths = [len(str(kept.request)) + len(str(kept.answer)) for kept in service.payloads.get(cell.call, ())]
    if not lengths:
        return cell
    middle = sorted(lengths)[len(lengths) // 2]
    return replace(cell, arguments={**cell.arguments, PAIR: lengths.index(middle) + 1})


class _Types:
    """The messages of a schema, by name."""

    def __init__(self, schema: Schema) -> None:
        self._messages = {message.name: message for message in schema.messages}
        self._firsts = {enumeration.name: enumeration.values[0][0] for enumeration in schema.enumerations}

    def message(self, name: str) -> Message:
        return self._messages[name]

    def default(self, field: Field) -> Json:
        """The JSON of a field that is always there and was left out."""
        if field.kind is Kind.ENUM:
            return self._firsts[field.type_name]
        return _DEFAULTS.get(field.kind, 0)


class _Forms(_Types):
    """Values in canonical form."""

    def of(self, name: str, value: Json) -> Form:
        message = self.message(name)
        if message.wrapped:
            return self._field(message.fields[0], value)
        members = value if isinstance(value, dict) else {}
        formed: dict[str, Form] = {}
        for field in message.fields:
            given = members.get(field.json_name)
            optional = field.shape is Shape.OPTIONAL or bool(field.oneof)
            if given is not None or not optional:
                formed[field.json_name] = self._field(field, given)
            elif field.nullable:
                formed[field.json_name] = None
        return formed

    def _field(self, field: Field, value: Json) -> Form:
        if field.shape is Shape.MANY:
            return [self._one(field, item) for item in (value if isinstance(value, list) else [])]
        if field.shape is Shape.MAP:
            entries = value if isinstance(value, dict) else {}
            return {key: self._one(field, item) for key, item in entries.items()}
        return self._one(field, value)

    def _one(self, field: Field, value: Json) -> Form:
        if value is None:
            value = self.default(field)
        if field.kind is Kind.MESSAGE:
            return self.of(field.type_name, value)
        write = _WRITTEN.get(field.kind)
        return value if write is None else write(value)


def _any(value: Json) -> Form:
    """A value of no type: whole numbers as far as a double holds them are written as such."""
    if isinstance(value, list):
        return [_any(item) for item in value]
    if isinstance(value, dict):
        return {name: _any(item) for name, item in value.items()}
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    number = float(value)
    return long_form(int(number)) if number.is_integer() and abs(number) < _WHOLE else double_form(number)


# By kind; a truth, a text and a number of 32 bits are written as they are.
_WRITTEN: Mapping[Kind, Callable[[Any], Form]] = {
    Kind.JSON: _any,
    Kind.BYTES: lambda text: bytes_form(b64decode(text)),
    Kind.INT64: long_form,
    Kind.UINT64: long_form,
    Kind.FLOAT: float_form,
    Kind.DOUBLE: double_form,
}


class _Sizes(_Types):
    """How many bytes of data a value has."""

    def of(self, name: str, value: Json) -> int:
        message = self.message(name)
        if message.wrapped:
            return self._field(message.fields[0], value)
        members = value if isinstance(value, dict) else {}
        return sum(self._field(field, members.get(field.json_name)) for field in message.fields)

    def _field(self, field: Field, value: Json) -> int:
        if value is None:
            absent = field.shape is not Shape.ONE or field.oneof
            return 0 if absent else self._one(field, self.default(field))
        if isinstance(value, list) and field.shape is Shape.MANY:
            return sum(self._one(field, item) for item in value)
        if isinstance(value, dict) and field.shape is Shape.MAP:
            return sum(len(key.encode()) + self._one(field, item) for key, item in value.items())
        return self._one(field, value)

    def _one(self, field: Field, value: Json) -> int:
        if field.kind in _WIDTHS:
            return _WIDTHS[field.kind]
        if field.kind is Kind.MESSAGE:
            return self.of(field.type_name, value)
        if field.kind is Kind.BYTES:
            return len(b64decode(str(value)))
        return _size_of_any(value)


def _size_of_any(value: Json) -> int:
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, list):
        return sum(map(_size_of_any, value))
    if isinstance(value, dict):
        return sum(len(name.encode()) + _size_of_any(item) for name, item in value.items())
    return 1 if value is None or isinstance(value, bool) else 8
