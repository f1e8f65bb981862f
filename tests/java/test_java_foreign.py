"""Clients of others against Java's servers: one JVM serves what they know."""

import xmlrpc.client
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import suds
import suds.client
import suds.store
import zeep
import zeep.exceptions
from jrmp_party import Jrmp, RefusedError
from pyhessian.client import HessianProxy
from pyhessian.protocol import Binary, Fault

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from conftest import ROOT
from giop_seen import dissected
from grpcio_party import contract_stubs

PERSONS = "(I)[Lorg/callbench/service/Person;"
KNOWN = catalogue.load([ROOT / "adapters" / "java"]).adapter("java")

pytestmark = pytest.mark.skipif(KNOWN.why_not is not None, reason=str(KNOWN.why_not))


@pytest.fixture(scope="module")
def java() -> Iterator[Adapter]:
    with Adapter(KNOWN.manifest, "the server") as adapter:
        yield adapter


@pytest.fixture
def endpoint(java: Adapter, request: pytest.FixtureRequest) -> Iterator[str]:
    yield java.serve(request.param)
    java.stop_serving()


@pytest.mark.parametrize("endpoint", ["java/xmlrpc"], indirect=True)
def test_pythons_xmlrpc(endpoint: str) -> None:
    with xmlrpc.client.ServerProxy(endpoint, allow_none=True) as proxy:
        service = proxy.SpeedService
        assert service.Sum(20, 22) == 42
        assert service.EchoString("Grüße") == "Grüße"
        assert service.GetPersons(2) == [
            {"ID": 0, "FirstName": "Aaron", "LastName": "Arnold"},
            {"ID": 1, "FirstName": "Abigail", "LastName": "Brown"},
        ]
        with pytest.raises(xmlrpc.client.Fault, match="n is -1: it must be from 0 to 1000000"):
            service.GetPersons(-1)


@pytest.mark.parametrize("endpoint", ["java/cxf-soap"], indirect=True)
def test_zeep(endpoint: str) -> None:
    service = zeep.Client(f"{endpoint}?wsdl").service  # type: ignore[no-untyped-call]
    assert service.Sum(20, 22) == 42
    assert service.EchoString("Grüße") == "Grüße"
    assert [(each.ID, each.LastName) for each in service.GetPersons(2)] == [(0, "Arnold"), (1, "Brown")]
    with pytest.raises(zeep.exceptions.Fault, match="n is -1: it must be from 0 to 1000000"):
        service.GetPersons(-1)


class _WithoutANetwork(zeep.Transport):
    """Serve the one schema that rpc/encoded imports from a site that tests do not use."""

    def load(self, url: str) -> bytes:
        if url == "http://schemas.xmlsoap.org/soap/encoding/":
            return bytes(suds.store.soap5_encoding_schema)
        return bytes(super().load(url))  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("endpoint", ["java/axis-soap"], indirect=True)
def test_zeep_reads_rpc_encoded(endpoint: str) -> None:
    service = zeep.Client(f"{endpoint}?wsdl", transport=_WithoutANetwork()).service  # type: ignore[no-untyped-call]
    assert service.Sum(20, 22) == 42
    assert service.EchoString("Grüße") == "Grüße"
    assert service.GetBinaryData(8, "article") == bytes([1, 0, 0, 0, 1, 0, 0, 0])
    # SOAP's encoded string is a simple type with attributes.
    persons = [(each.ID, each.LastName._value_1) for each in service.GetPersons(2)]
    assert persons == [(0, "Arnold"), (1, "Brown")]
    with pytest.raises(zeep.exceptions.Fault, match="n is -1: it must be from 0 to 1000000"):
        service.GetPersons(-1)


