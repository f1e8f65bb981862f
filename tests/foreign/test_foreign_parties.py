"""Independent libraries call the service and read its answers correctly."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from array_parties import Cbor, MsgPack
from avro_party import Avro
from flatbuffers_party import FlatBuffers
from foreign_server import serving
from json_party import JsonRpc
from party import Party, RefusedError
from protobuf_party import Protobuf
from soap_parties import Envelope, Suds, Zeep
from xmlrpc_party import XmlRpc

pytestmark = pytest.mark.engine

NAMES = Path(__file__).parents[2] / "contract" / "names"

PARTIES: dict[str, tuple[str, Callable[[str, Path], Party]]] = {
    "zeep": ("soap", lambda url, _: Zeep(url)),
    "suds": ("soap", lambda url, _: Suds(url)),
    "an envelope by hand": ("soap", lambda url, _: Envelope(url)),
    "xmlrpc.client": ("xmlrpc", lambda url, _: XmlRpc(url)),
    "xmlrpc.client without the service's name": ("xmlrpc", lambda url, _: XmlRpc(url, prefix="")),
    "JSON-RPC by name": ("json", lambda url, _: JsonRpc(url, by_name=True)),
    "JSON-RPC by position": ("json", lambda url, _: JsonRpc(url, by_name=False)),
    "msgpack": ("msgpack", lambda url, _: MsgPack(url)),
    "cbor2": ("cbor", lambda url, _: Cbor(url)),
    "fastavro": ("avro", lambda url, _: Avro(url)),
    "flatbuffers": ("flatbuffers", lambda url, _: FlatBuffers(url)),
    "protobuf": ("protobuf", Protobuf),
}


@pytest.fixture(scope="module")
def urls() -> Iterator[dict[str, str]]:
    with serving() as addresses:
        yield addresses


@pytest.fixture(scope="module", params=list(PARTIES))
def party(request: pytest.FixtureRequest, urls: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Party:
    message, make = PARTIES[request.param]
    return make(urls[message], tmp_path_factory.mktemp("party"))


@pytest.mark.parametrize(("a", "b", "expected"), [(2, 3, 5), (-7, 7, 0), (2**31 - 1, 1, -(2**31))])
def test_sum(party: Party, a: int, b: int, expected: int) -> None:
    assert party.sum(a, b) == expected


@pytest.mark.parametrize("n", [0, 1, 300])
def test_persons(party: Party, n: int) -> None:
    first, last = ((NAMES / f"{name}.txt").read_text().splitlines() for name in ("first", "last"))
    expected = [(i, first[i % 256], last[(i * 31 + i // 256 + 7) % 256]) for i in range(n)]
    assert party.persons(n) == expected


def test_binary_data(party: Party) -> None:
    assert party.binary(0, "random") == b""
    assert party.binary(5, "zero") == bytes(5)
    first = NAMES.joinpath("first.txt").read_text().split()
    assert set(party.binary(20_000, "text").decode().split()[:-1]) <= set(first)


def test_a_fault_leaves_the_server_usable(party: Party) -> None:
    with pytest.raises(RefusedError, match=r"^n is -1: it must be from 0 to 1000000$"):
        party.persons(-1)
    assert party.sum(1, 1) == 2
