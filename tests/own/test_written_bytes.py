"""The table of bytes in CBOR and MessagePack: their libraries read the user's value, and write the same bytes again."""

import base64
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import cbor2
import msgpack
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_folder import TooDeepError, schemas, value_of

from callbench.catalog.encoders.encoder import encoder
from callbench.catalog.user_json import parsed
from callbench.model.service.imported import Json
from callbench.model.service.schema import Kind, Schema


def _plain(value: Any) -> Any:
    """A value with its bytes as JSON has them."""
    match value:
        case bytes():
            return base64.b64encode(value).decode()
        case dict():
            return {key: _plain(inner) for key, inner in value.items()}
        case list():
            return [_plain(inner) for inner in value]
        case _:
            return value


def _without_singles(schema: Schema) -> Schema:
    """A schema whose numbers have 64 bits: the libraries know no others in what they read."""
    wider = {Kind.FLOAT: Kind.DOUBLE}
    return replace(
        schema,
        messages=tuple(
            replace(message, fields=tuple(replace(it, kind=wider.get(it.kind, it.kind)) for it in message.fields))
            for message in schema.messages
        ),
    )


@st.composite
def _values(draw: st.DrawFn, schema: Schema, name: str) -> Json:
    return value_of(draw, schema, name)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(schema=schemas(), data=st.data())
@pytest.mark.parametrize(
    ("name", "read", "write"),
    [
        ("cbor", cbor2.loads, cbor2.dumps),
        ("msgpack", msgpack.unpackb, msgpack.packb),
    ],
    ids=["cbor", "msgpack"],
)
def test_a_message_of_any_schema_is_read_and_written_alike(
    name: str, read: Callable[[bytes], Any], write: Callable[[Any], bytes], schema: Schema, data: st.DataObject
) -> None:
    wide = _without_singles(schema)
    of_format, json = encoder(name, wide), encoder("json", wide)
    for message in wide.messages:
        try:
            value = data.draw(_values(wide, message.name))
        except TooDeepError:
            continue
        made = of_format.encode(message.name, value)
        assert _plain(read(made)) == parsed(json.encode(message.name, value), "it")
        assert write(read(made)) == made
