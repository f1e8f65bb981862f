"""MessagePack by msgpack: maps by name, binary, an enumeration is its name."""

from typing import Any

import msgpack

from callbench.catalog.encoders.encoder import CannotCarryError
from callbench.catalog.encoders.typed_value import Single, TypedValues, binary_leaf
from callbench.model.service.imported import Json
from callbench.model.service.schema import Schema


class MessagePack:
    """MessagePack of a service."""

    def __init__(self, schema: Schema) -> None:
        """Needs nothing but the types."""
        self._values = TypedValues(schema, binary_leaf)
        self._packer = msgpack.Packer()
        self._single = msgpack.Packer(use_single_float=True)

    def encode(self, message: str, value: Json) -> bytes:
        """As in `Encoder`."""
        try:
            return self._packed(self._values.message(message, value))
        except (ValueError, OverflowError, RecursionError) as error:
            raise CannotCarryError(str(error)) from None

    def _packed(self, value: Any) -> bytes:  # noqa: ANN401 - what msgpack takes, and numbers of 32 bits
        match value:
            case dict():
                members = [self._packed(part) for member in value.items() for part in member]
                return bytes(self._packer.pack_map_header(len(value))) + b"".join(members)
            case list():
                return bytes(self._packer.pack_array_header(len(value))) + b"".join(map(self._packed, value))
            case Single():
                return bytes(self._single.pack(value.value))
            case _:
                return bytes(self._packer.pack(value))
