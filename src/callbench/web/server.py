"""The server of the page: at this machine only, until Ctrl-C."""

import asyncio
import errno
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn

from callbench.adapter import temporary
from callbench.model import machine_limits
from callbench.model.errors import MachineFailure
from callbench.store.shelf import Shelf
from callbench.web.application import Pages
from callbench.web.guard import Guard
from callbench.web.jobs import Jobs

_HOST = "127.0.0.1"
# What is still open when the server ends gets this long.
_GRACE_S = 2


def serve(folder: Path, port: int, opened: Callable[[str], None], say: Callable[[str], None]) -> None:
    """Serve the page of a folder of records until the program is stopped.

    Args:
        folder: the records'; it need not be there yet.
        port: where to listen; 0: a free one.
        opened: is called with the first address.
        say: is told what goes on after the end, a sentence each.

    Raises:
        BadInput: the folder is a file.
        MachineFailure: the port cannot be used.
    """
    shelf = Shelf(folder)
    with _listening(port) as listener, temporary.folder("callbench-ui-") as kept:
        taken = int(listener.getsockname()[1])
        running: list[uvicorn.Server] = []
        pages = Pages(shelf, kept, ending=lambda: any(server.should_exit for server in running))
        guard = Guard(pages.application(), taken)
        config = uvicorn.Config(
            guard, log_level="error", access_log=False, server_header=False, ws="none", lifespan="off",
            timeout_graceful_shutdown=_GRACE_S, proxy_headers=False,
        )  # fmt: skip
        opened(f"http://{_HOST}:{taken}/?token={guard.token}")
        running.append(uvicorn.Server(config))
        try:
            asyncio.run(running[0].serve([listener]))
        finally:
            for job in Jobs(shelf).jobs():
                if job.serves and job.running:
                    say(f"{job.name} goes on: stop it on a page of {shelf.folder}, or with: kill -INT {job.pid}")


def _listening(port: int) -> socket.socket:
    made = socket.socket()
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((_HOST, port))
        made.listen()
    except OSError as failure:
        made.close()
        if failure.errno == errno.EADDRINUSE:
            raise MachineFailure(f"port {port} is in use: give another --port, or end what listens there") from failure
        raise machine_limits.written(f"cannot listen at {_HOST}:{port}", failure) from failure
    return made
