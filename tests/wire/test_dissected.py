"""The channels of HTTP/2, gRPC and TLS as tshark sees them: calls, bytes and handshakes are what Callbench says."""

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pytest

from callbench.adapter import placement
from callbench.adapter.network.creation import why_not
from callbench.adapter.session import Adapter
from callbench.analysis.wire.counts import DIRECTIONS, Row
from callbench.catalog import catalogue
from callbench.catalog.links.profile import BARE
from callbench.runner.wire.lab import Lab
from conftest import ROOT
from dissector import ANY_PORT, decrypted, seen

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed: setup/system tshark"),
]

CALLS = 12
SUM = {"a": 1, "b": 2}
GOLDEN = ROOT / "contract" / "golden" / "messages" / "bin"
REQUEST, ANSWER = ((GOLDEN / f"sum.{side}").stat().st_size for side in ("request", "answer"))
TLS = {
    "tcp-tls": (),
    "https": ("http/1.1",),
    "https-keepalive": ("http/1.1",),
    "http2-tls": ("h2",),
    "grpc-tls": ("h2",),
}
STACKS = (
    "bin+http2",
    "protobuf+grpc",
    "bin+tcp-tls",
    "json+https",
    "json+https-keepalive",
    "bin+http2-tls",
    "protobuf+grpc-tls",
)
TLS_STACKS = tuple(name for name in STACKS if name.partition("+")[2] in TLS)
HTTP2_STACKS = tuple(name for name in STACKS if "http2" in name or "grpc" in name)
# Of the registries of TLS: ClientHello and NewSessionTicket; the version 1.3; TLS_AES_256_GCM_SHA384.
CLIENT_HELLO, TICKET, TLS_1_3, SUITE = "1", "4", "0x0304", "0x1302"
# A record's type for messages of the handshake; what protects a record of TLS 1.3: 16 bytes and its type.
SHAKES, TAG = "22", 17


@dataclass(frozen=True)
class Lived:
    """One client's life, as Callbench says it was.

    Attributes:
        capture: its packets.
        told: options of tshark: keys, and the protocol.
        calls: how many calls it made, as its client said.
        answered: how many calls the server counted.
        rows: a row a phase and direction.
    """

    capture: Path
    told: Sequence[str]
    calls: int
    answered: int
    rows: Sequence[Row]

    def sums(self, figure: str) -> list[float]:
        """One of the ledger's figures over all phases, to the server and to the client."""
        return [sum(row[figure] for row in self.rows if row["direction"] == way) for way in DIRECTIONS]

    def fields(self, *names: str) -> list[list[str]]:
        """Each field of tshark over all packets."""
        packets = seen(self.capture, self.told, names)
        return [list(chain.from_iterable(packet[name] for packet in packets)) for name in names]


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Lived]]:
    """A life of each stack on two hosts, without other traffic."""
    why = why_not(BARE.wire)
    if why:
        pytest.skip(f"no two hosts here: {why}")
    folder = tmp_path_factory.mktemp("dissected")
    programs = catalogue.load().adapter("native").manifest.both
    with Lab(placement.choose_placement()) as lab, lab.server(programs) as server, lab.client(programs) as client:
        yield {name: live(lab, server, client, name, folder) for name in STACKS}


def live(lab: Lab, server: Adapter, client: Adapter, name: str, folder: Path) -> Lived:
    """Let a client connect, call and end, with a capture of it."""
    channel = name.partition("+")[2]
    keys, capture = folder / "keys", folder / f"{name}.pcap"
    stack = f"native/{name}"
    options = {"key_log": str(keys)} if channel in TLS else {}
    lab.begin(capture)
    client.connect(stack, server.serve(stack, lab.pair.hosts.server.address), 1, options=options)
    rows = lab.end_phase("set-up", quiet_ms=20)[0]
    assert client.call("Sum", SUM)["value"] == 3
    done = client.drive("Sum", SUM, calls=CALLS, seconds=0)
    rows += lab.end_phase("calls", quiet_ms=20)[0]
    client.disconnect()
    rows += lab.end_phase("tear-down", closed=True)[0]
    assert lab.end() == (0, None)
    assert done["errors"] == {}
    answered = server.counted()["calls"]["Sum"]
    server.stop_serving()
    told = ["-d", f"{ANY_PORT},tls", "-o", f"tls.keylog_file:{keys}"] if options else ["-d", f"{ANY_PORT},http2"]
    told += ["-o", f'uat:protobuf_search_paths:"{ROOT / "contract"}","TRUE"']
    return Lived(capture, told, done["calls"] + 1, answered, rows)


@pytest.mark.parametrize("name", STACKS)
def test_the_bytes_of_streams_and_packets_are_the_same(lives: dict[str, Lived], name: str) -> None:
    life = lives[name]
    stream, packets = life.fields("tcp.len", "ip.len")
    assert sum(map(int, stream)) == sum(life.sums("payload")) + sum(life.sums("retransmitted"))
    assert sum(map(int, packets)) == sum(sum(life.sums(part)) for part in ("ip", "tcp", "payload", "retransmitted"))
    assert len(packets) == sum(life.sums("packets"))


@pytest.mark.parametrize("name", HTTP2_STACKS)
def test_the_requests_of_http2_are_the_calls(lives: dict[str, Lived], name: str) -> None:
    life = lives[name]
    path = "/callbench.SpeedService/Sum" if "grpc" in name else f"/{name.partition('+')[0]}"
    methods, paths, statuses = life.fields("http2.headers.method", "http2.headers.path", "http2.headers.status")
    assert life.calls == life.answered == CALLS + 1
    assert Counter(paths) == {path: life.calls}
    assert Counter(methods) == {"POST": life.calls}
    assert Counter(statuses) == {"200": life.calls}


