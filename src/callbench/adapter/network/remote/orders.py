"""Orders under way to an agent. Each has an end, and all end at once if their host is lost."""

import asyncio
from typing import TYPE_CHECKING

from callbench.adapter.network.remote.agent import ORDER

if TYPE_CHECKING:
    from concurrent.futures import Future

    from distributed import Client


def ordered(client: "Client", where: tuple[str, int], text: str) -> "Future[str]":
    """Send an order to the agent at an address and a port. Its answer is a text, or an OSError.

    Raises:
        RuntimeError: this process has closed its connections.
    """
    loop = client.loop.asyncio_loop
    if loop.is_closed():
        raise RuntimeError("closed")
    return asyncio.run_coroutine_threadsafe(_answered(client, where, text), loop)


async def _answered(client: "Client", where: tuple[str, int], text: str) -> str:
    pool, address = client.rpc, "tls://{}:{}".format(*where)
    if all(connection.closed() for connection in pool.available[address]):
        # Dask would try for many seconds to reach an agent that has ended. This is refused at once.
        _, writer = await asyncio.open_connection(*where)
        writer.close()
    answer: str = await getattr(pool(address), ORDER)(text=text)
    return answer


class Orders:
    """The orders to one host that have no answer yet."""

    def __init__(self) -> None:
        """Begin without one."""
        self._under_way: set[Future[str]] = set()
        self._ended = False

    def await_answer(self, order: "Future[str]", seconds: float) -> str:
        """Return the answer of an order.

        Raises:
            TimeoutError: there is none within the seconds.
            CancelledError: the host is lost.
            OSError: the connection has ended.
        """
        self._under_way.add(order)
        if self._ended:
            order.cancel()
        try:
            return order.result(seconds)
        finally:
            order.cancel()
            self._under_way.discard(order)

    def end(self) -> None:
        """End all, and all that come: the host is lost."""
        self._ended = True
        for order in tuple(self._under_way):
            order.cancel()
