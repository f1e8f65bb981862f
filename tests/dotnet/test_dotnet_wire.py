"""Remoting's bytes by their specifications: calls in detail, a client written by hand, parsers of arbitrary bytes."""

import http.client
import random
import socket
import struct
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import nrbf
import nrtp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from nrbf import Record, WireError
from relay import Relay

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from conftest import ROOT

KNOWN = catalogue.load([ROOT / "adapters" / "dotnet"]).adapter("dotnet")
TCP = "dotnet/remoting-tcp"
NAMESPACE = "http://schemas.microsoft.com/clr/nsassem/"
INTERFACE = "Callbench.Service.ISpeedService, callbench"

needs_mono = pytest.mark.skipif(KNOWN.why_not is not None, reason=str(KNOWN.why_not))


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with Adapter(KNOWN.manifest, "the server") as adapter:
        yield adapter.serve(TCP)


def port_of(endpoint: str) -> int:
    return int(urlsplit(endpoint).port or 0)


def captured(server: str, call: str, arguments: dict[str, Any]) -> tuple[bytes, bytes]:
    """A call and its answer as they went over the wire."""
    with closing(Relay(port_of(server))) as relay, Adapter(KNOWN.manifest, "the client") as client:
        client.connect(TCP, server.replace(str(port_of(server)), str(relay.port)), 1)
        client.call(call, arguments)
        return bytes(relay.asked), bytes(relay.answered)


@needs_mono
def test_a_captured_call_comes_apart_to_the_last_byte(server: str) -> None:
    asked, answered = captured(server, "Sum", {"a": 1, "b": 2})
    request, answer = nrtp.read(asked), nrtp.read(answered)
    assert request.operation == nrtp.REQUEST
    assert str(nrtp.uri(request)).endswith("/SpeedService")
    sum_call = nrbf.read(request.content)
    assert (sum_call.method, sum_call.arguments) == ("Sum", [1, 2])
    assert str(sum_call.kind).startswith(INTERFACE)
    assert answer.operation == nrtp.REPLY
    assert nrbf.read(answer.content).value == 3


@needs_mono
def test_records_and_what_refers_to_them_come_apart(server: str) -> None:
    _, answered = captured(server, "EchoStructure", {"n": 2})
    echoed = nrbf.read(nrtp.read(answered).content).value
    assert echoed.kind == "Callbench.Service.Structure"
    assert echoed.members["numbers"] == [0, 7919]
    assert [user.members["email"] for user in echoed.members["users"]] == ["aaron0@example.org", "abigail1@example.org"]
    assert [bean.members["related"] for bean in echoed.members["beans"]] == [[0, 1, 2], [1, 2, 3]]
    assert [bean.members["amount"] for bean in echoed.members["beans"]] == [0.0, 1.25]


@needs_mono
def test_members_that_are_absent_are_null_on_the_wire(server: str) -> None:
    _, answered = captured(server, "FindItems", {"n": 10})
    items = nrbf.read(nrtp.read(answered).content).value.members["searchResult"].members["item"]
    assert len(items) == 10
    assert isinstance(items[0].members["subtitle"], str)
    assert (items[1].members["subtitle"], items[9].members["productId"]) == (None, None)
    assert items[0].members["autoPay"] in (True, False)


@needs_mono
def test_a_refusal_is_an_exception_on_the_wire(server: str) -> None:
    _, answered = captured(server, "GetPersons", {"n": -1})
    fault = nrbf.read(nrtp.read(answered).content).fault
    assert isinstance(fault, Record)
    assert fault.members["Message"] == "n is -1: it must be from 0 to 1000000"


def by_hand(server: str, method: str, *arguments: int | str) -> nrbf.Message:
    """A call that no line of .NET has written."""
    with socket.create_connection(("127.0.0.1", port_of(server)), timeout=60) as connection:
        connection.sendall(nrtp.request("/SpeedService", nrbf.call(INTERFACE, method, *arguments)))
        head = _exactly(connection, 14)
        length = struct.unpack("<i", head[10:])[0]
        headers = b""
        while not headers.endswith(b"\0\0"):
            headers += _exactly(connection, 2)
        return nrbf.read(nrtp.read(head + headers + _exactly(connection, length)).content)


