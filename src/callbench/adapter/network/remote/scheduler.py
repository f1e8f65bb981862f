"""The scheduler: where agents and cores meet. It runs on the core's machine and is in no measured call."""

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Self

from callbench.adapter import temporary
from callbench.adapter.network.remote import settings
from callbench.adapter.network.remote.host_failure import HostFailure
from callbench.adapter.network.remote.keys import Keys


def serve_scheduler(keys: Keys, say: Callable[[str], None]) -> None:
    """Be the scheduler until this process is interrupted. It listens at the address of the keys alone.

    Raises:
        HostFailure: it cannot listen there.
    """
    settings.apply()
    asyncio.run(_serve(keys, say))


class BackgroundScheduler:
    """A scheduler in a thread of this process, for as long as its context lasts."""

    def __init__(self, keys: Keys) -> None:
        """Begin nothing yet."""
        self._keys = keys
        # What came of its start: None, or why it failed.
        self._started: queue.SimpleQueue[HostFailure | None] = queue.SimpleQueue()
        self._end: Callable[[], object] = lambda: None
        self._thread = threading.Thread(target=self._run, daemon=True, name="scheduler")

    def __enter__(self) -> Self:
        """Start it.

        Raises:
            HostFailure: it cannot listen.
        """
        settings.apply()
        self._thread.start()
        failure = self._started.get()
        if failure is not None:
            raise failure
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self._end()
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except HostFailure as failure:
            self._started.put(failure)

    async def _serve(self) -> None:
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        self._end = lambda: loop.call_soon_threadsafe(ended.set)
        serving = asyncio.create_task(_serve(self._keys, lambda _: self._started.put(None)))
        waiting = asyncio.create_task(ended.wait())
        await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if not serving.done():
            serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving


async def _serve(keys: Keys, say: Callable[[str], None]) -> None:
    from callbench.adapter.network.remote.servers import QuietScheduler  # noqa: PLC0415 - after `settings.apply`

    with temporary.folder("callbench-scheduler-") as folder:
        settings.keep_files_in(folder)
        try:
            scheduler = await QuietScheduler(
                host=keys.address, port=keys.port, security=settings.security(keys), dashboard=False
            )
        except (OSError, RuntimeError) as failure:
            reason = failure.__cause__ or failure
            raise HostFailure(
                f"cannot listen at {keys.address}:{keys.port} ({reason}): end what listens there, or make keys with an"
                " address of this machine: `callbench hosts init ADDRESS NAME`"
            ) from failure
        say(f"agents can connect to {keys.address}:{keys.port}; Ctrl-C ends it")
        try:
            await scheduler.finished()
        finally:
            with suppress(Exception):
                await scheduler.close(timeout=1)
