"""Protobuf's descriptors as a schema: for `schema.proto` of a folder, and for any `.proto` that is imported.

Nested types are flattened. The types of other files come along if the file uses them.
"""

from collections.abc import Iterator

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto, FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool

from callbench.catalog.own import annotations
from callbench.model.errors import BadInput
from callbench.model.service.identifiers import Names
from callbench.model.service.schema import Encoding, Enumeration, Field, Kind, Loss, Message, Shape

_SCALARS = {
    1: (Kind.DOUBLE, Encoding.VARINT),
    2: (Kind.FLOAT, Encoding.VARINT),
    3: (Kind.INT64, Encoding.VARINT),
    4: (Kind.UINT64, Encoding.VARINT),
    5: (Kind.INT32, Encoding.VARINT),
    6: (Kind.UINT64, Encoding.FIXED),
    7: (Kind.UINT32, Encoding.FIXED),
    8: (Kind.BOOL, Encoding.VARINT),
    9: (Kind.STRING, Encoding.VARINT),
    12: (Kind.BYTES, Encoding.VARINT),
    13: (Kind.UINT32, Encoding.VARINT),
    15: (Kind.INT32, Encoding.FIXED),
    16: (Kind.INT64, Encoding.FIXED),
    17: (Kind.INT32, Encoding.ZIGZAG),
    18: (Kind.INT64, Encoding.ZIGZAG),
}
PACKABLE = frozenset(Kind) - {Kind.STRING, Kind.BYTES, Kind.MESSAGE, Kind.JSON}
_GROUP = 10
_VALUE = "google.protobuf.Value"
_WRAPPERS = ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
_WRAPPED = {f"google.protobuf.{name}Value" for name in _WRAPPERS} | {
    "google.protobuf.Struct",
    "google.protobuf.ListValue",
    "google.protobuf.FieldMask",
}
# What protobuf's own JSON makes of a type, where JSON here shows its fields or its name.
_IN_JSON = {
    **dict.fromkeys(("google.protobuf.Timestamp", "google.protobuf.Duration", "google.protobuf.FieldMask"), "text"),
    "google.protobuf.Any": "what it holds, with its type",
    _VALUE: "the value itself",
    "google.protobuf.NullValue": "null",
}
_FIELD_WORDS = {"json": str, "format": str, "keys": str, "required": bool, "nullable": bool}


class Comments:
    """The comments of one file, with the lines that they belong to."""

    def __init__(self, file: FileDescriptorProto) -> None:
        """Reads them."""
        self.file = file.name
        self._at = {tuple(location.path): location for location in file.source_code_info.location}

    def line(self, path: tuple[int, ...]) -> int:
        """The line of a declaration, from 1."""
        location = self._at.get(path)
        return location.span[0] + 1 if location else 1

    def words(self, path: tuple[int, ...], allowed: dict[str, type]) -> dict[str, str | bool]:
        """What the comments of a declaration say."""
        location = self._at.get(path)
        if location is None:
            return {}
        text = f"{location.leading_comments}\n{location.trailing_comments}"
        return annotations.parsed(text, f"{self.file}, line {self.line(path)}", allowed)


