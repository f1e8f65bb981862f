"""How Dask is used: TLS on both sides everywhere, no second tries, no pages, nothing that listens by default."""

import logging
from typing import TYPE_CHECKING

import dask

from callbench.adapter.network.remote.keys import Keys

if TYPE_CHECKING:
    from distributed.security import Security

_SETTINGS = {
    "distributed.comm.retry.count": 0,
    "distributed.comm.timeouts.connect": "4s",
    # A host that is cut off is noticed by TCP after so long.
    "distributed.comm.timeouts.tcp": "15s",
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.worker-ttl": "10s",
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.system-monitor.interval": "60s",
    "distributed.logging": {"distributed": "critical"},
}


def apply() -> None:
    """Set them for this process, before anything of `distributed` is imported."""
    dask.config.set(_SETTINGS)
    # Its lost connections are ours to report, each in one sentence.
    for name in ("distributed", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def security(keys: Keys) -> "Security":
    """Return Dask's TLS settings for these keys, in every role."""
    from distributed.security import Security  # noqa: PLC0415 - after `apply`

    both = {"key": str(keys.key), "cert": str(keys.certificate)}
    roles = {f"tls_{role}_{what}": file for role in ("client", "scheduler", "worker") for what, file in both.items()}
    return Security(require_encryption=True, tls_ca_file=str(keys.authority), **roles)
