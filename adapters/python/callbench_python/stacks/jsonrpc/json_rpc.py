"""JSON-RPC 2.0 as the native stacks speak it: what every client and server of JSON over HTTP here shares."""

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any

from callbench_python import own
from callbench_python.service import Fault, Service

JSON = dict[str, Any]
_SENDS = ("Boolean", "Byte", "Char", "Short", "Int", "Long", "Float", "Double", "String", "Object")
_VALUE = {f"Send{kind}{array}": ("value",) for kind in _SENDS for array in ("", "Array")}
# The operations of the wire, with their parameters.
OPERATIONS: Mapping[str, tuple[str, ...]] = _VALUE | {
    "Empty": (),
    "Hello": (),
    "Sum": ("a", "b"),
    "GetPersons": ("n",),
    "FindItems": ("n",),
    "GetBinaryData": ("size", "fill"),
    "EchoString": ("value",),
    "EchoStructure": ("structure",),
}


def requests(operation: str) -> Callable[[JSON], JSON]:
    """How the request for an operation is made of its parameters."""
    if operation == "SendByteArray":
        return lambda params: _request(operation, {"value": base64.b64encode(params["value"]).decode()})
    if operation in own.CALLS:
        encode = own.CALLS[operation].request.encode
        return lambda params: _request(operation, {"request": encode(params["request"])})
    return lambda params: _request(operation, params)


def _request(operation: str, params: JSON) -> JSON:
    return {"jsonrpc": "2.0", "method": operation, "params": params, "id": 1}


def answers(operation: str) -> Callable[[JSON], Any]:
    """How the answer of an operation is had from the object that came."""
    if operation == "GetBinaryData":
        return lambda answer: base64.b64decode(_result(answer))
    if operation in own.CALLS:
        decode = own.CALLS[operation].answer.decode
        return lambda answer: decode(_result(answer))
    return _result


def _result(answer: JSON) -> Any:  # noqa: ANN401 - any value of the service
    if answer.get("error") is not None:
        raise Fault(answer["error"]["message"])
    return answer["result"]


async def answered(body: bytes, service: Service) -> bytes:
    """Answer a request, right or wrong."""
    number = None
    try:
        request = json.loads(body)
        number = request.get("id") if isinstance(request, dict) else None
        operation, params = _call(request)
        result = await service.answer(operation, params)
        if operation == "GetBinaryData":
            result = base64.b64encode(result).decode()
        elif operation in own.CALLS:
            result = own.CALLS[operation].answer.encode(result)
        return _dumped({"jsonrpc": "2.0", "result": result, "id": number})
    except _Wrong as no:
        code, message = no.args
    except Fault as no:
        code, message = -32000, str(no)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as failure:
        code, message = -32700, str(failure)
    except (AttributeError, TypeError, ValueError) as failure:
        code, message = -32602, str(failure)
    return _dumped({"jsonrpc": "2.0", "error": {"code": code, "message": message}, "id": number})


class _Wrong(Exception):  # noqa: N818 - of a request
    """A request that is none: the code and a sentence."""


def _call(request: Any) -> tuple[str, JSON]:  # noqa: ANN401 - whatever came
    """The operation that is called, and its parameters in Python's own types."""
    if not isinstance(request, dict) or request.get("jsonrpc") != "2.0" or not isinstance(request.get("method"), str):
        raise _Wrong(-32600, 'a request is one object, whose jsonrpc is "2.0" and whose method is a string')
    operation, params = request["method"], request.get("params", {})
    names = ("request",) if operation in own.CALLS else OPERATIONS.get(operation)
    if names is None:
        raise _Wrong(-32601, f"there is no operation {operation}")
    if isinstance(params, list):
        params = dict(zip(names, params, strict=False))
    if not isinstance(params, dict) or params.keys() != set(names):
        raise _Wrong(-32602, f"the parameters of {operation} are: {', '.join(names) or 'none'}")
    if operation == "SendByteArray":
        params = {"value": base64.b64decode(params["value"], validate=True)}
    elif operation in own.CALLS:
        params = {"request": own.CALLS[operation].request.decode(params["request"])}
    return operation, params


def _dumped(answer: JSON) -> bytes:
    # As httpx, aiohttp's users and the frameworks on top of ASGI write it: UTF-8, compact, nothing that JSON has not.
    return json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