class Descriptors:
    """The descriptors of a file, its imports and their comments.

    Attributes:
        file: the descriptor of the file itself.
        pool: its types and those of its imports.
        losses: what a schema cannot say, as `messages` and `enumerations` find it.
    """

    def __init__(self, compiled: FileDescriptorSet) -> None:
        """The last file of a set is the one that was compiled."""
        self.pool = DescriptorPool()
        for file in compiled.file:
            self.pool.Add(file)
        self.file: FileDescriptor = self.pool.FindFileByName(compiled.file[-1].name)
        self.losses: list[Loss] = []
        self._comments = {file.name: Comments(file) for file in compiled.file}
        self._written = {name: at for file in compiled.file for name, at in _declared(file)}
        self._names = Names()
        self._named: dict[str, str] = {}
        self._waiting: list[Descriptor | EnumDescriptor] = []
        for message in _nested(self.file):
            self.name(message)
        for enumeration in self.file.enum_types_by_name.values():
            self.name(enumeration)

    def name(self, of: Descriptor | EnumDescriptor) -> str:
        """The name of a type in the schema. From then on, the schema has it."""
        if of.full_name not in self._named:
            inside = of.full_name.removeprefix(f"{of.file.package}." if of.file.package else "")
            self._named[of.full_name] = self._names.take(inside.replace(".", ""))
            self._waiting.append(of)
        return self._named[of.full_name]

    def message(self, name: str) -> Descriptor:
        """The message that has this name in the schema."""
        full_name = next(full for full, given in self._named.items() if given == name)
        return self.pool.FindMessageTypeByName(full_name)

    def types(self) -> tuple[tuple[Message, ...], tuple[Enumeration, ...]]:
        """All messages and enumerations that have a name, and those they use.

        Raises:
            BadInput: proto2's groups, or a comment that cannot be read.
        """
        messages: list[Message] = []
        enumerations: list[Enumeration] = []
        for declared in self._waiting:  # it grows as fields name other types
            if isinstance(declared, Descriptor):
                messages.append(self._message(declared))
            else:
                enumerations.append(self._enumeration(declared))
        return tuple(messages), tuple(enumerations)

    def place(self, of: Descriptor | EnumDescriptor | FieldDescriptor) -> str:
        """Where a declaration is: `orders.proto:12 Order.total`."""
        comments = self._comments[(_message(of) if isinstance(of, FieldDescriptor) else of).file.name]
        return f"{comments.file}:{comments.line(self._path(of))} {of.full_name}"

    def lose(self, of: Descriptor | EnumDescriptor | FieldDescriptor, problem: str, mapped: str) -> None:
        """Notes a loss."""
        self.losses.append(Loss(self.place(of), problem, mapped))

    def _path(self, of: Descriptor | EnumDescriptor | FieldDescriptor) -> tuple[int, ...]:
        """The path of a declaration in its file, as protobuf counts it."""
        if isinstance(of, FieldDescriptor):
            return (*self._path(_message(of)), 2, of.index)
        return self._written[of.full_name][0]

    def _message(self, of: Descriptor) -> Message:
        path = self._path(of)
        words = self._comments[of.file.name].words(path, {"wrapped": bool})
        if of.full_name in _IN_JSON:
            self.lose(
                of, f"Protobuf's own JSON writes this type as {_IN_JSON[of.full_name]}.", "Here JSON shows its fields."
            )
        if of.is_extendable:
            self.lose(of, "The message can be extended in other files.", "Extensions are left out.")
        fields = tuple(self._field(field) for field in sorted(of.fields, key=lambda field: field.index))
        wrapped = "wrapped" in words or of.full_name in _WRAPPED
        if wrapped and len(fields) != 1:
            raise BadInput(f"{self.place(of)}: a wrapped message has exactly one field, not {len(fields)}")
        return Message(self.name(of), fields, wrapped)

    def _field(self, of: FieldDescriptor) -> Field:
        words = self._comments[_message(of).file.name].words(self._path(of), _FIELD_WORDS)
        value = of
        entry = of.message_type
        key, key_encoding, shape = Kind.STRING, Encoding.VARINT, Shape.MANY if of.is_repeated else Shape.ONE
        if entry is not None and entry.GetOptions().map_entry:
            shape = Shape.MAP
            value, (key, key_encoding) = entry.fields_by_name["value"], _SCALARS[entry.fields_by_name["key"].type]
        elif shape is Shape.ONE and self._presence(of):
            shape = Shape.ONE if "required" in words or of.is_required else Shape.OPTIONAL
        kind, encoding, type_name = self._kind(value)
        oneof = self._oneof(of)
        scalar = kind not in {Kind.MESSAGE, Kind.JSON}
        if kind is Kind.JSON and (oneof or shape is Shape.OPTIONAL):
            self.lose(of, "The field can be absent, or have a value that is null.", "Null is the same as absent.")
        return Field(
            name=of.name,
            json_name=str(words.get("json", of.json_name)),
            number=of.number,
            kind=kind,
            shape=Shape.ONE if oneof else shape,
            type_name=type_name,
            oneof=oneof,
            format=str(words.get("format", "")),
            nullable="nullable" in words,
            encoding=encoding,
            key=key,
            key_encoding=key_encoding,
            key_format=str(words.get("keys", "")),
            unpacked=shape is Shape.MANY and kind in PACKABLE and not of.is_packed,
            explicit=shape is Shape.ONE and scalar and not oneof and bool(of.has_presence),
        )

    def _presence(self, of: FieldDescriptor) -> bool:
        """Whether a field can be absent."""
        if self._default(of):
            self.lose(of, "The field has a default of its own.", "The default is left out.")
        return bool(of.has_presence)

    def _default(self, of: FieldDescriptor) -> bool:
        """Whether a field has a default of its own. An enumeration without a zero has one by itself."""
        message = self._written[_message(of).full_name][1]
        return message is not None and message.field[of.index].HasField("default_value")

    def _kind(self, of: FieldDescriptor) -> tuple[Kind, Encoding, str]:
        if of.type == _GROUP:
            raise BadInput(
                f"{self.place(of)}: groups (DELIMITED in editions) are not supported; make it a field with a message"
            )
        if of.message_type is not None:
            if of.message_type.full_name == _VALUE:
                return Kind.JSON, Encoding.VARINT, ""
            return Kind.MESSAGE, Encoding.VARINT, self.name(of.message_type)
        if of.enum_type is not None:
            return Kind.ENUM, Encoding.VARINT, self.name(of.enum_type)
        return (*_SCALARS[of.type], "")

    def _oneof(self, of: FieldDescriptor) -> str:
        """The oneof of a field, unless `optional` made it."""
        group = of.containing_oneof
        if group is None or (len(group.fields) == 1 and self._optional(of)):
            return ""
        return str(group.name)

    def _optional(self, of: FieldDescriptor) -> bool:
        message = self._written[_message(of).full_name][1]
        return message is not None and message.field[of.index].proto3_optional

    def _enumeration(self, of: EnumDescriptor) -> Enumeration:
        path = self._path(of)
        if of.full_name in _IN_JSON:
            self.lose(
                of, f"Protobuf's own JSON writes this type as {_IN_JSON[of.full_name]}.", "Here JSON has its name."
            )
        comments = self._comments[of.file.name]
        said = [comments.words((*path, 2, at), {"json": str, "added": bool}) for at in range(len(of.values))]
        values = [
            (str(words.get("json", value.name)), value.number) for words, value in zip(said, of.values, strict=True)
        ]
        added = bool(said[0].get("added"))
        zeros = [value for value in values if value[1] == 0]
        if values[0][1] != 0:
            zero = zeros[0] if zeros else (f"{self.name(of)}_UNSPECIFIED", 0)
            self.lose(of, "The first value of the enumeration is not 0.", f"The first value is {zero[0]}, with 0.")
            values = [zero, *(value for value in values if value != zero)]
            added = not zeros
        return Enumeration(self.name(of), tuple(values), added)


