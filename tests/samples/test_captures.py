"""Captures by tcpdump: HTTP/1.1 is put together again from any packets, and what cannot be read is said."""

import gzip
import json
import zlib
from pathlib import Path

import dpkt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from traffic import Connection, chunked, fragments, http, pcap, shuffled

from callbench.catalog.imports import registry
from callbench.catalog.imports.source import Options
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported, Json, Pair

SECRET = "open sesame"  # noqa: S105 - it opens nothing
ORDER: Json = {"id": 1, "lines": [{"sku": "a", "price": 1.5}] * 30}
BODY = json.dumps(ORDER).encode()
POST = http("POST /orders HTTP/1.1", BODY)
OK = http("HTTP/1.1 200 OK", b'{"ok":true}')


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "shop.pcap"


def imported(file: Path, capture: bytes, options: Options | None = None) -> Imported:
    file.write_bytes(capture)
    return registry.service([str(file)], options or Options())


def refused(file: Path, capture: bytes) -> str:
    with pytest.raises(BadInput) as error:
        imported(file, capture)
    sentence = str(error.value)
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize("writer", [dpkt.pcap.Writer, dpkt.pcapng.Writer])
def test_calls_by_method_and_path(file: Path, writer: type) -> None:
    get = http("GET /orders/17?expand=lines HTTP/1.1")
    other = http("GET /orders/18?expand=no HTTP/1.1")
    said = [(True, POST), (False, OK), (True, get), (False, http("HTTP/1.1 200 OK", BODY)), (True, other), (False, OK)]
    service = imported(
        file, pcap(Connection(said[:4]).packets() + Connection(said[4:]).packets(), writer), Options(unions=True)
    )
    calls = {(call.method, call.path): call for call in service.schema.calls}
    assert set(calls) == {("POST", "/orders"), ("GET", "/orders/{id}")}
    post, read = calls["POST", "/orders"], calls["GET", "/orders/{id}"]
    assert service.payloads[post.name] == (Pair(ORDER, {"ok": True}),)
    assert [pair.request for pair in service.payloads[read.name]] == [
        {"id": "17", "expand": "lines"},
        {"id": "18", "expand": "no"},
    ]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(1, 400), count=st.integers(1, 6), start=st.integers(0, 2**32 - 1))
def test_packets_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, seed: int, size: int, count: int, start: int
) -> None:
    post = http("POST /orders HTTP/1.1", b'{"id":1}')
    said = [one for _ in range(count) for one in ((True, post), (False, OK))]
    packets = Connection(said, size=size, start=start).packets()
    capture = pcap(shuffled(packets[:-2], seed) + packets[-2:])
    service = imported(tmp_path_factory.mktemp("capture") / "shop.pcap", capture)
    assert service.payloads["PostOrders"] == (Pair({"id": 1}, {"ok": True}),) * count


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(1, 40).map(lambda eights: 8 * eights), six=st.booleans())
def test_packets_in_fragments(tmp_path_factory: pytest.TempPathFactory, seed: int, size: int, six: bool) -> None:
    """Fragments come in any order, some twice, and packets with fragments are mixed."""
    packets = Connection([(True, POST), (False, OK)], 400).packets()
    made = [fragments(packet, number, size, six=six) for number, packet in enumerate(packets)]
    between = shuffled(made[0] + made[1] + [one for parts in made[2:-2] for one in parts], seed, 30)
    capture = pcap(between + made[-2] + made[-1])
    service = imported(tmp_path_factory.mktemp("capture") / "shop.pcap", capture)
    assert service.payloads["PostOrders"] == (Pair(ORDER, {"ok": True}),)
    assert "packet" not in " ".join(service.notes)


@pytest.mark.parametrize("six", [False, True])
def test_fragments_that_are_not_whole_are_said(file: Path, six: bool) -> None:
    good = Connection([(True, POST), (False, OK)]).packets()
    parts = fragments(Connection([(True, POST)]).packets()[2], 9, 80, six=six)
    other = fragments(Connection([(True, POST)]).packets()[2], 10, 80, six=six)
    middle = fragments(Connection([(True, POST)]).packets()[2], 10, 120, six=six)[1]
    notes = imported(file, pcap([*parts[:3], *parts[4:], *other[:4], middle, *other[4:], *good])).notes
    assert any(note.startswith("Left out: 1 x packet of which the capture has not all fragments") for note in notes)
    assert "Left out: 1 x packet whose fragments contradict each other." in notes
    kept = imported(file, pcap([*parts[:3], *good, *parts[3:]])).notes
    assert not [note for note in kept if "fragments" in note]


def test_packets_that_are_never_whole_need_little_memory(file: Path) -> None:
    packet = Connection([(True, POST)]).packets()[2]
    many = [one for number in range(3000) for one in fragments(packet, number, 400)[:1]]
    good = Connection([(True, POST), (False, OK)]).packets()
    assert "Left out: 3,000 x packet of which the capture has not all fragments" in " ".join(
        imported(file, pcap(many + good)).notes
    )