def _exactly(connection: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        more = connection.recv(count - len(found))
        assert more, "the server closed the connection"
        found += more
    return found


@needs_mono
def test_a_client_written_by_hand_is_answered(server: str) -> None:
    assert by_hand(server, "Sum", 20, 22).value == 42
    assert by_hand(server, "Sum", 2**31 - 1, 1).value == -(2**31)
    assert by_hand(server, "Hello").value == "Hello World"
    assert by_hand(server, "EchoString", "Grüße \U0001f600").value == "Grüße \U0001f600"
    persons = by_hand(server, "GetPersons", 300).value
    assert len(persons) == 300
    assert [(each.members["ID"], each.members["FirstName"]) for each in persons[:2]] == [(0, "Aaron"), (1, "Abigail")]
    fault = by_hand(server, "GetPersons", -1).fault
    assert fault is not None
    assert fault.members["Message"] == "n is -1: it must be from 0 to 1000000"


@needs_mono
def test_the_server_outlives_garbage(server: str) -> None:
    dice = random.Random(1)  # noqa: S311 - the same garbage each time
    good = nrtp.request("/SpeedService", nrbf.call(INTERFACE, "Sum", 1, 2))
    for _ in range(20):
        bad = bytearray(good)
        for _ in range(3):
            bad[dice.randrange(len(bad))] = dice.randrange(256)
        with socket.create_connection(("127.0.0.1", port_of(server)), timeout=60) as connection:
            connection.sendall(bad)
    assert by_hand(server, "Sum", 20, 22).value == 42


def envelope(method: str, body: str) -> bytes:
    soap, kind = "http://schemas.xmlsoap.org/soap/envelope/", f"{NAMESPACE}Callbench.Service.ISpeedService/callbench"
    text = (
        f'<s:Envelope xmlns:s="{soap}"><s:Body><i:{method} xmlns:i="{kind}">{body}</i:{method}></s:Body></s:Envelope>'
    )
    return text.encode()


@needs_mono
@pytest.mark.parametrize("stack", ["dotnet/remoting-http", "dotnet/remoting-http-nodelay"])
def test_a_plain_soap_client_is_answered(stack: str) -> None:
    with Adapter(KNOWN.manifest, "the server") as adapter:
        connection = http.client.HTTPConnection("127.0.0.1", port_of(adapter.serve(stack)), timeout=60)

        def post(method: str, body: str) -> tuple[int, etree._Element]:
            action = f'"{NAMESPACE}Callbench.Service.ISpeedService/callbench#{method}"'
            headers = {"Content-Type": 'text/xml; charset="utf-8"', "SOAPAction": action}
            connection.request("POST", "/SpeedService", envelope(method, body), headers)
            answer = connection.getresponse()
            return answer.status, etree.fromstring(answer.read())

        status, found = post("Sum", "<a>20</a><b>22</b>")
        assert (status, found.findtext(".//return")) == (200, "42")
        _, found = post("GetPersons", "<n>2</n>")
        assert [each.text for each in found.iter("LastName")] == ["Arnold", "Brown"]
        status, found = post("GetPersons", "<n>-1</n>")
        assert (status, found.findtext(".//Message")) == (500, "n is -1: it must be from 0 to 1000000")
        connection.close()


SAMPLES = [nrbf.call(INTERFACE, "Sum", 1, 2), nrbf.call(INTERFACE, "EchoString", "Grüße")]


def test_what_the_encoder_writes_the_decoder_reads() -> None:
    message = nrbf.read(SAMPLES[1])
    assert (message.method, message.kind, message.arguments) == ("EchoString", INTERFACE, ["Grüße"])
    frame = nrtp.read(nrtp.request("/SpeedService", SAMPLES[0]))
    assert (nrtp.uri(frame), frame.content) == ("/SpeedService", SAMPLES[0])


def only_wire_errors(data: bytes) -> None:
    for read in (nrbf.read, nrtp.read):
        try:
            read(data)
        except WireError:
            continue


@given(st.binary(max_size=300))
def test_garbage_is_refused_in_words(data: bytes) -> None:
    only_wire_errors(data)
    # Behind a right beginning, so that it is reached.
    only_wire_errors(SAMPLES[0][:22] + data)
    only_wire_errors(b".NET\x01\x00" + data)


@given(
    st.sampled_from(SAMPLES),
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=6),
    st.integers(0, 40),
)
def test_a_broken_message_is_refused_in_words(good: bytes, changes: list[tuple[int, int]], cut: int) -> None:
    broken = bytearray(good)
    for at, value in changes:
        broken[at % len(broken)] = value
    only_wire_errors(bytes(broken[: len(broken) - cut]))


@pytest.mark.parametrize(
    ("records", "told"),
    [
        (b"\x10\x01\x00\x00\x00\x01\x00\x00\x00\x09\x01\x00\x00\x00\x0b", "circle"),
        (b"\x10\x01\x00\x00\x00\x01\x00\x00\x00\x09\x02\x00\x00\x00\x0b", "not there"),
        (b"\x10\x01\x00\x00\x00\x00\x00\x00\x7f\x0e\x00\x00\x00\x7f\x0b", "more than"),
        (b"\x0b", "missing"),
        (b"\x10\x01\x00\x00\x00\x00\x00\x00\x00\x0b\x00", "follow the end"),
    ],
)
def test_a_message_that_is_wrong_is_explained(records: bytes, told: str) -> None:
    head = struct.pack("<BiiiiBi", 0, 0, 0, 1, 0, 21, 0x10 | nrbf.IS_ARRAY)
    with pytest.raises(WireError, match=told):
        nrbf.read(head + b"\x12\x01a\x12\x01b" + records)
