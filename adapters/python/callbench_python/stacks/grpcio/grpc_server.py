"""The server of `protobuf+grpc`: grpc.aio, one process and one event loop, with the handlers that stubs add."""

import asyncio
import threading
from collections.abc import Mapping
from functools import partial
from typing import Any

import grpc

from callbench_python import own
from callbench_python.driving import processor
from callbench_python.own.messages import class_of, from_json, to_json, types_of
from callbench_python.service import Fault, Service
from callbench_python.stacks.failures import Refusal

UNLIMITED = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
_END_SECONDS = 4.0


class Server:
    """A server on an event loop of its own thread, because other threads read from the host.

    Attributes:
        endpoint: host and port.
    """

    def __init__(self, host: str, port: int, service: Service) -> None:
        """Start it.

        Raises:
            Refusal: it cannot listen there.
        """
        self._service, self._loop = service, asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        at = f"[{host}]" if ":" in host else host
        self._server, bound = asyncio.run_coroutine_threadsafe(_started(f"{at}:{port}", service), self._loop).result()
        self.endpoint = f"{at}:{bound}"

    def counted(self) -> dict[str, Any]:
        """The answered calls since the last request, and the processor time of the process."""
        return {"calls": self._service.take_counts(), "processor": processor()}

    def close(self) -> None:
        """End it, with its connections."""
        asyncio.run_coroutine_threadsafe(self._server.stop(0), self._loop).result(_END_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_END_SECONDS)


async def _started(address: str, service: Service) -> tuple[Any, int]:
    server = grpc.aio.server(options=UNLIMITED)
    # As a generated function adds them. In its file a call has a name, which may be a keyword.
    handlers = {call: _handler(service, call) for call in own.CALLS}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(own.SCHEMA["service"], handlers),))
    try:
        bound = server.add_insecure_port(address)
    except RuntimeError as failure:
        raise Refusal("refused", f"the server cannot listen: {failure}") from failure
    await server.start()
    return server, bound


def _handler(service: Service, call: str) -> Any:  # noqa: ANN401 - grpc has no types
    asked, answered = types_of(call)

    async def method(request: Any, context: Any) -> Any:  # noqa: ANN401 - messages of the service
        # A message cannot be looked up, but its bytes can.
        key = request.SerializeToString(deterministic=True)
        try:
            return await service.own_answer(
                call, key, lambda: {"request": to_json(asked, request)}, partial(from_json, answered)
            )
        except Fault as fault:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(fault))

    return grpc.unary_unary_rpc_method_handler(method, class_of(asked).FromString, class_of(answered).SerializeToString)


def serve(request: Mapping[str, Any], service: Service) -> Server:
    """Serve."""
    return Server(request["host"], request["port"], service)
