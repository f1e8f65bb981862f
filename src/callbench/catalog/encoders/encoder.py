"""What a format has to do, turn the JSON of a message into its bytes, and the formats that the table of bytes has.

A new one is a file beside this and a line here.
"""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Protocol, cast

from callbench.model.service.imported import Json
from callbench.model.service.schema import Schema


class CannotCarryError(Exception):
    """The format has no form for a value or a type. The sentence says which."""


class Encoder(Protocol):
    """A format with the types of one service."""

    def encode(self, message: str, value: Json) -> bytes:
        """The bytes of a message, without the envelope of a protocol.

        Args:
            message: the name of the message.
            value: its JSON, as in a payload.

        Raises:
            CannotCarryError: the format cannot carry it.
        """


FORMATS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "json": ("json_text", "JsonText"),
        "protobuf": ("protobuf", "Protobuf"),
        "avro": ("avro", "Avro"),
        "cbor": ("cbor", "Cbor"),
        "msgpack": ("messagepack", "MessagePack"),
        "flatbuffers": ("flatbuffers_table", "FlatBuffers"),
        "thrift": ("thrift", "compact"),
        "thrift-binary": ("thrift", "binary"),
    }
)
"""By the name of the message, the file and what makes its encoder. No stack speaks Thrift."""


def encoder(name: str, schema: Schema) -> Encoder:
    """A format with the types of a service. Its library is loaded now, for most commands need none of them.

    Raises:
        CannotCarryError: the format has no form for one of the types.
    """
    module, made = FORMATS[name]
    return cast("Encoder", getattr(import_module(f"callbench.catalog.encoders.{module}"), made)(schema))
