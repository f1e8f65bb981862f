"""The scheduler: where agents and cores meet. It runs on the core's machine and is in no measured call."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

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


async def _serve(keys: Keys, say: Callable[[str], None]) -> None:
    from callbench.adapter.network.remote.servers import QuietScheduler  # noqa: PLC0415 - after `settings.apply`

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
