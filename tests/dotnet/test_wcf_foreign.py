"""Clients of others against WCF's servers: zeep reads its WSDL and SOAP, Python's own HTTP client its REST."""

import http.client
import json
import urllib.parse
from collections.abc import Iterator
from typing import Any

import pytest
import zeep
import zeep.exceptions
from lxml import etree

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from conftest import ROOT

KNOWN = catalogue.load([ROOT / "adapters" / "dotnet"]).adapter("dotnet")
BINDING = "{http://tempuri.org/}BasicHttpBinding_SpeedService"
RECORDS = "http://schemas.datacontract.org/2004/07/Callbench.Service"
SCHEMA = "http://www.w3.org/2001/XMLSchema"

pytestmark = pytest.mark.skipif(KNOWN.why_not is not None, reason=str(KNOWN.why_not))


class _Located(zeep.Transport):
    """Says where the schemas are that Mono imports by name alone; leaves out the one that is nowhere."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._places: dict[str, str] = {}

    def load(self, url: str) -> bytes:
        root = etree.fromstring(super().load(url))  # type: ignore[no-untyped-call]
        for each in list(root.iter(f"{{{SCHEMA}}}import")):
            name, place = each.get("namespace"), each.get("schemaLocation")
            if name == SCHEMA:
                each.getparent().remove(each)
            elif place:
                self._places[name] = place
            else:
                each.set("schemaLocation", self._places[name])
        return bytes(etree.tostring(root))


def _served(stack: str) -> Iterator[str]:
    with Adapter(KNOWN.manifest, "the server") as adapter:
        yield adapter.serve(stack)
        adapter.stop_serving()


@pytest.fixture(scope="module")
def hosted() -> Iterator[zeep.Client]:
    for endpoint in _served("dotnet/wcf-basichttp"):
        yield zeep.Client(f"{endpoint}?wsdl", transport=_Located())  # type: ignore[no-untyped-call]


@pytest.fixture(scope="module")
def raw(hosted: zeep.Client) -> Iterator[Any]:
    """The raw channel has no WSDL of its own: its messages are those that the host describes."""
    for endpoint in _served("dotnet/wcf-basichttp-channel"):
        yield hosted.create_service(BINDING, endpoint)  # type: ignore[no-untyped-call]


def _is_the_service(service: Any, records: Any) -> None:
    assert service.Sum(20, 22) == 42
    assert service.Sum(2**31 - 1, 1) == -(2**31)
    assert service.EchoString("Grüße <&> \U0001f600") == "Grüße <&> \U0001f600"
    persons = [(each.ID, each.FirstName, each.LastName) for each in service.GetPersons(2)]
    assert persons == [(0, "Aaron", "Arnold"), (1, "Abigail", "Brown")]
    assert service.GetBinaryData(8, "article") == bytes([1, 0, 0, 0, 1, 0, 0, 0])
    assert service.FindItems(1).searchResult.item.Item[0].paymentMethod == "PayPal"
    service.SendObject(records.Person(ID=1, FirstName="Ada", LastName="Lovelace"))
    with pytest.raises(zeep.exceptions.Fault, match="n is -1: it must be from 0 to 1000000"):
        service.GetPersons(-1)


def test_zeep_on_a_service_host(hosted: zeep.Client) -> None:
    _is_the_service(hosted.service, hosted.type_factory(RECORDS))  # type: ignore[no-untyped-call]


def test_zeep_on_the_raw_channel(raw: Any, hosted: zeep.Client) -> None:
    _is_the_service(raw, hosted.type_factory(RECORDS))  # type: ignore[no-untyped-call]
    with pytest.raises(zeep.exceptions.Fault):
        raw.GetBinaryData(8, "sawdust")


@pytest.fixture(scope="module")
def rest() -> Iterator[str]:
    yield from _served("dotnet/wcf-webhttp")


def _asked(endpoint: str, method: str, path: str, body: str | None = None) -> tuple[int, Any]:
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(endpoint).netloc, timeout=60)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        assert answer.getheader("Content-Type", "").startswith("application/json")
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def test_a_plain_client_on_rest(rest: str) -> None:
    root = urllib.parse.urlsplit(rest).path
    assert _asked(rest, "POST", f"{root}Sum", '{"a": 20, "b": 22}') == (200, {"result": 42})
    echoed = _asked(rest, "POST", f"{root}EchoString", json.dumps({"value": "Grüße \U0001f600"}))
    assert echoed == (200, {"result": "Grüße \U0001f600"})
    status, found = _asked(rest, "POST", f"{root}GetPersons", '{"n": 2}')
    assert (status, found["result"][1]) == (200, {"ID": 1, "FirstName": "Abigail", "LastName": "Brown"})
    refused = _asked(rest, "POST", f"{root}GetPersons", '{"n": -1}')
    assert refused == (400, {"error": "n is -1: it must be from 0 to 1000000"})


def test_rest_answers_the_published_benchmarks_path(rest: str) -> None:
    asked = _asked(rest, "GET", "/SampleServices/Service/REST/HelloWorld/")
    assert asked == (200, {"HelloWorldResult": "Hello World"})
