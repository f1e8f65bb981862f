"""The table of bytes counts the very bytes that native stacks send within their envelopes."""

import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import cbor2
import msgpack
import pytest
from answering import answering
from everything_service import FULL, SCHEMA, WIDER

from callbench.adapter.own_answers import PAIR
from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from callbench.catalog.encoders.encoder import CannotCarryError, encoder
from callbench.catalog.generator.from_schema import from_schema
from callbench.catalog.manifest import Manifest
from callbench.catalog.own import folder
from callbench.model.errors import AdapterFailure
from callbench.model.service.imported import Json, Pair
from callbench.runner.plan import own_service

# The first test waits for the compiler, which takes long on a busy machine.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]
_MINUS_ZERO: dict[str, Json] = {**FULL, "things": [-0.0, {"a": -0.0}, 0.0], "anything": -0.0}
ANY = replace(
    WIDER,
    payloads={
        call.name: (
            *WIDER.payloads[call.name],
            *((Pair(_MINUS_ZERO, _MINUS_ZERO),) if call.name == "SendEverything" else ()),
            *(Pair(request, request) for (request,) in from_schema(SCHEMA, [call.request], skeletons=20).skeletons),
        )
        if call.request == call.answer
        else WIDER.payloads[call.name]
        for call in SCHEMA.calls
    },
)
"""The payloads of WIDER, and random ones."""
TAGS = {call.name: 100 + place for place, call in enumerate(SCHEMA.calls)}
LENGTH_DELIMITED = 2


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    """The native adapter with the calls, and payloads that types can hold only just."""
    within = tmp_path_factory.mktemp("own") / "everything"
    folder.write(within, ANY)
    return own_service.added(catalogue.load(), within).adapter("native").manifest


def _varint(number: int) -> bytes:
    made = b""
    while number > 0x7F:
        made, number = made + bytes([number & 0x7F | 0x80]), number >> 7
    return made + bytes([number])


def _array(pack: Callable[[object], bytes]) -> Callable[[str, bytes], bytes]:
    """MessagePack-RPC, by the library that packs it: a request whose one parameter is the message."""
    return lambda call, body: pack([0, 1, call, [None]])[:-1] + body


ENVELOPES: Mapping[str, Callable[[str, bytes], bytes]] = MappingProxyType(
    {
        "json": lambda call, body: (
            b'{"jsonrpc":"2.0","method":"%s","params":{"request":%s},"id":1}' % (call.encode(), body)
        ),
        "protobuf": lambda call, body: (
            b"\x08\x01" + _varint(TAGS[call] << 3 | LENGTH_DELIMITED) + _varint(len(body)) + body
        ),
        "avro": lambda call, body: b"\0" + _varint(2 * len(call)) + call.encode() + body,
        "cbor": _array(cbor2.dumps),
        "msgpack": _array(msgpack.packb),
    }
)


def _sent(format_: str, native: Manifest) -> dict[tuple[str, int], bytes]:
    """What a native client sends for each pair of each call; pairs that it cannot send are not there."""
    received: list[bytes] = []

    def keep(body: bytes) -> bytes:
        received.append(body)
        return b""

    sent = {}
    with answering("text/plain", keep) as url, Adapter(native, "the client") as client:
        client.connect(f"native/{format_}+http", url, 1)
        for call, pairs in ANY.payloads.items():
            for number in range(1, len(pairs) + 1):
                received.clear()
                with pytest.raises(AdapterFailure):
                    client.call(call, {PAIR: number})
                if received:
                    sent[call, number] = received[0]
    return sent


@pytest.mark.parametrize("format_", ENVELOPES)
def test_a_native_client_sends_these_bytes_in_its_envelope(format_: str, native: Manifest) -> None:
    of_format, sent = encoder(format_, SCHEMA), _sent(format_, native)
    for call in SCHEMA.calls:
        for number, pair in enumerate(ANY.payloads[call.name], 1):
            if (call.name, number) not in sent:
                with pytest.raises(CannotCarryError, match="2\\^63"):
                    of_format.encode(call.request, pair.request)
                continue
            body = of_format.encode(call.request, pair.request)
            if format_ == "protobuf":
                # Its maps have no order.
                assert sorted(sent[call.name, number]) == sorted(ENVELOPES[format_](call.name, body))
            else:
                assert sent[call.name, number] == ENVELOPES[format_](call.name, body)


def test_a_native_client_sends_these_tables_behind_its_envelope(native: Manifest) -> None:
    """A table is the same whatever is around it, up to where it begins."""
    of_format, sent = encoder("flatbuffers", SCHEMA), _sent("flatbuffers", native)
    for call in SCHEMA.calls:
        if SCHEMA.message(call.request).wrapped:
            continue
        for number, pair in enumerate(ANY.payloads[call.name], 1):
            body = of_format.encode(call.request, pair.request)
            (root,) = struct.unpack_from("<I", body)
            assert sent[call.name, number].endswith(body[root:])
