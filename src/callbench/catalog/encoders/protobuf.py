"""Protocol Buffers by Google's package, with the types of `schema.proto`."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf import json_format
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import EncodeError
from google.protobuf.message_factory import GetMessageClass

from callbench.catalog.encoders.encoder import CannotCarryError
from callbench.catalog.encoders.typed_value import TypedValues, enumeration_numbers, number
from callbench.catalog.own.place import SCHEMA
from callbench.catalog.own.proto_text import json_key, proto_text
from callbench.catalog.own.protoc import compiled
from callbench.model.service.grpc_name import package
from callbench.model.service.imported import Json
from callbench.model.service.schema import Field, Kind, Schema


class Protobuf:
    """Protocol Buffers of a service."""

    def __init__(self, schema: Schema) -> None:
        """Compiles the schema with protobuf's own compiler."""
        self._schema = schema
        self._numbers = enumeration_numbers(schema)
        self._values = TypedValues(schema, self._leaf, key=json_key, nulls=False, unwrapped=False)
        self._pool = DescriptorPool()
        with tempfile.TemporaryDirectory(prefix="callbench-encoders-") as folder:
            (Path(folder) / SCHEMA).write_text(proto_text(schema), encoding="utf-8")
            for file in compiled(Path(folder), SCHEMA).file:
                self._pool.Add(file)

    def encode(self, message: str, value: Json) -> bytes:
        """As in `Encoder`."""
        held = self._values.message(message, value)
        made = GetMessageClass(self._pool.FindMessageTypeByName(f"{package(self._schema)}.{message}"))()
        try:
            json_format.ParseDict(held, made, max_recursion_depth=200)
            return bytes(made.SerializeToString(deterministic=True))
        except (json_format.ParseError, EncodeError, ValueError, RecursionError) as error:
            raise CannotCarryError(str(error)) from None

    def _leaf(self, field: Field, value: Any) -> Any:  # noqa: ANN401 - what protobuf's JSON has
        if field.kind is Kind.ENUM:
            return self._numbers[field.type_name][value]
        # Not its shortest text: as a double, that of the largest float is too large for protobuf.
        return float(np.float32(value)) if field.kind is Kind.FLOAT else number(field, value)
