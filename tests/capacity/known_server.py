"""A server whose capacity follows from its arguments: `known_server.py PORT KIND PLACES MILLISECONDS`.

`pool` has PLACES workers, each of which takes MILLISECONDS for a call; `lock` is a pool of one. Both keep times by
a schedule: a call begins when its place is free by that schedule, so that a timer that fires late takes nothing of the
next call's time. They answer PLACES / MILLISECONDS calls a millisecond, whatever else the machine does. `burn` takes
MILLISECONDS of the processor for each call, and `refuse` serves PLACES connections and closes every further one.
`large` answers with PLACES bytes, for links that are slow; the host to listen at follows the other arguments.
"""

import asyncio
import heapq
import sys
import time
from collections.abc import Awaitable, Callable

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
ANSWER = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"ok":true}'
Work = Callable[[], Awaitable[None]]


def pool(places: int, seconds: float) -> Work:
    """Work that waits for one of a number of places."""
    free = [0.0] * places

    async def work() -> None:
        end = max(time.monotonic(), heapq.heappop(free)) + seconds
        heapq.heappush(free, end)
        await asyncio.sleep(max(0.0, end - time.monotonic()))

    return work


def burning(seconds: float) -> Work:
    """Work that takes the processor for itself."""

    async def work() -> None:
        until = time.process_time() + seconds
        while time.process_time() < until:
            pass

    return work


async def main(port: int, kind: str, places: int, seconds: float, host: str) -> None:
    """Serves until it is ended."""
    answer = HEAD % places + b"x" * places if kind == "large" else ANSWER
    work = burning(seconds) if kind == "burn" else pool(1 if kind == "lock" else places, seconds)
    served = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal served
        served += 1
        try:
            while kind != "refuse" or served <= places:
                head = await reader.readuntil(b"\r\n\r\n")
                lengths = [line[15:] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
                await reader.readexactly(int(lengths[0]) if lengths else 0)
                await work()
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            served -= 1
            writer.close()

    async with await asyncio.start_server(serve, host, port, backlog=4096) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(
        main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4]) / 1e3, (*sys.argv, "127.0.0.1")[5])
    )
