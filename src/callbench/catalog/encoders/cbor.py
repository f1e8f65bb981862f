"""CBOR by cbor2: maps by name, byte strings, an enumeration is its name."""

import struct
from typing import Any

import cbor2

from callbench.catalog.encoders.encoder import CannotCarryError
from callbench.catalog.encoders.typed_value import TypedValues, binary_leaf
from callbench.model.service.imported import Json
from callbench.model.service.schema import Schema

_SINGLE = b"\xfa"


class Cbor:
    """CBOR of a service."""

    def __init__(self, schema: Schema) -> None:
        """Needs nothing but the types."""
        self._values = TypedValues(schema, binary_leaf)

    def encode(self, message: str, value: Json) -> bytes:
        """As in `Encoder`."""
        try:
            return cbor2.dumps(self._values.message(message, value), default=_write)
        except (cbor2.CBOREncodeError, ValueError, RecursionError) as error:
            raise CannotCarryError(str(error)) from None


def _write(encoder: cbor2.CBOREncoder, value: Any) -> None:  # noqa: ANN401 - what cbor2 does not know
    # Only a `Single`: cbor2 writes every float in 64 bits.
    encoder.write(_SINGLE + struct.pack(">f", value.value))
