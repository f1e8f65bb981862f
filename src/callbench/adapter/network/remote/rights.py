"""What this user may do on this machine, by trying it."""

import ctypes
import os
import platform
import socket
import struct
from collections.abc import Callable

from callbench.adapter.network.lab_process import LinkFailure
from callbench.adapter.network.pair import HostPair
from callbench.catalog.links.profile import BARE

# The number of the system call `perf_event_open`, and the size of its first structure.
_PERF_OPEN = {"x86_64": 298, "aarch64": 241}
_PERF_ATTRIBUTES = 112
_SOFTWARE, _TASK_CLOCK = 1, 1


def of_this_user() -> dict[str, str | None]:
    """Return why not, by right; None: it may.

    `namespaces`: make the network lab's hosts. `capture`: read frames of the machine's own network. `perf`: count what
    processes of this user do. `pinning`: choose the processors of processes.
    """
    return {
        "namespaces": _why_no_pair(),
        "capture": _why_not(_open_packets),
        "perf": _why_not(_open_perf),
        "pinning": _why_not(_pin),
    }


def _why_no_pair() -> str | None:
    try:
        HostPair(**BARE.wire).close()
    except LinkFailure as failure:
        return str(failure)
    return None


def _why_not(attempt: Callable[[], None]) -> str | None:
    try:
        attempt()
    except OSError as failure:
        return failure.strerror or str(failure)
    return None


def _open_packets() -> None:
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()


def _open_perf() -> None:
    number = _PERF_OPEN.get(platform.machine())
    if number is None:
        raise OSError(0, f"not known of {platform.machine()}")
    asked = struct.pack("IIQ", _SOFTWARE, _PERF_ATTRIBUTES, _TASK_CLOCK).ljust(_PERF_ATTRIBUTES, b"\0")
    library = ctypes.CDLL(None, use_errno=True)
    opened = library.syscall(number, ctypes.create_string_buffer(asked), 0, -1, -1, 0)
    if opened < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    os.close(opened)


def _pin() -> None:
    os.sched_setaffinity(0, os.sched_getaffinity(0))
