"""Libraries of others write the golden messages byte for byte as ours, from what they read in them."""

from collections.abc import Callable
from pathlib import Path

import avro_party
import cbor2
import flatbuffers_party
import msgpack
import pytest
from flatbuffers import number_types
from party import RefusedError

GOLDEN = Path(__file__).parents[2] / "contract" / "golden" / "messages"
OPERATIONS = {
    "empty": "Empty",
    "sum": "Sum",
    "persons": "GetPersons",
    "binary": "GetBinaryData",
    "structure": "EchoStructure",
    "string": "EchoString",
    "items": "FindItems",
}


def files(message: str, *without: str) -> list[Path]:
    found = sorted((GOLDEN / message).glob("*.*"))
    assert {file.stem for file in found} == {*OPERATIONS, "fault"}
    return [file for file in found if file.name not in without]


def the_same(said: bytes, of: Callable[[bytes], object], written: Callable[[object], bytes]) -> None:
    assert written(of(said)) == said


# The prices of an item are floats of 32 bits, which Python does not have: it writes them with 64.
@pytest.mark.parametrize("file", files("cbor", "items.answer"), ids=lambda file: file.name)
def test_cbor2_writes_the_same_cbor(file: Path) -> None:
    the_same(file.read_bytes(), cbor2.loads, cbor2.dumps)


@pytest.mark.parametrize("file", files("msgpack", "items.answer"), ids=lambda file: file.name)
def test_msgpack_writes_the_same_messagepack(file: Path) -> None:
    the_same(file.read_bytes(), msgpack.unpackb, msgpack.packb)


@pytest.mark.parametrize("name", OPERATIONS)
def test_fastavro_writes_the_same_avro(name: str) -> None:
    request, answer = ((GOLDEN / "avro" / f"{name}.{side}").read_bytes() for side in ("request", "answer"))
    operation, parameters = avro_party.read_request(request)
    assert operation == OPERATIONS[name]
    assert avro_party.write_request(operation, parameters) == request
    value = avro_party.read_answer(operation, answer)
    assert avro_party.write_answer(operation, value) == answer


def test_what_they_read_is_the_item() -> None:
    """Where floats keep Python from writing the same bytes, the values are compared."""
    name = "items.answer"
    texts = [
        cbor2.loads((GOLDEN / "cbor" / name).read_bytes()),
        msgpack.unpackb((GOLDEN / "msgpack" / name).read_bytes()),
    ]
    avro = avro_party.read_answer("FindItems", (GOLDEN / "avro" / name).read_bytes())
    assert texts[0][3] == texts[1][3]
    (item,) = avro["searchResult"]["item"]
    (other,) = texts[0][3]["searchResult"]["item"]
    assert item["title"] == other["title"]
    assert item["sellingStatus"]["currentPrice"] == other["sellingStatus"]["currentPrice"]


def test_bytes_are_bytes() -> None:
    """Avro had base64 in them, which fastavro read and wrote as it stood."""
    octets = bytes([0, 1, 254, 255])
    assert avro_party.read_answer("GetBinaryData", (GOLDEN / "avro" / "binary.answer").read_bytes()) == octets
    for read, message in ((cbor2.loads, "cbor"), (msgpack.unpackb, "msgpack")):
        assert read((GOLDEN / message / "binary.answer").read_bytes())[3] == octets


def test_avro_tells_a_fault() -> None:
    body = (GOLDEN / "avro" / "fault.answer").read_bytes()
    with pytest.raises(RefusedError, match=r"^n is -1: it must be from 0 to 1000000$"):
        avro_party.read_answer("GetPersons", body)


def test_flatbuffers_are_read_by_their_library() -> None:
    request, answer = (
        flatbuffers_party.root((GOLDEN / "flatbuffers" / f"persons.{side}").read_bytes())
        for side in ("request", "answer")
    )
    kind = flatbuffers_party.scalar(request, 1, number_types.Uint8Flags)
    assert kind == flatbuffers_party.GET_PERSONS
    count = flatbuffers_party.scalar(flatbuffers_party.inner(request, 2), 0, number_types.Int32Flags)
    holder = flatbuffers_party.inner(answer, 2)
    assert holder.VectorLen(holder.Offset(flatbuffers_party.place(0))) == count == 2
