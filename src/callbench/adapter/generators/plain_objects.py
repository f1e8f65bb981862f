"""What code for plain objects has in common in every language: which values are exchanged, and in which messages.

JSON gives such a language objects, lists, texts and numbers. Only bytes need another form, and numbers of the host.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from callbench.adapter.generators.kept import kept
from callbench.catalog.own.proto_text import grpc_text
from callbench.model.service.imported import Imported
from callbench.model.service.schema import Field, Kind, Message, Schema

PROTO = "service.proto"
"""The file of a service's messages, beside its module."""
_WHOLE = (Kind.INT32, Kind.INT64, Kind.UINT32, Kind.UINT64)
_REAL = (Kind.FLOAT, Kind.DOUBLE)


@dataclass(frozen=True)
class ExchangeDirection:
    """One direction: of what came, of what goes, or of what the host says."""

    name: str
    functions: Mapping[Kind, str]
    """What makes the other form of a value, by its kind."""
    messages: frozenset[str]
    """Those that hold such a value, and so need a function of their own."""

    def of_message(self, message: str, otherwise: str) -> str:
        """The function for a message, or another one if nothing in it is exchanged."""
        return f"{self.name}_{message}" if message in self.messages else otherwise

    def of_field(self, field: Field) -> str | None:
        """The function for one value of a field; None if it stays as it is."""
        return self.of_message(field.type_name, "") or self.functions.get(field.kind)

    def fields(self, message: Message) -> list[Field]:
        """The fields whose values are exchanged."""
        return [field for field in message.fields if self.of_field(field) is not None]


def exchanges(schema: Schema, *, decoded: str, encoded: str, whole: str, real: str) -> list[ExchangeDirection]:
    """All directions, from the names of a language's functions for bytes that came and that go, and for numbers."""
    of_bytes = {Kind.BYTES: decoded}
    numbers = dict.fromkeys(_WHOLE, whole) | dict.fromkeys(_REAL, real)
    directions = {"decode": of_bytes, "encode": {Kind.BYTES: encoded}, "held": of_bytes | numbers}
    return [
        ExchangeDirection(name, functions, schema.holding(functions.keys())) for name, functions in directions.items()
    ]


def exchanged(schema: Schema, directions: Sequence[ExchangeDirection]) -> Iterator[tuple[ExchangeDirection, Message]]:
    """Each direction with each message that needs a function in it."""
    for direction in directions:
        for message in schema.messages:
            if message.name in direction.messages:
                yield direction, message


def comparison(field: Field, functions: Mapping[Kind, str]) -> str:
    """The function that compares one value of a field, `equal` if its kind has no other."""
    return f"same_{field.type_name}" if field.kind is Kind.MESSAGE else functions.get(field.kind, "equal")


def kept_module(  # noqa: PLR0913, PLR0917 - what a module is made of
    language: str,
    service: Imported,
    name: str,
    text: str,
    also_of: Sequence[bytes] = (),
    then: Callable[[Path], None] = lambda _: None,
) -> Path:
    """Where the module of a service is kept, with the messages beside it.

    Args:
        language: the adapter's name.
        service: the service.
        name: the module's file.
        text: its source.
        also_of: what it depends on besides.
        then: completes the folder.

    Raises:
        CallbenchError: the cache cannot be written; or what `then` raises.
    """
    files = {name: text, PROTO: grpc_text(service.schema)}

    def make(folder: Path) -> None:
        for file, content in files.items():
            (folder / file).write_text(content, encoding="utf-8")
        then(folder)

    return kept(language, [*(content.encode() for content in files.values()), *also_of], make) / name