def _nested(file: "FileDescriptor") -> Iterator[Descriptor | EnumDescriptor]:
    """All types of a file, but its maps, which protobuf makes messages of."""
    waiting = list(file.message_types_by_name.values())
    while waiting:
        declared = waiting.pop(0)
        if not declared.GetOptions().map_entry:
            yield declared
            yield from declared.enum_types
            waiting[:0] = declared.nested_types


def _message(of: FieldDescriptor) -> Descriptor:
    """The message that a field is in. Only an extension has none, and extensions are left out."""
    assert of.containing_type is not None  # noqa: S101
    return of.containing_type


def _declared(file: FileDescriptorProto) -> Iterator[tuple[str, tuple[tuple[int, ...], DescriptorProto | None]]]:
    """Every type of a file by its full name: its path in the file, and the message if it is one."""
    before = f"{file.package}." if file.package else ""
    yield from ((f"{before}{enumeration.name}", ((5, at), None)) for at, enumeration in enumerate(file.enum_type))
    waiting: list[tuple[str, tuple[int, ...], DescriptorProto]]
    waiting = [(f"{before}{nested.name}", (4, at), nested) for at, nested in enumerate(file.message_type)]
    while waiting:
        name, path, message = waiting.pop()
        yield name, (path, message)
        yield from (
            (f"{name}.{enumeration.name}", ((*path, 4, at), None)) for at, enumeration in enumerate(message.enum_type)
        )
        waiting += [(f"{name}.{nested.name}", (*path, 3, at), nested) for at, nested in enumerate(message.nested_type)]
