"""Independent libraries read a compressed BinMessage: zlib, Zstandard and LZ4."""

import struct
import zlib
from collections.abc import Callable, Iterator

import lz4.frame
import pytest
import zstandard
from foreign_server import serving
from party import post

pytestmark = pytest.mark.engine

CLIENT = bytes(range(16))
SIZE = 20_000


def text(value: str) -> bytes:
    return struct.pack("<i", len(value)) + value.encode()


def header(flags: int, word: bytes) -> bytes:
    return b"RO107" + bytes([flags, 0, 0, 0, 0]) + word + CLIENT


def unzstd(body: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompress(body)


# The user word that asks for it, the flag of the answer, and whose library packs and unpacks.
COMPRESSORS: dict[str, tuple[bytes, int, Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    "zlib as the vendor has it": (b"\0\0", 1, zlib.compress, zlib.decompress),
    "zlib, level 9": (b"\x01\x09", 1, zlib.compress, zlib.decompress),
    "zstd": (b"\x02\x03", 2, zstandard.ZstdCompressor().compress, unzstd),
    "lz4": (b"\x04\x00", 4, lz4.frame.compress, lz4.frame.decompress),
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as addresses:
        yield addresses["bincomp"]


@pytest.mark.parametrize("name", list(COMPRESSORS))
@pytest.mark.parametrize("fill", ["zero", "text", "random"])
def test_an_answer_is_read_by_the_library_of_its_compressor(url: str, name: str, fill: str) -> None:
    word, flag, _, unpack = COMPRESSORS[name]
    call = text("SpeedService") + text("GetBinaryData") + struct.pack("<i", SIZE) + text(fill)
    answer = post(url, "application/octet-stream", header(0, word) + call)
    assert answer[:5] == b"RO107"
    assert (answer[5], answer[6], answer[12:28]) == (flag, 0, CLIENT)
    body = unpack(answer[28:])
    head = text("SpeedService") + text("GetBinaryData") + b"\x01" + struct.pack("<i", SIZE)
    assert body.startswith(head)
    assert len(body) == len(head) + SIZE
    assert fill != "zero" or not any(body[len(head) :])


@pytest.mark.parametrize("name", list(COMPRESSORS))
def test_a_request_that_the_library_packed_is_answered(url: str, name: str) -> None:
    word, flag, pack, _ = COMPRESSORS[name]
    sent = "abc " * 3000
    call = text("SpeedService") + text("EchoString") + text(sent)
    answer = post(url, "application/octet-stream", header(flag, word) + pack(call))
    _, _, _, unpack = COMPRESSORS[name]
    body = unpack(answer[28:]) if answer[5] else answer[28:]
    assert body == text("SpeedService") + text("EchoString") + text(sent)
