"""CBOR by cbor2: maps by name, byte strings, an enumeration is its name."""

import struct
from dataclasses import dataclass
from typing import Any

import cbor2

from callbench.catalog.encoders.encoder import CannotCarryError
from callbench.catalog.encoders.typed_value import TypedValues, any_value, number, octets
from callbench.model.service.imported import Json
from callbench.model.service.schema import Field, Kind, Schema

_SINGLE = b"\xfa"


@dataclass(frozen=True, slots=True)
class _Single:
    """A number of 32 bits: cbor2 writes every float in 64."""

    value: float


class Cbor:
    """CBOR of a service."""

    def __init__(self, schema: Schema) -> None:
        """Needs nothing but the types."""
        self._values = TypedValues(schema, _leaf)

    def encode(self, message: str, value: Json) -> bytes:
        """As in `Encoder`."""
        try:
            return cbor2.dumps(self._values.message(message, value), default=_write)
        except (cbor2.CBOREncodeError, ValueError, RecursionError) as error:
            raise CannotCarryError(str(error)) from None


def _write(encoder: cbor2.CBOREncoder, value: Any) -> None:  # noqa: ANN401 - what cbor2 does not know
    encoder.write(_SINGLE + struct.pack(">f", value.value))


def _leaf(field: Field, value: Any) -> Any:  # noqa: ANN401 - what cbor2 takes
    match field.kind:
        case Kind.BYTES:
            return octets(value)
        case Kind.JSON:
            return any_value(value)
        case Kind.FLOAT:
            return _Single(number(field, value))
        case _:
            return number(field, value)
