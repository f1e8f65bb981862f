"""How Dask is used: TLS on both sides everywhere, no second tries, no pages, nothing that listens by default."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import dask

from callbench.adapter.network.remote.keys import Keys

if TYPE_CHECKING:
    from distributed.security import Security

# Its lost connections are ours to report, each in one sentence. Dask gives the last three levels of their own.
_LOGGERS = ("distributed", "tornado", "asyncio", "distributed.client", "distributed.gc", "tornado.application")
_SETTINGS = {
    "distributed.comm.retry.count": 0,
    # Dask gives the first of its tries a fifth of this. Too little, and a busy core only begins handshakes anew.
    "distributed.comm.timeouts.connect": "12s",
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
    # Dask looks 50 times a second whether its loop is late: 100 agents on one machine spent most of their time so, and
    # each of them woke during slices.
    "distributed.admin.tick.interval": "10s",
    "distributed.admin.tick.cycle": "60s",
    "distributed.admin.tick.limit": "60s",
    "distributed.client.scheduler-info-interval": "60s",
    "distributed.logging": dict.fromkeys(_LOGGERS, "critical"),
}


def apply() -> None:
    """Set them for this process, before anything of `distributed` is imported."""
    dask.config.set(_SETTINGS)
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)


def keep_files_in(folder: Path) -> None:
    """Have what Dask writes for itself in a folder that is removed with the process, and not beside others' files."""
    dask.config.set({"temporary-directory": str(folder)})


def security(keys: Keys) -> "Security":
    """Return Dask's TLS settings for these keys, in every role."""
    from distributed.security import Security  # noqa: PLC0415 - after `apply`

    both = {"key": str(keys.key), "cert": str(keys.certificate)}
    roles = {f"tls_{role}_{what}": file for role in ("client", "scheduler", "worker") for what, file in both.items()}
    return Security(require_encryption=True, tls_ca_file=str(keys.authority), **roles)
