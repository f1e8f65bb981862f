"""A DCOM server of impacket's structures, a thread a connection; it has Sum, GetPersons and EchoString.

Run as a program; prints its endpoint, and serves until its standard input ends. impacket's own DCERPCServer knows no
alter_context no objects and no more than one client, so that PDUs are taken apart and put together here.
"""

import contextlib
import socket
import socketserver
import sys
import threading
from collections.abc import Callable
from typing import Any, ClassVar

import speed_calls as calls
from impacket.dcerpc.v5 import dcomrt, rpcrt
from impacket.dcerpc.v5.dtypes import ULONG
from impacket.dcerpc.v5.ndr import NDRPOINTER, NULL, NDRUniConformantArray
from impacket.uuid import generate

FRAGMENT = 4280
NDR = bytes.fromhex("045d888aeb1cc9119fe808002b10486002000000")
ACTIVATION = dcomrt.IID_IActivation[:16]
FIRST = ("Aaron", "Abigail", "Adam")
LAST = ("Arnold", "Brown", "Crawford")


class Results(NDRUniConformantArray):  # type: ignore[misc]
    item = dcomrt.REMQIRESULT


class ResultsPointer(NDRPOINTER):  # type: ignore[misc]
    referent = (("Data", Results),)


class QueryAnswer(dcomrt.DCOMANSWER):  # type: ignore[misc]
    """As MS-DCOM 3.1.1.5.6.1.1 has it: impacket's own takes the array's count for a gap, which only a reader can do."""

    structure = (("ppQIResults", ResultsPointer), ("ErrorCode", ULONG))


class Objects:
    """The one object, its interfaces, and where they are."""

    endpoint = ""
    oxid, oid = 0x0123456789ABCDEF, 77
    unknown, speed, rem_unknown = generate(), generate(), generate()
    released: ClassVar[list[int]] = []

    @classmethod
    def standard(cls, ipid: bytes) -> Any:
        std = dcomrt.STDOBJREF()
        std["flags"], std["cPublicRefs"] = dcomrt.SORF_NOPING, 5
        std["oxid"], std["oid"], std["ipid"] = cls.oxid, cls.oid, ipid
        return std

    @classmethod
    def bindings(cls) -> list[int]:
        """A string binding, the end of string bindings, the end of security bindings."""
        return [7, *(ord(letter) for letter in cls.endpoint), 0, 0, 0]


def activate(_: Any) -> Any:
    answer = dcomrt.RemoteActivationResponse()
    answer["ORPCthat"]["flags"], answer["ORPCthat"]["extensions"] = 0, NULL
    answer["pOxid"] = Objects.oxid
    units = Objects.bindings()
    bindings = answer["ppdsaOxidBindings"]
    bindings["wNumEntries"], bindings["wSecurityOffset"], bindings["aStringArray"] = len(units), len(units) - 1, units
    answer["pipidRemUnknown"] = Objects.rem_unknown
    answer["pAuthnHint"] = rpcrt.RPC_C_AUTHN_LEVEL_NONE
    reference = dcomrt.OBJREF_STANDARD()
    reference["iid"] = calls.IUNKNOWN
    reference["std"] = Objects.standard(Objects.unknown)
    packed = b"".join(unit.to_bytes(2, "little") for unit in (len(units), len(units) - 1, *units))
    reference["saResAddr"] = packed
    octets = reference.getData()
    pointer = dcomrt.PMInterfacePointer()
    pointer["ulCntData"] = len(octets)
    pointer["abData"] = [bytes([octet]) for octet in octets]
    answer["phr"] = 0
    answer["ppInterfaceData"].append(pointer)
    result = dcomrt.HRESULT()
    result["Data"] = 0
    answer["pResults"].append(result)
    answer["ErrorCode"] = 0
    return answer


def answer_of(call: type) -> Any:
    answer = getattr(sys.modules[call.__module__], f"{call.__name__}Response")()
    answer["ORPCthat"]["flags"], answer["ORPCthat"]["extensions"], answer["ErrorCode"] = 0, NULL, 0
    return answer


def query(request: Any) -> Any:
    answer = QueryAnswer()
    answer["ORPCthat"]["flags"], answer["ORPCthat"]["extensions"] = 0, NULL
    result = dcomrt.REMQIRESULT()
    known = request["iids"][0]["Data"] == calls.INTERFACE
    result["hResult"] = answer["ErrorCode"] = 0 if known else 0x80004002
    result["std"] = Objects.standard(Objects.speed)
    answer["ppQIResults"].append(result)
    return answer


def release(request: Any) -> Any:
    Objects.released.append(len(request["InterfaceRefs"]))
    return answer_of(dcomrt.RemRelease)


def add(request: Any) -> Any:
    answer = answer_of(calls.Sum)
    answer["result"] = (request["a"] + request["b"] + 2**31) % 2**32 - 2**31
    return answer


