"""The processor time that a drive took, from what its clients' process had used at its start and at its end."""

from collections.abc import Mapping
from typing import Any


def processor_used_ns(done: Mapping[str, Any]) -> int:
    """Return the time in user mode and in the kernel together, in nanoseconds; below 0 if a driver reports nonsense.

    Args:
        done: a driver's report, with `processor`.
    """
    start, end = done["processor"]["start"], done["processor"]["end"]
    return sum(int(end[part]) - int(start[part]) for part in ("user_ns", "system_ns"))
