"""Carries connections from one network namespace to another, one way, as a NAT does.

`nat_relay.py FILE listen ADDRESS PORT` in the one, `nat_relay.py FILE connect ADDRESS PORT` in the other, which is
started first. A Unix socket lies between them: it is a file, which both see.
"""

import asyncio
import sys
from contextlib import suppress


async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on what comes, until it ends."""
    with suppress(OSError):
        while piece := await reader.read(1 << 16):
            writer.write(piece)
            await writer.drain()
    writer.close()


async def main(file: str, role: str, address: str, port: str) -> None:
    """Serve until this process is killed."""

    async def joined(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        beyond, onward = await (
            asyncio.open_unix_connection(file) if role == "listen" else asyncio.open_connection(address, int(port))
        )
        await asyncio.gather(carry(reader, onward), carry(beyond, writer))

    if role == "listen":
        server = await asyncio.start_server(joined, address, int(port))
    else:
        server = await asyncio.start_unix_server(joined, file)
    print("ready", flush=True)  # noqa: T201 - to who started it
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
