"""How the tests import a document, and carry messages over protobuf."""

from pathlib import Path
from typing import Any

from google.protobuf import json_format
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from callbench.catalog.imports import registry, source
from callbench.catalog.own.proto_text import proto_text
from callbench.catalog.own.protoc import compiled
from callbench.model.service.grpc_name import package
from callbench.model.service.imported import Imported, Json
from callbench.model.service.schema import Field, Kind, Schema, Shape

DOCUMENTS = Path(__file__).parent / "documents"


def imported(path: Path, **options: Any) -> Imported:
    """Imports a document as the command line does."""
    return registry.imported([source.source(str(path))], source.Options(**options))


def classes(folder: Path, schema: Schema) -> dict[str, type[Message]]:
    """Protobuf's own classes for the messages of a schema, by way of `schema.proto`."""
    folder.mkdir(exist_ok=True)
    (folder / "schema.proto").write_text(proto_text(schema), encoding="utf-8")
    pool = DescriptorPool()
    for file in compiled(folder, "schema.proto").file:
        pool.Add(file)
    return {
        message.name: GetMessageClass(pool.FindMessageTypeByName(f"{package(schema)}.{message.name}"))
        for message in schema.messages
    }


class Carried:
    """Carries JSON over protobuf: there by protobuf's reader of JSON, back by its writer.

    The two differ from people's JSON in what `schema.proto` says in comments: wrapped messages, nulls, the names of
    enumerations. That much is translated here, by the schema alone.
    """

    def __init__(self, folder: Path, schema: Schema) -> None:
        """Compiles the schema."""
        self._schema = schema
        self._classes = classes(folder, schema)
        self._messages = {message.name: message for message in schema.messages}
        self._values = {one.name: dict(one.values) for one in schema.enumerations}

    def over(self, message: str, value: Json) -> Json:
        """What comes back."""
        sent = json_format.ParseDict(self._there(message, value), self._classes[message]())
        received = self._classes[message].FromString(sent.SerializeToString(deterministic=True))
        said = json_format.MessageToDict(
            received,
            always_print_fields_with_no_presence=True,
            use_integers_for_enums=True,
        )
        back: Json = self._back(message, said)
        return back

    def _there(self, message: str, value: Any) -> Any:
        of = self._messages[message]
        if of.wrapped:
            value = {of.fields[0].json_name: value}
        fields = {field.json_name: field for field in of.fields}
        return {
            key: self._each(fields[key], one, self._field_there)
            for key, one in value.items()
            if one is not None or fields[key].kind is Kind.JSON
        }

    def _field_there(self, field: Field, value: Any) -> Any:
        if field.kind is Kind.MESSAGE:
            return self._there(field.type_name, value)
        return self._values[field.type_name][value] if field.kind is Kind.ENUM else value

    def _back(self, message: str, said: Any) -> Any:
        of = self._messages[message]
        value = {}
        for field in of.fields:
            if field.json_name in said:
                value[field.json_name] = self._each(field, said[field.json_name], self._field_back)
            elif field.nullable:
                value[field.json_name] = None
        return value[of.fields[0].json_name] if of.wrapped else value

    def _field_back(self, field: Field, value: Any) -> Any:
        if field.kind is Kind.MESSAGE:
            return self._back(field.type_name, value)
        if field.kind is Kind.ENUM:
            return next(name for name, number in self._values[field.type_name].items() if number == value)
        return int(value) if field.kind in {Kind.INT64, Kind.UINT64} else value

    @staticmethod
    def _each(field: Field, value: Any, change: Any) -> Any:
        if field.shape is Shape.MANY:
            return [change(field, one) for one in value]
        if field.shape is Shape.MAP:
            return {key: change(field, one) for key, one in value.items()}
        return change(field, value)
