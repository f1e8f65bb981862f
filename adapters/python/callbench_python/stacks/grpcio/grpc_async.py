"""`protobuf+grpc-async`: grpc.aio, a channel for each client, used by tasks of one event loop."""

import asyncio
from typing import Any

import grpc

from callbench_python.loop import Call
from callbench_python.stacks.failures import Refusal
from callbench_python.stacks.grpcio.grpc_threads import OPTIONS, VALUES, kind_of, method_of

__all__ = ["VALUES", "connect", "kind_of"]


class Tasks:
    """Connected clients."""

    awaits = True
    kind_of = staticmethod(kind_of)

    def __init__(self, channels: list[grpc.aio.Channel], timeout: float) -> None:
        """Hold the channels."""
        self._channels, self._timeout, self.connections = channels, timeout, len(channels)

    def caller(self, place: int, operation: str) -> Call:
        """The function by which a client calls an operation."""
        method, timeout = method_of(self._channels[place], operation), self._timeout

        async def call(arguments: Any) -> Any:  # noqa: ANN401 - messages of the service
            return await method(arguments["request"], timeout=timeout)

        return call

    async def close(self) -> None:
        """Close the connections."""
        for channel in self._channels:
            await channel.close()


async def connect(endpoint: str, clients: int, timeout: float) -> Tasks:  # noqa: ASYNC109 - as of the other clients
    """Connect them.

    Raises:
        Refusal: nobody is there.
    """
    channels = [grpc.aio.insecure_channel(endpoint, options=OPTIONS) for _ in range(clients)]
    try:
        await asyncio.wait_for(asyncio.gather(*(_ready(channel, endpoint) for channel in channels)), timeout)
    except BaseException:
        for channel in channels:
            await channel.close()
        raise
    return Tasks(channels, timeout)


async def _ready(channel: grpc.aio.Channel, endpoint: str) -> None:
    while (state := channel.get_state(try_to_connect=True)) is not grpc.ChannelConnectivity.READY:
        if state is grpc.ChannelConnectivity.TRANSIENT_FAILURE:
            raise Refusal("refused", f"no connection to {endpoint}")
        await channel.wait_for_state_change(state)
