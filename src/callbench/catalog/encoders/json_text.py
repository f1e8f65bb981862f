"""JSON, compact: bytes are base64, an enumeration is its name."""

from base64 import b64encode
from typing import Any

from callbench.catalog.encoders.encoder import CannotCarryError
from callbench.catalog.encoders.typed_value import TypedValues, any_value, compact_json, number, octets
from callbench.model.service.imported import Json
from callbench.model.service.schema import Field, Kind, Schema


class JsonText:
    """JSON of a service."""

    def __init__(self, schema: Schema) -> None:
        """Needs nothing but the types."""
        self._values = TypedValues(schema, _leaf)

    def encode(self, message: str, value: Json) -> bytes:
        """As in `Encoder`."""
        try:
            return compact_json(self._values.message(message, value))
        except (ValueError, RecursionError) as error:
            raise CannotCarryError(str(error)) from None


def _leaf(field: Field, value: Any) -> Any:  # noqa: ANN401 - what JSON has
    match field.kind:
        case Kind.BYTES:
            return b64encode(octets(value)).decode()
        case Kind.JSON:
            return any_value(value)
        case _:
            return number(field, value)
