"""Takes a message of .NET's binary formatter apart, from the public specification [MS-NRBF] alone.

A record of a class becomes a `Record`, an array a list, a primitive the Python value; a char is a string. Any bytes
give a message or raise `WireError`.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

DEEPEST = 100
MOST = 1 << 20

# MessageFlags of a call and an answer.
NO_ARGUMENTS, INLINE, IS_ARRAY, IN_ARRAY = 0x1, 0x2, 0x4, 0x8
RETURN_INLINE, RETURN_IN_ARRAY, EXCEPTION_IN_ARRAY = 0x800, 0x1000, 0x2000
CONTEXT_INLINE = 0x20

_FIXED = {
    1: "<?",
    2: "<B",
    6: "<d",
    7: "<h",
    8: "<i",
    9: "<q",
    10: "<b",
    11: "<f",
    12: "<q",
    13: "<q",
    14: "<H",
    15: "<I",
    16: "<Q",
}
CHAR, DECIMAL, NULL, STRING = 3, 5, 17, 18


class WireError(ValueError):
    """The bytes are no message of the format, and at which of them that shows."""


@dataclass
class Record:
    """An object: the name of its class, and its members by name."""

    kind: str
    members: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Reference:
    """An object that comes later in the message."""

    to: int


@dataclass
class Message:
    """A call or an answer.

    Attributes:
        method: of a call, its name; None in an answer.
        kind: of a call, the full name of the interface, with its assembly.
        arguments: of a call; of an answer, the values of its out parameters.
        value: of an answer.
        fault: of an answer, the exception instead of a value.
    """

    method: str | None
    kind: str | None
    arguments: list[Any]
    value: Any = None
    fault: Record | None = None


@dataclass(frozen=True)
class _Layout:
    """What the members of a class are: (name, how its value is written, and of which primitive type)."""

    kind: str
    members: tuple[tuple[str, int, int], ...]


class Reader:
    """Reads records one after the other."""

    def __init__(self, data: bytes) -> None:
        """From the first byte."""
        self.data = data
        self.at = 0
        self.objects: dict[int, Any] = {}
        self.layouts: dict[int, _Layout] = {}
        self.libraries: dict[int, str] = {}
        self._room = MOST

    def spend(self, count: int) -> None:
        """A few bytes can stand for many values, or refer to many again and again: there is an end to it."""
        self._room -= count
        if count < 0 or self._room < 0:
            raise WireError(f"a message of more than {MOST} values")

    def message(self) -> Message:
        """The whole message; nothing may follow."""
        if self.byte() != 0:
            raise WireError("a message begins with a header record")
        self.take(16)
        kind = self.byte()
        if kind not in (21, 22):
            raise WireError(f"record {kind} is neither a call nor an answer")
        flags = self.number("<i")
        message = self._call(flags) if kind == 21 else self._answer(flags)
        inline_value = message.value
        rest: list[Any] = []
        while (record := self.record(self.byte(), 0)) is not _END:
            if record is not _NOTHING:
                rest.append(record)
        if self.at != len(self.data):
            raise WireError(f"{len(self.data) - self.at} bytes follow the end")
        if rest:
            self._from_array(message, flags, self.resolve(rest[0], set()))
        elif flags & (IS_ARRAY | IN_ARRAY | RETURN_IN_ARRAY | EXCEPTION_IN_ARRAY):
            raise WireError("the array that the message promises is missing")
        else:
            message.value = inline_value
        return message

    def _call(self, flags: int) -> Message:
        method, kind = self.coded(), self.coded()
        if not isinstance(method, str) or not isinstance(kind, str):
            raise WireError("a call has the names of a method and of a type")
        if flags & CONTEXT_INLINE:
            self.coded()
        return Message(method, kind, self._inline() if flags & INLINE else [])

    def _answer(self, flags: int) -> Message:
        value = self.coded() if flags & RETURN_INLINE else None
        if flags & CONTEXT_INLINE:
            self.coded()
        return Message(None, None, self._inline() if flags & INLINE else [], value)

    def _inline(self) -> list[Any]:
        return [self.coded() for _ in range(self.count(1))]

    def _from_array(self, message: Message, flags: int, array: Any) -> None:
        """The flags say what stands in the array, and in which order."""
        if not isinstance(array, list):
            raise WireError("what follows a message is an array")
        left = list(array)

        def next_one() -> Any:
            if not left:
                raise WireError("the array after the message is too short")
            return left.pop(0)

        if flags & IS_ARRAY:
            message.arguments = left
            return
        if flags & IN_ARRAY:
            arguments = next_one()
            message.arguments = arguments if isinstance(arguments, list) else [arguments]
        if flags & RETURN_IN_ARRAY:
            message.value = next_one()
        if flags & EXCEPTION_IN_ARRAY:
            fault = next_one()
            if not isinstance(fault, Record):
                raise WireError("an exception is an object")
            message.fault = fault

    # What everything is made of.

    def take(self, count: int) -> bytes:
        """So many bytes."""
        if count < 0 or self.at + count > len(self.data):
            raise WireError(f"{count} bytes are needed at {self.at}, and {len(self.data) - self.at} are left")
        self.at += count
        return self.data[self.at - count : self.at]

    def byte(self) -> int:
        """One byte."""
        return self.take(1)[0]

    def number(self, form: str) -> Any:
        """One number in a form of `struct`."""
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def count(self, least_bytes: int) -> int:
        """A number of items that take at least so many bytes each, so that a wrong number costs no memory."""
        count = self.number("<i")
        if count < 0 or count * least_bytes > len(self.data) - self.at:
            raise WireError(f"{count} things do not fit into what is left")
        return int(count)

    def text(self) -> str:
        """A string with its length in front, seven bits a byte."""
        length = shift = 0
        while True:
            each = self.byte()
            length |= (each & 127) << shift
            shift += 7
            if each < 128:
                break
            if shift > 28:
                raise WireError("the length of a string has more than five bytes")
        try:
            return self.take(length).decode()
        except UnicodeDecodeError as why:
            raise WireError(f"a string is no UTF-8: {why.reason}") from None

    def primitive(self, kind: int) -> Any:
        """A value of a primitive type."""
        if kind in _FIXED:
            return self.number(_FIXED[kind])
        if kind == CHAR:
            return self._char()
        if kind in (DECIMAL, STRING):
            return self.text()
        if kind == NULL:
            return None
        raise WireError(f"there is no primitive type {kind}")

    def _char(self) -> str:
        first = self.byte()
        more = 0 if first < 0x80 else 1 if first < 0xE0 else 2 if first < 0xF0 else 3
        try:
            return (bytes([first]) + self.take(more)).decode()
        except UnicodeDecodeError as why:
            raise WireError(f"a char is no UTF-8: {why.reason}") from None

    def coded(self) -> Any:
        """A value with its type in front."""
        return self.primitive(self.byte())

    # Records.

    def record(self, kind: int, depth: int) -> Any:
        """The object of a record whose kind has been read."""
        if depth > DEEPEST:
            raise WireError("records are nested too deep")
        if kind in _READERS:
            return _READERS[kind](self, depth)
        raise WireError(f"there is no record {kind}")

    def keep(self, number: int, value: Any) -> Any:
        """Notes an object by its number."""
        self.objects[number] = value
        return value

    def layout(self, with_types: bool, with_library: bool) -> tuple[int, _Layout]:
        """A class as its first object describes it."""
        number, kind = self.number("<i"), self.text()
        names = [self.text() for _ in range(self.count(1))]
        written = [self.byte() for _ in names] if with_types else [2] * len(names)
        members = tuple((name, how, self._additional(how)) for name, how in zip(names, written, strict=True))
        if with_library:
            self.number("<i")
        layout = _Layout(kind, members)
        self.layouts[number] = layout
        return number, layout

    def _additional(self, how: int) -> int:
        """What a BinaryType needs beside itself."""
        if how in (0, 7):
            return self.byte()
        if how == 3:
            self.text()
        elif how == 4:
            self.text()
            self.number("<i")
        elif how not in (1, 2, 5, 6):
            raise WireError(f"there is no binary type {how}")
        return 0

    def members(self, number: int, layout: _Layout, depth: int) -> Any:
        """The values of an object."""
        record = self.keep(number, Record(layout.kind))
        for name, how, primitive in layout.members:
            if how == 0:
                record.members[name] = self.primitive(primitive)
            else:
                record.members[name] = self.one(depth)
        return record

    def one(self, depth: int) -> Any:
        """One value that is a record of its own. A library may come before it."""
        while True:
            value = self.record(self.byte(), depth + 1)
            if value is _END or isinstance(value, _Nulls):
                raise WireError("a member has no value")
            if value is not _NOTHING:
                return value

    def elements(self, count: int, depth: int) -> list[Any]:
        """So many values; one record may stand for many that are null."""
        found: list[Any] = []
        while len(found) < count:
            value = self.record(self.byte(), depth + 1)
            if value is _END:
                raise WireError("an array ends early")
            if isinstance(value, _Nulls):
                if value.count > count - len(found):
                    raise WireError("more nulls than the array has room for")
                self.spend(value.count)
                found.extend([None] * value.count)
            elif value is not _NOTHING:
                found.append(value)
        return found

    def resolve(self, value: Any, under: set[int]) -> Any:
        """The value with the objects that it refers to in their places. A circle is refused: the service has none."""
        self.spend(1)
        if isinstance(value, Reference):
            if value.to not in self.objects:
                raise WireError(f"object {value.to} is referred to and not there")
            if value.to in under or len(under) > DEEPEST:
                raise WireError("objects refer to each other in a circle, or too deep")
            return self.resolve(self.objects[value.to], under | {value.to})
        if isinstance(value, Record):
            return Record(value.kind, {name: self.resolve(its, under) for name, its in value.members.items()})
        return [self.resolve(each, under) for each in value] if isinstance(value, list) else value


_END = object()
_NOTHING = object()


@dataclass(frozen=True)
class _Nulls:
    count: int


def _same_class(reader: Reader, depth: int) -> Any:
    number, like = reader.number("<i"), reader.number("<i")
    if like not in reader.layouts:
        raise WireError(f"no object {like} has described its class")
    reader.layouts[number] = reader.layouts[like]
    return reader.members(number, reader.layouts[like], depth)


def _class(with_types: bool, with_library: bool) -> Callable[[Reader, int], Any]:
    return lambda reader, depth: reader.members(*reader.layout(with_types, with_library), depth)


def _library(reader: Reader, depth: int) -> Any:
    del depth
    number = reader.number("<i")
    reader.libraries[number] = reader.text()
    return _NOTHING


def _array(reader: Reader, depth: int) -> Any:
    number, shape = reader.number("<i"), reader.byte()
    if shape != 0 or reader.number("<i") != 1:
        raise WireError("an array of more than one dimension is none of the service's")
    count, how = reader.number("<i"), reader.byte()
    primitive = reader._additional(how)
    return reader.keep(number, _primitives(reader, count, primitive) if how == 0 else _values(reader, count, depth))


def _values(reader: Reader, count: int, depth: int) -> list[Any]:
    return reader.elements(count, depth)


def _primitives(reader: Reader, count: int, primitive: int) -> list[Any]:
    if not 0 <= count <= len(reader.data) - reader.at:
        raise WireError(f"an array of {count} does not fit into what is left")
    return [reader.primitive(primitive) for _ in range(count)]


def _single(read: Callable[[Reader, int, int], list[Any]]) -> Callable[[Reader, int], Any]:
    def array(reader: Reader, depth: int) -> Any:
        number, count = reader.number("<i"), reader.number("<i")
        return reader.keep(number, read(reader, count, depth))

    return array


_READERS: dict[int, Callable[[Reader, int], Any]] = {
    1: _same_class,
    2: _class(with_types=False, with_library=False),
    3: _class(with_types=False, with_library=True),
    4: _class(with_types=True, with_library=False),
    5: _class(with_types=True, with_library=True),
    6: lambda reader, _: reader.keep(reader.number("<i"), reader.text()),
    7: _array,
    8: lambda reader, _: reader.coded(),
    9: lambda reader, _: Reference(reader.number("<i")),
    10: lambda *_: None,
    11: lambda *_: _END,
    12: _library,
    13: lambda reader, _: _Nulls(reader.byte()),
    14: lambda reader, _: _Nulls(reader.count(0)),
    15: _single(lambda reader, count, _: _primitives(reader, count, reader.byte())),
    16: _single(_values),
    17: _single(_values),
}


def read(data: bytes) -> Message:
    """The message, or WireError."""
    return Reader(data).message()


def _counted(text: str) -> bytes:
    encoded, length = text.encode(), b""
    left = len(encoded)
    while left > 127:
        length += bytes([left & 127 | 128])
        left >>= 7
    return length + bytes([left]) + encoded


def call(kind: str, method: str, *arguments: int | str) -> bytes:
    """A call whose arguments are ints and strings, written inline."""
    head = struct.pack("<BiiiiBi", 0, 0, 0, 1, 0, 21, 0x10 | INLINE)
    names = b"".join(bytes([STRING]) + _counted(name) for name in (method, kind))
    values = b"".join(
        struct.pack("<Bi", 8, each) if isinstance(each, int) else bytes([STRING]) + _counted(each) for each in arguments
    )
    return head + names + struct.pack("<i", len(arguments)) + values + bytes([11])
