"""SOAP as zeep, suds and a bare envelope write and read it."""

import base64
from xml.etree import ElementTree as ET

import suds
import suds.client
import zeep
import zeep.exceptions
from party import Person, RefusedError, post


class Zeep:
    """zeep, from the WSDL."""

    def __init__(self, url: str) -> None:
        """Talk to the service at `url`."""
        self._service = zeep.Client(f"{url}?wsdl").service  # type: ignore[no-untyped-call]

    def sum(self, a: int, b: int) -> int:
        return int(self._service.Sum(a=a, b=b))

    def persons(self, n: int) -> list[Person]:
        try:
            found = self._service.GetPersons(n=n)
        except zeep.exceptions.Fault as fault:
            raise RefusedError(fault.message) from fault
        return [(it["ID"], it["FirstName"], it["LastName"]) for it in found]

    def binary(self, size: int, fill: str) -> bytes:
        # An element without text is None to zeep.
        return bytes(self._service.GetBinaryData(size=size, fill=fill) or b"")


class Suds:
    """suds-community, from the WSDL."""

    def __init__(self, url: str) -> None:
        """Talk to the service at `url`."""
        self._service = suds.client.Client(f"{url}?wsdl", cache=None).service

    def sum(self, a: int, b: int) -> int:
        return int(self._service.Sum(a, b))

    def persons(self, n: int) -> list[Person]:
        try:
            found = self._service.GetPersons(n)
        except suds.WebFault as fault:
            raise RefusedError(str(fault.fault.faultstring)) from fault
        return [(it.ID, str(it.FirstName), str(it.LastName)) for it in found]

    def binary(self, size: int, fill: str) -> bytes:
        # suds does not decode base64; an element without text is None to it.
        return base64.b64decode(self._service.GetBinaryData(size, fill) or "")


class Envelope:
    """An envelope written by hand: other prefixes, members in another order, a comment in between."""

    TEMPLATE = """<?xml version="1.0" encoding="utf-8"?>
<!-- by hand -->
<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Header/><e:Body>
  <x:{operation} xmlns:x="urn:SpeedLibrary-SpeedService">{parameters}</x:{operation}>
</e:Body></e:Envelope>"""

    def __init__(self, url: str) -> None:
        """Talk to the service at `url`."""
        self._url = url

    def _call(self, operation: str, parameters: str) -> ET.Element:
        body = self.TEMPLATE.format(operation=operation, parameters=parameters).encode()
        document = ET.fromstring(post(self._url, "text/xml; charset=utf-8", body))  # noqa: S314 - our own server's
        fault = document.find(".//faultstring")
        if fault is not None:
            raise RefusedError(fault.text)
        result = document.find(".//Result")
        assert result is not None
        return result

    def sum(self, a: int, b: int) -> int:
        return int(self._call("Sum", f"<b>{b}</b><!-- a comes last --><a> {a} </a>").text or "")

    def persons(self, n: int) -> list[Person]:
        found = self._call("GetPersons", f"<n>{n}</n>")
        read = [(it.findtext("ID"), it.findtext("FirstName"), it.findtext("LastName")) for it in found]
        return [(int(number or ""), first or "", last or "") for number, first, last in read]

    def binary(self, size: int, fill: str) -> bytes:
        result = self._call("GetBinaryData", f"<fill><![CDATA[{fill}]]></fill><size>{size}</size>")
        return base64.b64decode(result.text or "")
