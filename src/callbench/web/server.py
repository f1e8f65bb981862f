"""The server of the page, until Ctrl-C."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

import uvicorn

from callbench.adapter import temporary
from callbench.store.shelf import Shelf
from callbench.web.application import Pages
from callbench.web.guard import Guard
from callbench.web.jobs import Jobs
from callbench.web.listening import Listening

# What is still open when the server ends gets this long.
_GRACE_S = 2


def serve(folder: Path, at: Listening, opened: Callable[[str], None], say: Callable[[str], None]) -> None:
    """Serve the page of a folder of records until the program is stopped.

    Args:
        folder: the records'; it need not be there yet.
        at: where it listens.
        opened: is called with the first address.
        say: is told what goes on after the end, a sentence each.

    Raises:
        BadInput: the folder is a file.
    """
    with at.socket as listener, temporary.folder("callbench-ui-") as kept:
        shelf = Shelf(folder)
        running: list[uvicorn.Server] = []
        pages = Pages(shelf, kept, ending=lambda: any(server.should_exit for server in running))
        guard = Guard(pages.application(), at.port, at.names, tls=at.certificate is not None)
        config = uvicorn.Config(
            guard, log_level="error", access_log=False, server_header=False, ws="none", lifespan="off",
            timeout_graceful_shutdown=_GRACE_S, proxy_headers=False,
            ssl_certfile=at.certificate, ssl_keyfile=at.key,
        )  # fmt: skip
        # A browser need not say that it has seen the end of its TLS; then that is no error of the user's.
        logging.getLogger("uvicorn.error").addFilter(lambda said: "graceful shutdown exceeded" not in str(said.msg))
        opened(f"{at.address}?token={guard.token}")
        running.append(uvicorn.Server(config))
        try:
            asyncio.run(running[0].serve([listener]))
        finally:
            for job in Jobs(shelf).jobs():
                if job.serves and job.running:
                    say(f"{job.name} goes on: stop it on a page of {shelf.folder}, or with: kill -INT {job.pid}")
