"""Whether a JSON value fits a message, and what of it the message has no place for."""

import base64
import binascii
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from callbench.model.errors import BadInput
from callbench.model.service.imported import Json, Pair
from callbench.model.service.schema import (
    NARROW,
    NULL,
    PAIRS,
    WHOLE,
    Enumeration,
    Field,
    Kind,
    Message,
    OwnCall,
    Schema,
    Shape,
)

DEEPEST = 200
_LONGEST_NUMBER = 21
_NAMES = {bool: "a boolean", int: "a whole number", float: "a number", str: "text", list: "a list", dict: "an object"}


class Conformance:
    """The messages of a schema, to compare values with."""

    def __init__(self, schema: Schema) -> None:
        """Looks the types up by name."""
        self._messages: dict[str, Message] = {message.name: message for message in schema.messages}
        self._enumerations: dict[str, Enumeration] = {
            enumeration.name: enumeration for enumeration in schema.enumerations
        }

    def kept(self, message: str, value: Json) -> tuple[Json, list[str]]:
        """The value without the keys that the message has no field for.

        Args:
            message: the name of the message.
            value: the JSON that is to be it.

        Returns:
            The value, and the places of the keys that were left out: `$.items[0].note`.

        Raises:
            BadInput: the value contradicts the message. The sentence names the place in the value.
        """
        left_out: list[str] = []
        return self._message(self._messages[message], value, "$", left_out), left_out

    def pair(self, call: OwnCall, pair: Pair) -> tuple[Pair, list[str]]:
        """The pair without the keys that the call's messages have no field for, and the places of those.

        Raises:
            BadInput: the request or the answer contradicts its message.
        """
        sides = []
        left_out: list[str] = []
        for side, message, value in (("request", call.request, pair.request), ("answer", call.answer, pair.answer)):
            try:
                kept, places = self.kept(message, value)
            except BadInput as error:
                raise BadInput(f"{side}: {error}") from None
            sides.append(kept)
            left_out += [f"{side}: {place}" for place in places]
        return Pair(*sides), left_out

    def _message(self, message: Message, value: Json, place: str, left_out: list[str]) -> Json:
        if place.count(".") + place.count("[") > DEEPEST:
            raise BadInput(f"{place:.60}...: it is nested more than {DEEPEST} deep")
        if message.wrapped:
            only = message.fields[0]
            # There is no key that could be left out.
            absent = value is None and (only.shape is Shape.OPTIONAL or bool(only.oneof))
            return None if absent else self._field(only, value, place, left_out)
        if not isinstance(value, dict):
            raise _wrong(place, "an object", value)
        fields = {field.json_name: field for field in message.fields}
        left_out += [f"{place}.{key}" for key in value if key not in fields]
        missing = [field.json_name for field in message.fields if _needed(field) and field.json_name not in value]
        if missing:
            raise BadInput(f"{place}: the key {missing[0]!r} is missing")
        groups = [fields[key].oneof for key in value if key in fields and fields[key].oneof and value[key] is not None]
        if len(set(groups)) < len(groups):
            raise BadInput(f"{place}: at most one key of the oneof {groups[0]} can be set")
        return {
            key: self._field(fields[key], member, f"{place}.{key}", left_out)
            for key, member in value.items()
            if key in fields and (member is not None or _null(fields[key]))
        }

    def _field(self, field: Field, value: Json, place: str, left_out: list[str]) -> Json:
        if field.shape is Shape.MANY:
            if not isinstance(value, list):
                raise _wrong(place, "a list", value)
            kept = [self._value(field, item, f"{place}[{index}]", left_out) for index, item in enumerate(value)]
            if field.format == PAIRS:
                _refuse_doubles(kept, place)
            return kept
        if field.shape is Shape.MAP:
            if not isinstance(value, dict):
                raise _wrong(place, "an object", value)
            for key in value:
                if not _is_key(field, key):
                    kind = field.key_format or field.key
                    raise BadInput(f"{place}: the key {key!r:.60} is no {kind}, as the schema says")
            return {key: self._value(field, item, f"{place}.{key}", left_out) for key, item in value.items()}
        if value is None and field.nullable:
            return None
        return self._value(field, value, place, left_out)

    def _value(self, field: Field, value: Json, place: str, left_out: list[str]) -> Json:
        if field.kind is Kind.MESSAGE:
            return self._message(self._messages[field.type_name], value, place, left_out)
        if field.kind is Kind.ENUM:
            names = [name for name, _ in self._enumerations[field.type_name].values]
            if value not in names:
                raise BadInput(f"{place}: {value!r:.60} is none of {', '.join(names):.200}")
            return value
        if field.kind is not Kind.JSON and not _fits(field.kind, value):
            raise _wrong(place, str(field.kind), value)
        if field.kind is Kind.JSON and field.format == NULL and value is not None:
            raise _wrong(place, "null", value)
        if field.fixed_size is not None and len(base64.b64decode(str(value))) != field.fixed_size:
            raise BadInput(f"{place} has {len(base64.b64decode(str(value)))} bytes; the schema says {field.fixed_size}")
        if field.kind is Kind.INT32 and field.format in NARROW and value not in NARROW[field.format]:
            raise BadInput(f"{place} is {value}; the schema says {field.format}")
        return value