def persons(request: Any) -> Any:
    answer = answer_of(calls.GetPersons)
    answer["result"]["count"] = request["n"]
    for at in range(request["n"]):
        person = calls.Person()
        person["ID"], person["FirstName"]["asData"], person["LastName"]["asData"] = at, FIRST[at], LAST[at]
        answer["result"]["items"].append(person)
    return answer


def echo(request: Any) -> Any:
    answer = answer_of(calls.EchoString)
    answer["result"]["asData"] = request["value"]["asData"]
    return answer


# By the interface, then by the opnum: the call's structure, and what answers it.
ANSWERED: dict[bytes, dict[int, tuple[type, Callable[[Any], Any]]]] = {
    ACTIVATION: {0: (dcomrt.RemoteActivation, activate)},
    dcomrt.IID_IRemUnknown[:16]: {3: (dcomrt.RemQueryInterface, query), 5: (dcomrt.RemRelease, release)},
    calls.INTERFACE: {4: (calls.Sum, add), 5: (calls.GetPersons, persons), 8: (calls.EchoString, echo)},
}


class Connection(socketserver.BaseRequestHandler):
    """One connection, to its end."""

    def setup(self) -> None:
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.contexts: dict[int, bytes] = {}
        self.most = FRAGMENT

    def handle(self) -> None:
        stub = b""
        with contextlib.suppress(ConnectionError):
            while octets := self.pdu():
                if octets[2] in (rpcrt.MSRPC_BIND, rpcrt.MSRPC_ALTERCTX):
                    self.negotiate(octets)
                    continue
                request = rpcrt.MSRPCRequestHeader(octets)
                stub += request["pduData"]
                if request["flags"] & rpcrt.PFC_LAST_FRAG:
                    self.answer(request, stub)
                    stub = b""

    def pdu(self) -> bytes:
        """The next PDU; nothing at the end."""
        head = self.octets(16)
        return head and head + self.octets(int.from_bytes(head[8:10], "little") - 16)

    def octets(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            more = self.request.recv(count - len(found))
            if not more:
                return b""
            found += more
        return found

    def negotiate(self, octets: bytes) -> None:
        header = rpcrt.MSRPCHeader(octets)
        bind = rpcrt.MSRPCBind(header["pduData"])
        self.most = min(FRAGMENT, bind["max_rfrag"])
        answer = rpcrt.MSRPCBindAck()
        alter = header["type"] == rpcrt.MSRPC_ALTERCTX
        answer["type"] = rpcrt.MSRPC_ALTERCTX_R if alter else rpcrt.MSRPC_BINDACK
        answer["call_id"], answer["max_tfrag"], answer["max_rfrag"] = header["call_id"], FRAGMENT, FRAGMENT
        answer["assoc_group"] = 0x1234
        answer["SecondaryAddr"] = "135"
        answer["SecondaryAddrLen"] = 4
        answer["ctx_num"] = bind["ctx_num"]
        results = b""
        for context in bind.getCtxItems() or [rpcrt.CtxItem(bind["ctx_items"])]:
            known = context["AbstractSyntax"][:16] in ANSWERED
            result = rpcrt.CtxItemResult()
            result["Result"], result["Reason"] = (0, 0) if known else (2, 1)
            result["TransferSyntax"] = NDR
            results += result.getData()
            self.contexts[context["ContextID"]] = context["AbstractSyntax"][:16]
        answer["ctx_items"] = results
        answer["Pad"] = b"A" * ((4 - ((answer["SecondaryAddrLen"] + answer._SIZE) % 4)) % 4)
        # impacket's formula for the length leaves the contexts out.
        answer["frag_len"] = len(answer.getData())
        self.request.sendall(answer.getData())

    def answer(self, request: Any, stub: bytes) -> None:
        call, work = ANSWERED[self.contexts[request["ctx_id"]]][request["op_num"]]
        answer = work(call(stub))
        results = answer.getData()
        room = self.most - 24
        for start in range(0, len(results), room):
            part = rpcrt.MSRPCRespHeader()
            part["ctx_id"], part["call_id"], part["pduData"] = (
                request["ctx_id"],
                request["call_id"],
                results[start : start + room],
            )
            part["alloc_hint"] = len(results) - start
            first = rpcrt.PFC_FIRST_FRAG if start == 0 else 0
            part["flags"] = first | (rpcrt.PFC_LAST_FRAG if start + room >= len(results) else 0)
            self.request.sendall(part.get_packet())


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


def main() -> None:
    """Serves until standard input ends."""
    with Server(("127.0.0.1", 0), Connection) as server:
        Objects.endpoint = f"127.0.0.1[{server.server_address[1]}]"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(Objects.endpoint, flush=True)  # noqa: T201 - it is how the client hears of it
        sys.stdin.read()
        print(sum(Objects.released), flush=True)  # noqa: T201 - interfaces given back, for the test to know
        server.shutdown()


if __name__ == "__main__":
    main()
