"""Prevent deep idle states of the processors during a run, if the user asks for it."""

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from callbench.model.errors import BadInput

DEVICE = Path("/dev/cpu_dma_latency")


@contextmanager
def hold_idle_states(*, hold: bool, device: Path = DEVICE) -> Iterator[None]:
    """Keep all processors out of deep idle states while the block runs.

    As long as the device is open with 0 written to it, the kernel enters no idle state with an exit latency above 0 us.
    The kernel lifts this when the file is closed, even after a crash. Source: Documentation/power/pm_qos_interface.rst.

    Raises:
        BadInput: the device cannot be used; the sentence says why.
    """
    if not hold:
        yield
        return
    try:
        fd = os.open(device, os.O_WRONLY | os.O_CLOEXEC)
    except OSError as failure:
        raise BadInput(
            f"--hold-idle needs {device} open for writing: {failure.strerror}; run as root, or leave it out"
        ) from failure
    try:
        try:
            os.write(fd, struct.pack("i", 0))
        except OSError as failure:
            raise BadInput(f"--hold-idle: the kernel refuses 0 us in {device}: {failure.strerror}") from failure
        yield
    finally:
        os.close(fd)
