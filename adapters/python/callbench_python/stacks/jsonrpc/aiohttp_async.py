"""`json+aiohttp`: one aiohttp.ClientSession, as aiohttp tells its users to have, shared by tasks of one event loop."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import aiohttp

from callbench_python.loop import Call
from callbench_python.stacks.failures import kind_by
from callbench_python.stacks.jsonrpc import json_rpc

kind_of = kind_by(
    (TimeoutError, "timeout"),
    (aiohttp.ClientConnectorError, "refused"),
    (aiohttp.ClientConnectionError, "closed"),
    (aiohttp.ClientPayloadError, "closed"),
    (aiohttp.ClientError, "protocol"),
)


class Tasks:
    """Connected clients: as many calls in flight, each over a connection of the pool."""

    awaits = True
    kind_of = staticmethod(kind_of)

    def __init__(self, session: aiohttp.ClientSession, endpoint: str, clients: int) -> None:
        """Hold the session."""
        self._session, self._endpoint, self.connections = session, endpoint, clients

    def caller(self, _place: int, operation: str) -> Call:
        """The function by which a client calls an operation."""
        session, endpoint = self._session, self._endpoint
        request, answer = json_rpc.requests(operation), json_rpc.answers(operation)

        async def call(params: json_rpc.JSON) -> Any:  # noqa: ANN401 - any value of the service
            async with session.post(endpoint, json=request(params)) as response:
                response.raise_for_status()
                return answer(await response.json())

        return call

    async def close(self) -> None:
        """Close the connections."""
        await self._session.close()


async def connect(endpoint: str, clients: int, timeout: float) -> Tasks:  # noqa: ASYNC109 - the library's own
    """Connect them with simultaneous requests. The server refuses a GET and counts no call."""
    connector = aiohttp.TCPConnector(limit=clients)
    session = aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=timeout))
    try:
        async with AsyncExitStack() as held:
            # None is given back before all are there.
            opening = [held.enter_async_context(session.get(endpoint)) for _ in range(clients)]
            for response in await asyncio.gather(*opening):
                await response.read()
    except BaseException:
        await session.close()
        raise
    return Tasks(session, endpoint, clients)
