"""The rules that a schema keeps, so that every format can carry it."""

from collections.abc import Iterable

from callbench.model.errors import BadInput
from callbench.model.service.identifiers import IDENTIFIER, default_json
from callbench.model.service.schema import Enumeration, Field, Kind, Message, Schema, Shape

LARGEST_NUMBER = 2**29 - 1
RESERVED_NUMBERS = range(19000, 20000)
MAP_KEYS = {Kind.STRING, Kind.BOOL, Kind.INT32, Kind.INT64, Kind.UINT32, Kind.UINT64}


def check(schema: Schema) -> None:
    """Checks a schema.

    Raises:
        BadInput: it breaks a rule. The sentence names the message and the field.
    """
    messages = {message.name for message in schema.messages}
    enumerations = {enumeration.name for enumeration in schema.enumerations}
    _once(
        "the schema",
        "type",
        [*(message.name for message in schema.messages), *(enumeration.name for enumeration in schema.enumerations)],
    )
    _identifiers("the schema", [*messages, *enumerations])
    for enumeration in schema.enumerations:
        _enumeration(enumeration)
    for message in schema.messages:
        _message(message, messages, enumerations)
    _once("the service", "call", [call.name for call in schema.calls])
    _identifiers("the service", [call.name for call in schema.calls])
    for call in schema.calls:
        for name in (call.request, call.answer):
            if name not in messages:
                raise BadInput(f"call {call.name}: there is no message {name!r}; add it or name another one")


def _message(message: Message, messages: set[str], enumerations: set[str]) -> None:
    place = f"message {message.name}"
    names = [field.name for field in message.fields]
    groups = {field.oneof for field in message.fields if field.oneof}
    _once(place, "field", [*names, *groups])
    _identifiers(place, [*names, *groups])
    _once(place, "JSON key", [field.json_name for field in message.fields])
    for field in message.fields:
        if field.json_name in names and field.json_name != field.name:
            raise BadInput(f"{place}: the JSON key {field.json_name!r} is another field's name; rename that field")
    _once(place, "default JSON key", [default_json(name) for name in names])
    _once(place, "number", [str(field.number) for field in message.fields])
    if message.wrapped and len(message.fields) != 1:
        raise BadInput(f"{place}: a wrapped message has exactly one field, not {len(message.fields)}")
    runs = [
        field.oneof
        for before, field in zip([None, *message.fields], message.fields, strict=False)
        if field.oneof and (before is None or before.oneof != field.oneof)
    ]
    _once(place, "oneof in several places", runs)
    for field in message.fields:
        _field(f"{place}, field {field.name}", field, messages, enumerations)


def _field(place: str, field: Field, messages: set[str], enumerations: set[str]) -> None:
    if not 1 <= field.number <= LARGEST_NUMBER or field.number in RESERVED_NUMBERS:
        raise BadInput(f"{place}: protobuf has no number {field.number}; use 1 to 18999")
    known = {Kind.MESSAGE: messages, Kind.ENUM: enumerations}.get(field.kind)
    if known is not None and field.type_name not in known:
        raise BadInput(f"{place}: there is no {field.kind} {field.type_name!r}; add it or name another one")
    if field.oneof and field.shape is not Shape.ONE:
        raise BadInput(f"{place}: a field of a oneof occurs once; it cannot be {field.shape}")
    if field.nullable and field.shape is not Shape.OPTIONAL:
        raise BadInput(f"{place}: only an optional field can be null")
    if field.key not in MAP_KEYS:
        raise BadInput(f"{place}: the keys of a map cannot be {field.key}; use string or an integer")
    _readable(place, field.json_name)


def _enumeration(enumeration: Enumeration) -> None:
    place = f"enumeration {enumeration.name}"
    if not enumeration.values or enumeration.values[0][1] != 0:
        raise BadInput(f"{place}: the first value must have the number 0")
    _once(place, "value", [name for name, _ in enumeration.values])
    for name, number in enumeration.values:
        _readable(place, name)
        if not -(2**31) <= number < 2**31:
            raise BadInput(f"{place}: the number {number} does not fit into 32 bits")


def _once(place: str, what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise BadInput(f"{place}: the {what} {name!r} occurs twice; rename one of them")
        seen.add(name)


def _identifiers(place: str, names: Iterable[str]) -> None:
    for name in names:
        if not IDENTIFIER.match(name):
            raise BadInput(f"{place}: {name!r} is no name; use letters, digits and underscores")


def _readable(place: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadInput(f"{place}: the name {text!r} is not valid Unicode; rename it") from None
