"""`json+httpx`: httpx.Client, which blocks; each client has its own, and a thread of its own."""

from typing import Any

import httpx

from callbench_python.loop import Call
from callbench_python.stacks.failures import kind_by
from callbench_python.stacks.jsonrpc import json_rpc

kind_of = kind_by(
    (httpx.TimeoutException, "timeout"),
    (httpx.ConnectError, "refused"),
    (httpx.NetworkError, "closed"),
    (httpx.RemoteProtocolError, "closed"),
    (httpx.HTTPError, "protocol"),
)


class Threads:
    """Connected clients."""

    awaits = False
    kind_of = staticmethod(kind_of)

    def __init__(self, endpoint: str, clients: int, timeout: float) -> None:
        """Connect them, which takes a request; the server refuses a GET, and counts no call."""
        self._endpoint = endpoint
        context = httpx.create_ssl_context()  # one for all, since each takes a while, and none is used
        self._clients = [httpx.Client(timeout=timeout, verify=context) for _ in range(clients)]
        for client in self._clients:
            client.get(endpoint)
        self.connections = clients

    def caller(self, place: int, operation: str) -> Call:
        """The function by which a client calls an operation."""
        client, endpoint = self._clients[place], self._endpoint
        request, answer = json_rpc.requests(operation), json_rpc.answers(operation)

        def call(params: json_rpc.JSON) -> Any:  # noqa: ANN401 - any value of the service
            response = client.post(endpoint, json=request(params))
            return answer(response.raise_for_status().json())

        return call

    def close(self) -> None:
        """Close the connections."""
        for client in self._clients:
            client.close()


connect = Threads
