"""The processor time that a drive took, from what its clients' process had used at its start and at its end."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from typing_extensions import ReadOnly


class ProcessorTimes(TypedDict):
    """Processor time of a process so far, in nanoseconds, as texts."""

    user_ns: "ReadOnly[str]"
    system_ns: "ReadOnly[str]"


class ProcessorEnds(TypedDict):
    """Processor time at the start and at the end of a drive."""

    start: "ReadOnly[ProcessorTimes]"
    end: "ReadOnly[ProcessorTimes]"


class DriveProcessor(TypedDict):
    """What a drive says of the processor time of its clients."""

    processor: "ReadOnly[ProcessorEnds]"


def processor_used_ns(done: DriveProcessor) -> int:
    """Return the time in user mode and in the kernel together, in nanoseconds; below 0 if a driver reports nonsense.

    Args:
        done: a driver's report, with `processor`.
    """
    start, end = done["processor"]["start"], done["processor"]["end"]
    return int(end["user_ns"]) - int(start["user_ns"]) + int(end["system_ns"]) - int(start["system_ns"])