@pytest.mark.parametrize("coding", ["gzip", "deflate", "raw deflate"])
def test_compressed_and_chunked(file: Path, coding: str) -> None:
    raw = zlib.compressobj(wbits=-15)
    bodies = {
        "gzip": gzip.compress(BODY),
        "deflate": zlib.compress(BODY),
        "raw deflate": raw.compress(BODY) + raw.flush(),
    }
    body, header = chunked(bodies[coding]), f"Content-Encoding: {coding.rsplit(maxsplit=1)[-1]}"
    answer = http("HTTP/1.1 200 OK", body, header, "Transfer-Encoding: chunked")
    service = imported(file, pcap(Connection([(True, POST), (False, answer)]).packets()))
    assert service.payloads["PostOrders"] == (Pair(ORDER, ORDER),)


def test_answer_that_ends_with_the_connection(file: Path) -> None:
    answer = b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + BODY
    assert imported(file, pcap(Connection([(True, POST), (False, answer)]).packets())).payloads["PostOrders"] == (
        Pair(ORDER, ORDER),
    )


def test_pipelined_requests(file: Path) -> None:
    said = [(True, POST + POST), (False, OK + OK)]
    assert len(imported(file, pcap(Connection(said).packets())).payloads["PostOrders"]) == 2


def test_secrets_in_headers_and_bodies(file: Path) -> None:
    body = b'{"user":"ann","password":"open sesame","pin":1234}'
    post = http("POST /login?token=abc HTTP/1.1", body, "Cookie: id=7", "Authorization: Bearer xyz")
    capture = pcap(Connection([(True, post), (False, OK)]).packets())
    service = imported(file, capture)
    (pair,) = service.payloads["PostLogin"]
    assert isinstance(pair.request, dict)
    assert pair.request["user"] == "ann"
    other = str(pair.request["password"])
    assert other != SECRET
    assert len(other) == len(SECRET)
    assert pair.request["pin"] != 1234
    said = " ".join(service.notes)
    assert "1 x authorization, 1 x cookie" in said
    assert "1 x password, 1 x pin" in said
    assert imported(file, capture, Options(secrets=True)).payloads["PostLogin"][0].request == json.loads(body)


def test_what_cannot_be_read_is_said(file: Path) -> None:
    tls = Connection([(True, b"\x16\x03\x01" + bytes(50)), (False, b"\x16\x03\x03" + bytes(50))]).packets()
    http2 = Connection([(True, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")]).packets()
    assert "connection under TLS" in refused(file, pcap(tls))
    good = Connection([(True, POST), (False, OK)]).packets()
    notes = " ".join(imported(file, pcap(tls + http2 + good)).notes)
    assert "Left out: 1 x connection under TLS" in notes
    assert "1 x connection with HTTP/2" in notes
    failed = Connection([(True, POST), (False, http("HTTP/1.1 500 Oh", b"{}"))]).packets()
    page = Connection(
        [(True, POST), (False, http("HTTP/1.1 200 OK", b"<p>").replace(b"application/json", b"text/html"))]
    )
    notes = " ".join(imported(file, pcap(failed + page.packets() + good)).notes)
    assert "answer with status 500" in notes
    assert "answer that is no JSON (text/html)" in notes


def test_bomb_in_a_body(file: Path) -> None:
    answer = http("HTTP/1.1 200 OK", gzip.compress(bytes(70 * 2**20)), "Content-Encoding: gzip")
    assert "becomes larger than 64 MiB" in refused(
        file, pcap(Connection([(True, POST), (False, answer)], 60_000).packets())
    )


def test_cut_off_capture_has_what_is_whole(file: Path) -> None:
    good = Connection([(True, POST), (False, OK)]).packets()
    capture = pcap(good)
    assert imported(file, capture[:-20]).payloads["PostOrders"]
    assert "is no capture" in refused(file, capture[:10])


@settings(max_examples=150, deadline=None)
@given(at=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=20), cut=st.floats(0, 1))
def test_no_damage_is_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, at: list[tuple[float, int]], cut: float
) -> None:
    packets = Connection([(True, POST), (False, OK), (True, POST), (False, OK)], 200).packets()
    capture = bytearray(pcap(packets + [one for packet in packets for one in fragments(packet, 7, 64)]))
    for where, value in at:
        capture[4 + int(where * (len(capture) - 5))] = value
    damaged = bytes(capture[: 24 + int(cut * len(capture))])
    try:
        imported(tmp_path_factory.mktemp("capture") / "shop.pcap", damaged, Options(unions=True))
    except BadInput as error:
        assert "\n" not in str(error)  # noqa: PT017 - most damage is refused, some is not seen
