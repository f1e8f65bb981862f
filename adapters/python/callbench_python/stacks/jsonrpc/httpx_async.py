"""`json+httpx-async`: one httpx.AsyncClient, as httpx tells its users to have, shared by tasks of one event loop."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import httpx

from callbench_python.loop import Call
from callbench_python.stacks.jsonrpc import json_rpc
from callbench_python.stacks.jsonrpc.httpx_threads import kind_of


class Tasks:
    """Connected clients: as many calls in flight, each over a connection of the pool."""

    awaits = True
    kind_of = staticmethod(kind_of)

    def __init__(self, client: httpx.AsyncClient, endpoint: str, clients: int) -> None:
        """Hold the client."""
        self._client, self._endpoint, self.connections = client, endpoint, clients

    def caller(self, _place: int, operation: str) -> Call:
        """The function by which a client calls an operation."""
        client, endpoint = self._client, self._endpoint
        request, answer = json_rpc.requests(operation), json_rpc.answers(operation)

        async def call(params: json_rpc.JSON) -> Any:  # noqa: ANN401 - any value of the service
            response = await client.post(endpoint, json=request(params))
            return answer(response.raise_for_status().json())

        return call

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


async def connect(endpoint: str, clients: int, timeout: float) -> Tasks:  # noqa: ASYNC109 - the library's own
    """Connect them with simultaneous requests. The server refuses a GET and counts no call."""
    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    client = httpx.AsyncClient(timeout=timeout, limits=limits)
    try:
        async with AsyncExitStack() as held:
            # None is given back before all are there.
            opening = [held.enter_async_context(client.stream("GET", endpoint)) for _ in range(clients)]
            for response in await asyncio.gather(*opening):
                await response.aread()
    except BaseException:
        await client.aclose()
        raise
    return Tasks(client, endpoint, clients)
