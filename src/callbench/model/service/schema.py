"""The one form in which an imported service is kept in memory: protobuf's model, with what JSON says besides.

Every importer makes it, and everything that generates code, payloads or reports reads it. On disk it is `schema.proto`.
"""

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from callbench.model.service.limits import NO_LIMITS, Limits

NARROW: Mapping[str, range] = MappingProxyType({"i8": range(-(2**7), 2**7), "i16": range(-(2**15), 2**15)})
"""The formats of integers that Thrift writes in fewer bytes, with their values."""
NULL = "null"
"""The format of a value of any type that is always null, which Avro does not write."""
UNION = "of_union"
"""The oneof of a message that stands for one of Avro's unions."""
THRIFT_UUID = "thrift-uuid"
"""The format of a text, or of a map's keys, that Thrift writes in 16 bytes."""
PAIRS = "pairs"
"""The format of a list of messages with a key and a value: a map whose keys JSON and protobuf cannot have."""
_FIXED = "fixed-"


def fixed_format(size: int) -> str:
    """The format of bytes that are always this many, which Avro writes without their length."""
    return f"{_FIXED}{size}"


class Kind(StrEnum):
    """What a field holds: protobuf's names. `message` and `enum` name their type in `Field.type_name`.

    In JSON, bytes are base64, and every integer is a number.
    """

    BOOL = "bool"
    INT32 = "int32"
    INT64 = "int64"
    UINT32 = "uint32"
    UINT64 = "uint64"
    FLOAT = "float"
    DOUBLE = "double"
    STRING = "string"
    BYTES = "bytes"
    MESSAGE = "message"
    ENUM = "enum"
    JSON = "json"
    """Any JSON value (google.protobuf.Value): where samples or a schema do not agree on one type."""


WHOLE: Mapping[Kind, range] = MappingProxyType({
    Kind.INT32: range(-(2**31), 2**31),
    Kind.INT64: range(-(2**63), 2**63),
    Kind.UINT32: range(2**32),
    Kind.UINT64: range(2**64),
})  # fmt: skip
"""The kinds of integers, with their values."""


class Shape(StrEnum):
    """How often a field occurs."""

    ONE = "one"
    OPTIONAL = "optional"
    MANY = "many"
    MAP = "map"
    """A map to `kind`. JSON writes its keys as text; `Field.key` says what protobuf writes."""


class Encoding(StrEnum):
    """How protobuf writes an integer: in a varint, in a zigzag varint (`sint32`), or in 4 or 8 bytes (`fixed32`)."""

    VARINT = "varint"
    ZIGZAG = "zigzag"
    FIXED = "fixed"


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a message.

    Attributes:
        name: an identifier in protobuf's style, `unit_price`.
        json_name: the key in JSON, exactly as people write it.
        number: protobuf's number, from 1.
        type_name: the message or enumeration, if `kind` is one of these; otherwise empty.
        shape: a field of a oneof is `ONE`. `ONE` is always written in JSON, `OPTIONAL` only if it has a value.
        oneof: the name of the group of fields of which at most one is set; otherwise empty.
        format: what the text or number stands for: `decimal`, `date`, `date-time`, `uuid`, `uri` ...; otherwise empty.
            `i8` and `i16` of an integer and `fixed-N` of bytes say how wide they are.
        nullable: of an optional field: JSON writes `null` if it has no value, instead of leaving the key out.
        encoding: only protobuf's messages depend on it.
        key: of a map, what its keys are; only protobuf's messages depend on it.
        key_encoding: of a map, how protobuf writes its keys.
        key_format: of a map's keys: `i8`, `i16` or `thrift-uuid` if they are that; otherwise empty.
        unpacked: of a list of numbers: protobuf writes the field's number before each of them, as proto2 does.
        explicit: of a scalar that is always there: protobuf writes it also if it is zero or empty, as proto2 does.
        limits: of its values, as the user's schema says them. They are not kept on disk.
    """

    name: str
    json_name: str
    number: int
    kind: Kind
    shape: Shape = Shape.ONE
    type_name: str = ""
    oneof: str = ""
    format: str = ""
    nullable: bool = False
    encoding: Encoding = Encoding.VARINT
    key: Kind = Kind.STRING
    key_encoding: Encoding = Encoding.VARINT
    key_format: str = ""
    unpacked: bool = False
    explicit: bool = False
    limits: Limits = dataclasses.field(default=NO_LIMITS, compare=False, repr=False)

    @property
    def fixed_size(self) -> int | None:
        """How many bytes a value always has; none if any number."""
        size = self.format.removeprefix(_FIXED)
        known = self.kind is Kind.BYTES and size != self.format and size.isascii() and size.isdigit()
        return int(size) if known else None


@dataclass(frozen=True, slots=True)
class Message:
    """A message.

    Attributes:
        name: in protobuf's style, `OrderLine`; unique in the service. Messages are not nested.
        wrapped: the message stands for its only field in JSON: a list at the top, or a list of lists.
    """

    name: str
    fields: tuple[Field, ...]
    wrapped: bool = False

    @property
    def is_union(self) -> bool:
        """Whether it stands for one of Avro's unions: JSON has an object with the key of the type."""
        return bool(self.fields) and all(field.oneof == UNION for field in self.fields)


@dataclass(frozen=True, slots=True)
class Enumeration:
    """An enumeration: names as JSON writes them, with their numbers. The first is the default, and its number is 0.

    Attributes:
        added: the source has no value with the number 0. The first one was added, and no payload has it.
    """

    name: str
    values: tuple[tuple[str, int], ...]
    added: bool = False


@dataclass(frozen=True, slots=True)
class OwnCall:
    """A call of the service: the names of its request's and its answer's message.

    Attributes:
        method: HTTP's method, if the source gave one; otherwise empty.
        path: the path on the server, if the source gave one; otherwise empty.
    """

    name: str
    request: str
    answer: str
    method: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that a format cannot say, and what is done about it.

    Attributes:
        place: where in the source, for example `#/components/schemas/Order/price`.
        problem: one sentence.
        mapped: one sentence: what it became.
    """

    place: str
    problem: str
    mapped: str


@dataclass(frozen=True, slots=True)
class Schema:
    """A whole service."""

    name: str
    messages: tuple[Message, ...]
    calls: tuple[OwnCall, ...]
    enumerations: tuple[Enumeration, ...] = ()
    losses: tuple[Loss, ...] = ()

    def message(self, name: str) -> Message:
        """The message of this name.

        Raises:
            KeyError: there is none.
        """
        for message in self.messages:
            if message.name == name:
                return message
        raise KeyError(name)

    def fields(self) -> Iterator[tuple[Message, Field]]:
        """Every field with its message."""
        for message in self.messages:
            for field in message.fields:
                yield message, field

    def holding(self, kinds: Collection[Kind]) -> frozenset[str]:
        """The messages with a field of one of the kinds, or with a field whose message holds one.

        Only these need code of their own in a language whose JSON has the others.
        """
        found: set[str] = set()
        before = -1
        while len(found) > before:
            before = len(found)
            found |= {
                message.name for message, field in self.fields() if field.kind in kinds or field.type_name in found
            }
        return frozenset(found)
