"""Idle states of the processors: held off while a run measures, where a person wants it, and only then."""

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from callbench.model.errors import BadInput

DEVICE = Path("/dev/cpu_dma_latency")


@contextmanager
def held(*, wanted: bool, device: Path = DEVICE) -> Iterator[None]:
    """Keeps every processor of the machine from idling deeply while the block runs.

    The kernel's Documentation/power/pm_qos_interface.rst: as long as the device is held open with 0 written to it, no
    idle state that takes longer than 0 us to leave is entered. The kernel lets go when the file is closed, whatever
    ends us.

    Raises:
        BadInput: it cannot be held: the sentence says why.
    """
    if not wanted:
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