def _refuse_doubles(pairs: Sequence[Json], place: str) -> None:
    keys = [json.dumps(pair["key"], sort_keys=True) for pair in pairs if isinstance(pair, dict)]
    double = next((key for at, key in enumerate(keys) if key in keys[:at]), None)
    if double is not None:
        raise BadInput(f"{place}: the key {double:.60} occurs twice in a map")


def _needed(field: Field) -> bool:
    return field.shape is Shape.ONE and not field.oneof


def _null(field: Field) -> bool:
    """Whether a null is kept: as itself, or as what is wrong."""
    return field.nullable or field.kind is Kind.JSON or field.shape is Shape.ONE


def _fits(kind: Kind, value: Json) -> bool:
    if kind in WHOLE:
        whole = isinstance(value, int) and not isinstance(value, bool)
        return (whole or (isinstance(value, float) and value.is_integer())) and int(value) in WHOLE[kind]  # type: ignore[arg-type]
    match kind:
        case Kind.BOOL:
            return isinstance(value, bool)
        case Kind.FLOAT | Kind.DOUBLE:
            return isinstance(value, int | float) and not isinstance(value, bool) and _finite(value)
        case Kind.BYTES:
            return isinstance(value, str) and _base64(value)
        case _:
            return isinstance(value, str)


def _is_key(field: Field, key: str) -> bool:
    """Whether a key of a JSON object is one of a map, written as every program writes it."""
    if field.key in WHOLE:
        whole = re.fullmatch(r"0|-?[1-9][0-9]*", key) is not None and len(key) < _LONGEST_NUMBER
        return whole and int(key) in NARROW.get(field.key_format, WHOLE[field.key])
    return field.key is not Kind.BOOL or key in {"true", "false"}


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _wrong(place: str, expected: str, value: Any) -> BadInput:  # noqa: ANN401
    return BadInput(f"{place} is {_NAMES.get(type(value), 'null')}; the schema says {expected}")


Payloads = dict[str, tuple[Pair, ...]]


def fitting(schema: Schema, pairs: Mapping[str, Sequence[Pair]], what: str) -> tuple[Payloads, list[str]]:
    """The pairs that fit, and sentences about what was left out.

    Args:
        schema: what the pairs must fit.
        pairs: by call.
        what: what the pairs are, in sentences: `example`.
    """
    against = Conformance(schema)
    kept: dict[str, list[Pair]] = {}
    sentences: list[str] = []
    for call in schema.calls:
        for pair in pairs.get(call.name, ()):
            try:
                fits, left_out = against.pair(call, pair)
            except BadInput as error:
                sentences.append(f"An {what} of {call.name} contradicts the schema and was left out: {error}.")
                continue
            if left_out:
                keys = ", ".join(left_out[:5])
                sentences.append(
                    f"An {what} of {call.name} has keys that the schema lacks. They were left out: {keys}."
                )
            kept.setdefault(call.name, []).append(fits)
    return {name: tuple(of) for name, of in kept.items()}, list(dict.fromkeys(sentences))
