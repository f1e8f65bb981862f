"""XML-RPC as Python's own library writes and reads it."""

import xmlrpc.client
from typing import Any

from party import Person, RefusedError


class XmlRpc:
    """xmlrpc.client; `prefix` is what it writes before a method's name."""

    def __init__(self, url: str, prefix: str = "SpeedService.") -> None:
        """Talk to the service at `url`."""
        self._proxy = xmlrpc.client.ServerProxy(url, allow_none=True)
        self._prefix = prefix

    def _call(self, method: str, *parameters: object) -> Any:
        try:
            return getattr(self._proxy, f"{self._prefix}{method}")(*parameters)
        except xmlrpc.client.Fault as fault:
            raise RefusedError(fault.faultString) from fault

    def sum(self, a: int, b: int) -> int:
        return int(self._call("Sum", a, b))

    def persons(self, n: int) -> list[Person]:
        return [(it["ID"], it["FirstName"], it["LastName"]) for it in self._call("GetPersons", n)]

    def binary(self, size: int, fill: str) -> bytes:
        return bytes(self._call("GetBinaryData", size, fill).data)
