"""The agent: the worker of a host. It connects to the core's scheduler, and ends adapters whose core is silent."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from callbench.adapter import temporary
from callbench.adapter.network.remote import facts, settings
from callbench.adapter.network.remote.door import check_door
from callbench.adapter.network.remote.host_failure import HostFailure
from callbench.adapter.network.remote.keys import Keys
from callbench.adapter.network.remote.session_host import SLOW, SessionHost
from callbench.adapter.network.remote.ssh import handover

if TYPE_CHECKING:
    from distributed import Worker

# How often the lease is looked at, and how long it waits for a scheduler that has gone.
WATCH_SECONDS, _AGAIN_SECONDS = 0.2, 1.0
# Tasks have no use here, and the threads for them cost memory.
_TASK_THREADS = 1
_LONGEST_READ = 4096
# The name of our handler at a worker, and of what a worker says of itself in each heartbeat.
ORDER, ABOUT = "callbench", "callbench"


def serve_agent(keys: Keys, port: int, say: Callable[[str], None]) -> None:
    """Be the agent of a host until this process is interrupted.

    Args:
        keys: of the host.
        port: to listen at, for the core; 0: any free one.
        say: told what happens, in sentences.

    Raises:
        HostFailure: the core cannot be reached at the start, or refuses this host.
    """
    settings.apply()
    # It is removed even if this process is killed.
    with temporary.folder("callbench-agent-") as folder:
        asyncio.run(_serve(keys, port, folder, say))


def serve_by_input(port: int, say: Callable[[str], None]) -> None:
    """Be the agent of a host whose keys come by standard input, until that ends: then its core has gone.

    Args:
        port: as in `serve_agent`.
        say: told what happens, in sentences.

    Raises:
        HostFailure: as in `serve_agent`, or no keys come.
    """
    settings.apply()

    def saying(sentence: str) -> None:
        # Who read it may have gone, and what was started has still to end.
        with suppress(OSError):
            say(sentence)

    with temporary.folder("callbench-agent-") as folder:
        own = folder / "keys"
        own.mkdir(mode=0o700)
        keys = handover.receive(own, sys.stdin.buffer, saying)
        with suppress(asyncio.CancelledError):
            asyncio.run(_serve_until_end_of_input(keys, port, folder, saying))


async def _serve_until_end_of_input(keys: Keys, port: int, folder: Path, say: Callable[[str], None]) -> None:
    descriptor, loop = sys.stdin.fileno(), asyncio.get_running_loop()
    serving = asyncio.create_task(_serve(keys, port, folder, say, once=True))

    def read() -> None:
        if not os.read(descriptor, _LONGEST_READ):
            loop.remove_reader(descriptor)
            serving.cancel()

    loop.add_reader(descriptor, read)
    await serving


async def _serve(keys: Keys, port: int, folder: Path, say: Callable[[str], None], *, once: bool = False) -> None:
    """Serve a core, and the next one at the same place unless it is to be `once`."""
    files = folder / "files"
    files.mkdir()
    first, sessions = True, SessionHost(files, keys)
    watch = asyncio.create_task(_watch_lease(sessions, say))
    try:
        while True:
            try:
                address = await asyncio.to_thread(_look, keys)
                await _work(agent_worker(keys, (address, port), folder, sessions), keys, sessions, say)
                if once:
                    return
                say(f"the core at {keys.address}:{keys.port} has gone: waiting for it")
            except HostFailure:
                if first:
                    raise
            first = False
            await asyncio.to_thread(sessions.end)
            await asyncio.sleep(_AGAIN_SECONDS)
    finally:
        watch.cancel()
        sessions.end()


def _look(keys: Keys) -> str:
    """Return the address at which the core can reach this host."""
    remedy = "start it there with `callbench hosts start`"
    return check_door(keys, (keys.address, keys.port), f"the core at {keys.address}:{keys.port}", remedy)


async def _work(worker: "Worker", keys: Keys, sessions: SessionHost, say: Callable[[str], None]) -> None:
    """Be a worker until the scheduler has gone."""
    worker.handlers[ORDER] = order_handler(sessions)
    try:
        await worker
    except (OSError, ValueError, RuntimeError) as failure:
        raise HostFailure(_why_not(keys, failure)) from failure
    say(f"host {keys.name} serves the core at {keys.address}:{keys.port}; Ctrl-C ends it")
    try:
        await worker.finished()
    finally:
        with suppress(Exception):
            await worker.close(timeout=1)


def agent_worker(keys: Keys, place: tuple[str, int], folder: Path, sessions: SessionHost) -> "Worker":
    """Return the worker of this host, not started yet. It listens at one address and port, by TLS."""
    from callbench.adapter.network.remote.servers import QuietWorker  # noqa: PLC0415 - after `settings.apply`

    # Read once: it goes with each heartbeat, which must not wait for a disk.
    own = facts.version() | {"machine": facts.machine()}

    async def about(_: object) -> dict[str, object]:
        return own | {"in_use": bool(sessions.lease.owner), "running": sessions.alive}

    return QuietWorker(
        f"tls://{keys.address}:{keys.port}",
        name=keys.name,
        host=place[0],
        port=place[1],
        nthreads=_TASK_THREADS,
        resources={f"host.{keys.name}": 1},
        security=settings.security(keys),
        local_directory=str(folder),
        dashboard=False,
        metrics={ABOUT: about},
    )


def order_handler(sessions: SessionHost) -> Callable[[str], Awaitable[str]]:
    """Return what Dask calls with an order: a text of JSON, which is answered by another one."""

    async def order(text: str) -> str:
        asked = json.loads(text)
        thread = sessions.thread_of(asked)
        if asked["do"] in SLOW:
            return await asyncio.to_thread(sessions.answer, text)
        if thread is None:
            return sessions.answer(text)
        return await asyncio.get_running_loop().run_in_executor(thread, sessions.answer, text)

    return order


def _why_not(keys: Keys, failure: Exception) -> str:
    text = " ".join(str(cause) for cause in (failure, failure.__cause__) if cause)
    if "name taken" in text:
        return f"another agent is host {keys.name} already: end it, or use the keys of another host"
    if isinstance(failure.__cause__ or failure, OSError) and "in use" in text:
        return "its port is in use on this machine: name another one with --port"
    return f"the core at {keys.address}:{keys.port} does not take host {keys.name}: {text}"


async def _watch_lease(sessions: SessionHost, say: Callable[[str], None]) -> None:
    """End what a core left here: nothing of it is left after 5 s."""
    while True:
        await asyncio.sleep(WATCH_SECONDS)
        if sessions.lease.is_over():
            ended = sessions.alive
            await asyncio.to_thread(sessions.end)
            left = f"ended {ended} of its adapters" if ended else "this host is free again"
            say(f"nothing was heard of a core for too long: {left}")