@pytest.mark.parametrize("endpoint", ["java/axis-soap"], indirect=True)
def test_suds_reads_rpc_encoded(endpoint: str) -> None:
    service = suds.client.Client(f"{endpoint}?wsdl", cache=None).service
    assert service.Sum(20, 22) == 42
    assert [(each.ID, str(each.LastName)) for each in service.GetPersons(2)] == [(0, "Arnold"), (1, "Brown")]
    with pytest.raises(suds.WebFault, match="n is -1: it must be from 0 to 1000000"):
        service.GetPersons(-1)


@pytest.mark.parametrize("endpoint", ["java/grpc"], indirect=True)
def test_grpcio(endpoint: str) -> None:
    messages, stubs = contract_stubs()
    with grpc.insecure_channel(endpoint) as channel:
        stub = stubs.SpeedServiceStub(channel)
        assert stub.Sum(messages.SumRequest(a=20, b=22), timeout=60).result == 42
        assert [each.last_name for each in stub.GetPersons(messages.CountRequest(n=2), timeout=60).result] == [
            "Arnold",
            "Brown",
        ]
        with pytest.raises(grpc.RpcError, match="n is -1: it must be from 0 to 1000000"):
            stub.GetPersons(messages.CountRequest(n=-1), timeout=60)


@pytest.mark.parametrize(
    ("endpoint", "version"),
    [("java/hessian1", 1), ("java/hessian1-tuned", 1), ("java/hessian2", 2), ("java/hessian2-tuned", 2)],
    indirect=["endpoint"],
)
def test_pythons_hessian(endpoint: str, version: int) -> None:
    def call(name: str, *arguments: object) -> Any:
        # Its parser of version 2 reads one answer.
        return getattr(HessianProxy(endpoint, timeout=60, version=version), name)(*arguments)

    assert call("Sum", 20, 22) == 42
    for text in ("", "Grüße", "\U0001f600" * 3, "a\u0000b", "long " * 20_000):
        assert call("EchoString", text) == text
    persons = call("GetPersons", 300)
    assert len(persons) == 300
    assert [(each.ID, each.FirstName, each.LastName) for each in persons[:2]] == [
        (0, "Aaron", "Arnold"),
        (1, "Abigail", "Brown"),
    ]
    assert call("GetBinaryData", 70_000, "zero").value == bytes(70_000)
    assert call("SendByteArray", Binary(bytes(range(256)))) is None
    assert call("SendDouble", 42.4242) is None
    with pytest.raises(Fault, match="n is -1: it must be from 0 to 1000000"):
        call("GetPersons", -1)


@pytest.mark.parametrize("endpoint", ["java/rmi"], indirect=True)
def test_rmi_written_by_hand_and_read_by_javaobj(endpoint: str) -> None:
    service = Jrmp(endpoint)
    assert service.call("Sum", "(II)I", 20, 22) == (42).to_bytes(4)
    assert service.call("Sum", "(II)I", 2**31 - 1, 1) == (2**31).to_bytes(4)
    assert service.call("Empty", "()V") == b""
    assert service.call("Hello", "()Ljava/lang/String;") == "Hello World"
    persons = service.call("GetPersons", PERSONS, 300)
    assert len(persons) == 300
    assert [(each.ID, str(each.FirstName), str(each.LastName)) for each in persons[:2]] == [
        (0, "Aaron", "Arnold"),
        (1, "Abigail", "Brown"),
    ]
    with pytest.raises(RefusedError, match="n is -1: it must be from 0 to 1000000"):
        service.call("GetPersons", PERSONS, -1)


@pytest.mark.parametrize("endpoint", ["java/rmi-iiop", "java/corba-jacorb"], indirect=True)
def test_a_dissector_knows_the_calls_for_giop(endpoint: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    stack = request.node.callspec.params["endpoint"]
    with Adapter(KNOWN.manifest, "the client") as client:
        client.connect(stack, endpoint, 1)
        shown = dissected(lambda: client.call("EchoString", {"value": "Grüße"}), tmp_path)
    assert "General Inter-ORB Protocol" in shown
    assert "EchoString" in shown
