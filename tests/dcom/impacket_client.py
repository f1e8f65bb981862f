"""impacket's own DCOM client, unmodified, against a server: an object, its interface, calls, references given back.

Run as a program with an endpoint such as 127.0.0.1[40001]; prints one JSON object of what it saw. A process for each
conversation, since impacket keys its connections by the thread's name.
"""

import json
import sys
from typing import Any

import speed_calls as calls
from impacket.dcerpc.v5 import dcomrt, transport
from impacket.dcerpc.v5.rpcrt import RPC_C_AUTHN_LEVEL_NONE, DCERPCException

LONG_TEXT = "0123456789äöü" * 4000


def main(endpoint: str) -> None:
    """Makes the calls and prints what they gave."""
    resolver = transport.DCERPCTransportFactory(f"ncacn_ip_tcp:{endpoint}").get_dce_rpc()
    resolver.connect()
    target = resolver.get_rpc_transport().getRemoteName()
    dcomrt.DCOMConnection.PORTMAPS[target] = resolver
    unknown = dcomrt.IActivation(resolver).RemoteActivation(calls.CLASS, calls.IUNKNOWN)
    unknown.get_cinstance().set_auth_level(RPC_C_AUTHN_LEVEL_NONE)
    speed = unknown.RemQueryInterface(1, (calls.INTERFACE,))
    saw: dict[str, Any] = {"sum": ask(speed, calls.Sum(), a=2**31 - 1, b=1)["result"]}
    persons = ask(speed, calls.GetPersons(), n=3)["result"]
    saw["persons"] = [[one["ID"], one["FirstName"]["asData"], one["LastName"]["asData"]] for one in persons["items"]]
    saw["echo"] = echo(speed, "Grüße\0!")
    saw["long echo"] = echo(speed, LONG_TEXT) == LONG_TEXT
    saw["refused"] = failure(lambda: ask(speed, calls.GetPersons(), n=-1))
    saw["no such call"] = failure(lambda: ask(speed, calls.NoSuchCall()))
    saw["no such interface"] = failure(lambda: unknown.RemQueryInterface(1, (calls.CLASS,)))
    saw["more references"] = speed.RemAddRef()["ErrorCode"]
    exporter = dcomrt.IObjectExporter(resolver)
    saw["alive"] = exporter.ServerAlive()["ErrorCode"]
    bindings = exporter.ResolveOxid2(speed.get_oxid(), (7,))
    saw["bindings"] = [binding["aNetworkAddr"].rstrip("\0") for binding in bindings]
    saw["own bindings"] = [binding["aNetworkAddr"].rstrip("\0") for binding in exporter.ServerAlive2()]
    ping_set = exporter.ComplexPing(0, 1, {unknown.get_oid()}, set())["pSetId"]
    saw["ping"] = exporter.SimplePing(ping_set)["ErrorCode"]
    saw["ping of nothing"] = failure(lambda: exporter.SimplePing(1))
    saw["unknown oxid"] = failure(lambda: exporter.ResolveOxid2(1, (7,)))
    saw["released"] = [speed.RemRelease()["ErrorCode"], speed.RemRelease()["ErrorCode"]]
    saw["after release"] = failure(lambda: ask(speed, calls.Sum(), a=1, b=2))
    saw["again"] = failure(speed.RemRelease)
    print(json.dumps(saw))  # noqa: T201 - it is how the test hears of it


def ask(speed: Any, call: Any, **parameters: Any) -> Any:
    """One call of the service's interface, with ORPCTHIS, by its IPID."""
    for name, value in parameters.items():
        call[name] = value
    return speed.request(call, calls.SYNTAX, speed.get_iPid())


def echo(speed: Any, text: str) -> Any:
    call = calls.EchoString()
    call["value"]["asData"] = text
    return ask(speed, call)["result"]["asData"]


def failure(attempt: Any) -> str:
    """What impacket says of a call that must fail: the status in hexadecimal."""
    try:
        attempt()
    except DCERPCException as why:
        return f"{why.get_error_code():#010x}" if why.get_error_code() is not None else str(why)
    return "none"


if __name__ == "__main__":
    main(sys.argv[1])
