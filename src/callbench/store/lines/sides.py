"""What was seen of the processes of each side, and of the machine beside them."""

from typing import TypedDict


class SideUse(TypedDict):
    """What a side used since the line before: sizes now and at their greatest, and differences of counts.

    `files` is None if the kernel does not report them. Times are of the kernel's ticks, in milliseconds.
    """

    processes: int
    resident_bytes: int
    resident_peak: int
    threads: int
    threads_peak: int
    threads_made: int
    threads_ended: int
    files: int | None
    user_ms: int
    system_ms: int


class SideRead(TypedDict):
    """Everything that was read of a side at a moment: `callbench.model.process_readings.FullReading`."""

    processes: int
    threads: int
    resident_bytes: int
    user_ms: int
    system_ms: int
    minor_faults: int
    major_faults: int
    unique_bytes: int | None
    proportional_bytes: int | None
    files: int | None
    voluntary: int | None
    involuntary: int | None


class MachineUse(TypedDict):
    """What used the machine's processors since the line before, in nanoseconds.

    `busy_ns` and `steal_ns` are of all `processors`, `ours_ns` is of client, server and core. `known`: whether the
    processes of the server are. `most`: the other programs that used most.
    """

    elapsed_ns: int
    processors: int
    busy_ns: int
    steal_ns: int
    ours_ns: int
    known: bool
    most: list[tuple[str, int]]