@pytest.mark.parametrize("name", ["bin+http2", "bin+http2-tls"])
def test_the_data_of_http2_are_the_messages(lives: dict[str, Lived], name: str) -> None:
    life = lives[name]
    [data] = life.fields("http2.data.data")
    # In hexadecimal digits.
    assert Counter(len(piece) // 2 for piece in data) == {REQUEST: life.calls, ANSWER: life.calls}


@pytest.mark.parametrize("name", ["protobuf+grpc", "protobuf+grpc-tls"])
def test_grpc_carries_the_arguments_and_the_answer(lives: dict[str, Lived], name: str) -> None:
    """By the messages of contract/service.proto, which tshark reads itself."""
    life = lives[name]
    names = ("grpc.message_length", "protobuf.field.name", "protobuf.field.value.int32", "http2.header.name")
    lengths, members, numbers, headers = life.fields(*names)
    assert headers.count("grpc-status") == life.calls
    # The request has two members, each a tag and one byte; the answer has one.
    assert Counter(lengths) == {"4": life.calls, "2": life.calls}
    assert Counter(zip(members, numbers, strict=True)) == {
        ("a", "1"): life.calls,
        ("b", "2"): life.calls,
        ("result", "3"): life.calls,
    }


@pytest.mark.parametrize("name", TLS_STACKS)
def test_the_handshakes_are_those_of_tls_1_3(lives: dict[str, Lived], name: str) -> None:
    life = lives[name]
    channel = name.partition("+")[2]
    shaken, suites, versions, protocols = life.fields(
        "tls.handshake.type",
        "tls.handshake.ciphersuite",
        "tls.handshake.extensions.supported_version",
        "tls.handshake.extensions_alpn_str",
    )
    connections = life.calls if channel == "https" else 1
    assert shaken.count(CLIENT_HELLO) == connections
    # The client offers several, the server takes one.
    assert suites.count(SUITE) == 2 * connections
    assert versions.count(TLS_1_3) == 2 * connections
    # Both name the protocol: the server's name is encrypted, and the keys show it.
    assert Counter(protocols) == dict.fromkeys(TLS[channel], 2 * connections)


@pytest.mark.parametrize("name", TLS_STACKS)
def test_the_records_of_tls_are_the_same(lives: dict[str, Lived], name: str) -> None:
    life = lives[name]
    packets = seen(life.capture, life.told, ("tls.record.length",))
    lengths = [int(length) for packet in packets for length in packet["tls.record.length"]]
    assert len(lengths) == sum(life.sums("tls_records"))
    assert sum(life.sums("tls_headers")) == 5 * len(lengths)
    inside = sum(sum(life.sums(part)) for part in ("tls_tags", "tls_application", "tls_handshake"))
    assert inside == sum(lengths)
    assert inside + 5 * len(lengths) == sum(life.sums("payload"))


@pytest.mark.parametrize("name", TLS_STACKS)
def test_the_purpose_of_each_record_is_what_the_keys_show(lives: dict[str, Lived], name: str) -> None:
    """The ledger has no keys: it divides records by their order. Tickets and alerts look like data to it."""
    life = lives[name]
    names = ("tls.record.content_type", "tls.record.opaque_type", "tls.record.length", "tls.handshake.type")
    plain = tags = handshake = data = 0
    for packet in seen(life.capture, life.told, names):
        # The type of each record, of an encrypted one that inside. In a packet, plain records come first.
        types, hidden, lengths, messages = (packet[name] for name in names)
        ticket = set(messages) == {TICKET}
        for place, (kind, length) in enumerate(zip(types, map(int, lengths), strict=True)):
            if place < len(types) - len(hidden):
                plain += length
            else:
                tags += TAG
                inside = length - TAG
                handshake, data = (
                    (handshake + inside, data) if kind == SHAKES and not ticket else (handshake, data + inside)
                )
    assert sum(life.sums("tls_tags")) == tags > 0
    assert sum(life.sums("tls_handshake")) == plain + handshake
    assert sum(life.sums("tls_application")) == data


@pytest.mark.parametrize("name", ["json+https", "json+https-keepalive"])
def test_the_requests_inside_tls_are_the_calls(lives: dict[str, Lived], name: str) -> None:
    life = lives[name]
    methods, paths, statuses = life.fields("http.request.method", "http.request.uri", "http.response.code")
    assert life.calls == life.answered == CALLS + 1
    assert Counter(methods) == {"POST": life.calls}
    assert Counter(paths) == {"/json": life.calls}
    assert Counter(statuses) == {"200": life.calls}


def test_the_messages_inside_tls_are_those_of_the_golden_files(lives: dict[str, Lived]) -> None:
    life = lives["bin+tcp-tls"]
    assert life.calls == life.answered == CALLS + 1
    ways = [Counter(map(len, messages(stream))) for stream in decrypted(life.capture, life.told)]
    assert sorted(ways, key=max) == [{ANSWER: life.calls}, {REQUEST: life.calls}]
    # Length and message are one record.
    [lengths] = life.fields("tls.record.length")
    for message in (REQUEST, ANSWER):
        assert lengths.count(str(4 + message + TAG)) == life.calls


def messages(stream: bytes) -> list[bytes]:
    """The messages of a stream: a length of four bytes in network order before each."""
    found = []
    while stream:
        end = 4 + int.from_bytes(stream[:4])
        assert end <= len(stream)
        found.append(stream[4:end])
        stream = stream[end:]
    return found
