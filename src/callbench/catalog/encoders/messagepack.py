"""MessagePack by msgpack: maps by name, binary, an enumeration is its name."""

from dataclasses import dataclass
from typing import Any

import msgpack

from callbench.catalog.encoders.encoder import CannotCarryError
from callbench.catalog.encoders.typed_value import TypedValues, any_value, number, octets
from callbench.model.service.imported import Json
from callbench.model.service.schema import Field, Kind, Schema


@dataclass(frozen=True, slots=True)
class _Single:
    """A number of 32 bits: a packer writes either all floats in 32 bits or all in 64."""

    value: float


class MessagePack:
    """MessagePack of a service."""

    def __init__(self, schema: Schema) -> None:
        """Needs nothing but the types."""
        self._values = TypedValues(schema, _leaf)
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
            case _Single():
                return bytes(self._single.pack(value.value))
            case _:
                return bytes(self._packer.pack(value))


def _leaf(field: Field, value: Any) -> Any:  # noqa: ANN401 - what msgpack takes
    match field.kind:
        case Kind.BYTES:
            return octets(value)
        case Kind.JSON:
            return any_value(value)
        case Kind.FLOAT:
            return _Single(number(field, value))
        case _:
            return number(field, value)
