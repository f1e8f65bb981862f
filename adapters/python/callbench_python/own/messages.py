"""JSON as the service has it, and the messages of generated stubs. Nothing of this is timed, but for the check."""

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from typing import Any

from google.protobuf.message import Message  # type: ignore[import-untyped]  # its types are no dependency here
from google.protobuf.message_factory import GetMessageClass  # type: ignore[import-untyped]
from google.protobuf.struct_pb2 import ListValue, Struct, Value  # type: ignore[import-untyped]

from callbench_python import own
from callbench_python.own.forms import Same, equal, octets, text
from callbench_python.stacks.failures import Refusal

Field = Mapping[str, Any]
_INTEGERS = ("int32", "int64", "uint32", "uint64")
_SAME: Mapping[str, Same] = {"string": text, "bytes": octets}


@cache
def class_of(name: str) -> type[Message]:
    """The generated class of a message."""
    made: type[Message] = GetMessageClass(import_module("service_pb2").DESCRIPTOR.message_types_by_name[name])
    return made


def types_of(call: str) -> tuple[str, str]:
    """The names of a call's request and answer.

    Raises:
        Refusal: the service has no such call.
    """
    if call not in own.SCHEMA["calls"]:
        raise Refusal("unsupported", f"{call} is no call of the service")
    request, answer = own.SCHEMA["calls"][call]
    return request, answer


def from_json(name: str, plain: Any) -> Message:  # noqa: ANN401 - any value of JSON
    """A message."""
    shape = own.SCHEMA["messages"][name]
    members = {}
    for field in shape["fields"]:
        value = plain if shape["wrapped"] else plain.get(field["key"])
        always = field["kind"] == "json" and field["shape"] == "one" and not field["oneof"]
        if value is not None or always:
            members[field["name"]] = _shaped(field, value, partial(_written, field), _key_written)
    return class_of(name)(**members)


def to_json(name: str, message: Message) -> Any:  # noqa: ANN401 - any value of JSON
    """The JSON of a message."""
    shape = own.SCHEMA["messages"][name]
    plain: dict[str, Any] = {}
    for field in shape["fields"]:
        if not _sometimes(field) or message.HasField(field["name"]):
            value = getattr(message, field["name"])
            plain[field["key"]] = _shaped(field, value, partial(_read, field), _key_read)
        elif field["nullable"] or shape["wrapped"]:
            plain[field["key"]] = None
    return plain[shape["fields"][0]["key"]] if shape["wrapped"] else plain


def _sometimes(field: Field) -> bool:
    """Whether the field can be without a value."""
    return field["shape"] == "optional" or bool(field["oneof"])


def _shaped(field: Field, value: Any, to: Callable[[Any], Any], key: Callable[[str, Any], Any]) -> Any:  # noqa: ANN401 - any value
    if field["shape"] == "many":
        return [to(item) for item in value]
    if field["shape"] == "map":
        return {key(field["of"], name): to(item) for name, item in value.items()}
    return to(value)


def _key_written(of: str, key: str) -> str | int | bool:
    if of == "bool":
        return key == "true"
    return int(key) if of in _INTEGERS else key


def _key_read(of: str, key: Any) -> str:  # noqa: ANN401 - any key of a map
    return str(key).lower() if of == "bool" else str(key)


def _written(field: Field, value: Any) -> Any:  # noqa: ANN401 - any value
    match field["kind"]:
        case "message":
            return from_json(field["type"], value)
        case "enum":
            return next(number for name, number in own.SCHEMA["enumerations"][field["type"]] if name == value)
        case "bytes":
            return b64decode(value)
        case "json":
            return _value(value)
        case kind if kind in _INTEGERS:
            return int(value)
    return value


def _read(field: Field, value: Any) -> Any:  # noqa: ANN401 - any value
    match field["kind"]:
        case "message":
            return to_json(field["type"], value)
        case "enum":
            return next((name for name, number in own.SCHEMA["enumerations"][field["type"]] if number == value), None)
        case "bytes":
            return b64encode(value).decode()
        case "json":
            return _plain(value)
    return value


def _value(plain: Any) -> Value:  # noqa: ANN401 - any value of JSON
    match plain:
        case None:
            return Value(null_value=0)
        case bool():
            return Value(bool_value=plain)
        case str():
            return Value(string_value=plain)
        case list():
            return Value(list_value=ListValue(values=[_value(each) for each in plain]))
        case dict():
            return Value(struct_value=Struct(fields={name: _value(its) for name, its in plain.items()}))
    return Value(number_value=plain)


def _plain(value: Value) -> Any:  # noqa: ANN401 - any value of JSON
    match value.WhichOneof("kind"):
        case "list_value":
            return [_plain(each) for each in value.list_value.values]
        case "struct_value":
            return {name: _plain(its) for name, its in value.struct_value.fields.items()}
        case None | "null_value":
            return None
        case kind:
            return getattr(value, kind)


@cache
def same_of(name: str) -> Same:
    """The check of a message in constant time: every field, and of what is long some elements."""
    fields = [(field["name"], _field_same(field)) for field in own.SCHEMA["messages"][name]["fields"]]
    kind = class_of(name)

    def same(right: Any, answer: Any, k: int) -> bool:  # noqa: ANN401 - whatever came
        return isinstance(answer, kind) and all(compared(right, answer, k) for _, compared in fields)

    return same


def _field_same(field: Field) -> Same:
    name, sometimes = field["name"], _sometimes(field)
    compare = partial(_later, field["type"]) if field["kind"] == "message" else _SAME.get(field["kind"], equal)
    shapes: dict[str, Callable[[Same, Any, Any, int], bool]] = {"many": _elements, "map": _entries}
    shaped = shapes.get(field["shape"])

    def same(right: Any, answer: Any, k: int) -> bool:  # noqa: ANN401 - a message
        if sometimes:
            has = right.HasField(name)
            if has != answer.HasField(name) or not has:
                return not has and not answer.HasField(name)
        mine, its = getattr(right, name), getattr(answer, name)
        return compare(mine, its, k) if shaped is None else shaped(compare, mine, its, k)

    return same


def _later(name: str, right: Any, answer: Any, k: int) -> bool:  # noqa: ANN401 - a message
    """As `same_of` when it is needed, since a message can hold itself."""
    return same_of(name)(right, answer, k)


def _elements(same: Same, right: Sequence[Any], answer: Sequence[Any], k: int) -> bool:
    size = len(right)
    if len(answer) != size:
        return False
    return not size or (same(right[-1], answer[-1], k) and same(right[k % size], answer[k % size], k))


def _entries(_same: Same, right: Mapping[Any, Any], answer: Mapping[Any, Any], _k: int) -> bool:
    # The order of a map's keys is that of a hash: no key is the last one.
    return dict(right) == dict(answer)
