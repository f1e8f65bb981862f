"""Some calls of ISpeedService as impacket's structures, written after adapters/dcom/service.idl."""

from impacket.dcerpc.v5 import dcomrt
from impacket.dcerpc.v5.dcom.oaut import BSTR
from impacket.dcerpc.v5.dtypes import LONG, ULONG
from impacket.dcerpc.v5.ndr import NDRPOINTER, NDRSTRUCT, NDRUniConformantArray
from impacket.dcerpc.v5.rpcrt import DCERPCException
from impacket.uuid import string_to_bin, uuidtup_to_bin

CLASS = string_to_bin("225fc1cd-16d0-417e-a89f-a557c069c0c5")
INTERFACE = string_to_bin("4e0a7a69-6292-4c79-a0a0-aa6ee77b01e1")
SYNTAX = uuidtup_to_bin(("4e0a7a69-6292-4c79-a0a0-aa6ee77b01e1", "0.0"))
IUNKNOWN = string_to_bin("00000000-0000-0000-c000-000000000046")


class DCERPCSessionError(DCERPCException):  # type: ignore[misc]
    """impacket's exception for an HRESULT; it looks for this name beside the calls."""


class Person(NDRSTRUCT):  # type: ignore[misc]
    structure = (("ID", LONG), ("FirstName", BSTR), ("LastName", BSTR))


class PersonArray(NDRUniConformantArray):  # type: ignore[misc]
    item = Person


class PersonItems(NDRPOINTER):  # type: ignore[misc]
    referent = (("Data", PersonArray),)


class Persons(NDRSTRUCT):  # type: ignore[misc]
    structure = (("count", ULONG), ("items", PersonItems))


class Sum(dcomrt.DCOMCALL):  # type: ignore[misc]
    opnum = 4
    structure = (("a", LONG), ("b", LONG))


class SumResponse(dcomrt.DCOMANSWER):  # type: ignore[misc]
    structure = (("result", LONG), ("ErrorCode", ULONG))


class GetPersons(dcomrt.DCOMCALL):  # type: ignore[misc]
    opnum = 5
    structure = (("n", LONG),)


class GetPersonsResponse(dcomrt.DCOMANSWER):  # type: ignore[misc]
    structure = (("result", Persons), ("ErrorCode", ULONG))


class EchoString(dcomrt.DCOMCALL):  # type: ignore[misc]
    opnum = 8
    structure = (("value", BSTR),)


class EchoStringResponse(dcomrt.DCOMANSWER):  # type: ignore[misc]
    structure = (("result", BSTR), ("ErrorCode", ULONG))


class NoSuchCall(dcomrt.DCOMCALL):  # type: ignore[misc]
    opnum = 31
    structure = ()


class NoSuchCallResponse(dcomrt.DCOMANSWER):  # type: ignore[misc]
    structure = (("ErrorCode", ULONG),)
