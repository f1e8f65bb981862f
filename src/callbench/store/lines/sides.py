"""What was seen of the processes of each side, and of the machine beside them."""

from typing import NotRequired, TypedDict

from callbench.store.typed import Several, Whole


class SideUse(TypedDict):
    """What a side used since the line before: sizes now and at their greatest, and differences of counts.

    `files` is None if the kernel does not report them. Times are of the kernel's ticks, in milliseconds.
    """

    processes: Whole
    resident_bytes: Whole
    resident_peak: Whole
    threads: Whole
    threads_peak: Whole
    threads_made: Whole
    threads_ended: Whole
    files: Whole | None
    user_ms: Whole
    system_ms: Whole


class SideRead(TypedDict):
    """Everything that was read of a side at a moment: `callbench.model.process_readings.FullReading`."""

    processes: Whole
    threads: Whole
    resident_bytes: Whole
    user_ms: Whole
    system_ms: Whole
    minor_faults: Whole
    major_faults: Whole
    unique_bytes: Whole | None
    proportional_bytes: Whole | None
    files: Whole | None
    voluntary: Whole | None
    involuntary: Whole | None


class MachineUse(TypedDict):
    """What used the machine's processors since the line before, in nanoseconds.

    `busy_ns` and `steal_ns` are of all `processors`, `ours_ns` is of client, server and core. `known`: whether the
    processes of the server are. `most`: the other programs that used most.
    """

    elapsed_ns: Whole
    processors: Several
    busy_ns: Whole
    steal_ns: Whole
    ours_ns: Whole
    known: bool
    most: list[tuple[str, Whole]]


class ThreadsUse(TypedDict):
    """What the threads of one name ran and waited for, in nanoseconds; `busiest_ns` is of the busiest one."""

    name: str
    threads: int
    run_ns: int
    wait_ns: int
    busiest_ns: int


class SideTimes(TypedDict):
    """What a side used of its processors `cpus`, and waited for, in nanoseconds; `neighbour_ns`: what others used."""

    side: str
    cpus: list[int]
    processes: int
    user_ns: int
    system_ns: int
    run_ns: int
    wait_ns: int
    threads: list[ThreadsUse]
    neighbour_ns: int


class ProcessorsSeen(TypedDict, total=False):
    """How the processors were used, in nanoseconds; empty where nobody watched.

    `seen_ns`: how long the threads were watched. `own_ns` is of the core, `busy_ns` of each processor by its number.
    """

    elapsed_ns: int
    seen_ns: int
    own_ns: int
    busy_ns: dict[str, int]
    steal_ns: int
    processors: int
    sides: list[SideTimes]


class ProcessorGaps(TypedDict):
    """When a processor did not run, though its watcher was due; `realtime`: whether that had such a priority."""

    cpu: int
    wakeups: int
    gaps: int
    gap_ns: int
    longest_ns: int
    realtime: bool


class GapsSeen(TypedDict, total=False):
    """The gaps in which processors did not run; empty where nobody watched. `cost_ns`: of the watching."""

    watched_ns: int
    cost_ns: int
    processors: list[ProcessorGaps]


class WayCarried(TypedDict):
    """What crossed a link in one direction; `line_bytes`: with what its line adds to each packet."""

    direction: str
    bytes: int
    packets: int
    line_bytes: int
    rate_bps: int | None


class TrafficSeen(TypedDict, total=False):
    """What crossed a link; empty without one."""

    elapsed_ns: int
    ways: list[WayCarried]


class ProcessesOfSide(TypedDict):
    """What was read of a side's processes at the beginning, at the end, and after the rest of a watched cell.

    `samples`: [ms, bytes, threads, processes, ms of user time, ms of system time]. `heap_bytes`: as the runtime says.
    """

    side: str
    begin: SideRead
    end: SideRead
    rest: SideRead | None
    peak_bytes: int
    peak_threads: int
    threads_made: int
    threads_ended: int
    processes_made: int
    processes_ended: int
    samples: list[list[int]]
    heap_bytes: NotRequired[int | None]


class ProcessesSeen(TypedDict, total=False):
    """What was seen of the processes of both sides; empty where nobody watched."""

    load_ms: int
    rest_ms: int | None
    sides: list[ProcessesOfSide]
