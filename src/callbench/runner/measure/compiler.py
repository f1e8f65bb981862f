"""Processor time of a runtime's compiler and garbage collector, measured from outside by thread names."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from callbench.adapter.stack import side_processes
from callbench.adapter.stack.sides import Sides
from callbench.model.process_tree import PROC
from callbench.runner.measure.processor_time import name_of, run_time_of, threads_of

# Thread names in the kernel, cut to 15 bytes: HotSpot's two compilers, OpenJ9's, .NET's. Mono compiles in the calling
# thread. Threads of V8 have no names here.
_COMPILERS = ("C1 CompilerThre", "C2 CompilerThre", "JIT Compilation", ".NET Tiered Com")
# HotSpot's serial collector runs in its VM thread.
_COLLECTORS = (
    "GC Thread",
    "G1 ",
    "ParGC Thread",
    "VM Thread",
    "ZWorker",
    "Shenandoah",
    "SGen worker",
    ".NET Server GC",
)
# Programs that compile while they run.
_RUNTIMES = frozenset({"java", "node", "nodejs", "mono", "mono-sgen", "dotnet", "pypy", "pypy3", "bun", "deno"})


@dataclass(frozen=True)
class ThreadTimes:
    """Processor time of one side, in nanoseconds."""

    compiler_ns: int = 0
    collector_ns: int = 0


def is_compiler(thread: str) -> bool:
    """Return whether a thread with this name compiles."""
    return thread.startswith(_COMPILERS)


def is_collector(thread: str) -> bool:
    """Return whether a thread with this name collects garbage."""
    return thread.startswith(_COLLECTORS)


def compiles(pids: Iterable[int]) -> bool:
    """Return whether one of the processes is a runtime that compiles, by its program name."""
    return any(_program(pid) in _RUNTIMES for pid in pids)


def _program(pid: int) -> str:
    try:
        return Path(PROC / str(pid) / "exe").readlink().name
    except OSError:
        return ""


class CompilerTime:
    """Reads the processor time of compiler and collector threads since its creation."""

    def __init__(self, sides: Sides) -> None:
        """Find the processes and start counting."""
        self._families = side_processes.processes_of(sides).by_side()
        self._names: dict[int, str] = {}
        # Last values by thread. HotSpot ends idle compiler threads, so ended threads must be kept.
        self._last: dict[tuple[str, int], int] = {}
        self._first: dict[tuple[str, int], int] = {}
        self._look()
        self._first = dict(self._last)

    @property
    def compiles(self) -> bool:
        """Whether a side's program compiles while it runs, or has a compiler thread."""
        by_name = compiles(pid for pids in self._families.values() for pid in pids)
        return by_name or any(is_compiler(name) for name in self._names.values())

    def read(self) -> Mapping[str, ThreadTimes]:
        """Return the processor time since creation, by side."""
        self._look()
        found = {side: [0, 0] for side in self._families}
        for (side, tid), ns in self._last.items():
            found[side][is_collector(self._names[tid])] += ns - self._first.get((side, tid), 0)
        return {side: ThreadTimes(*both) for side, both in found.items()}

    def _look(self) -> None:
        for side, pids in self._families.items():
            for pid in pids:
                for tid in threads_of(pid):
                    name = self._names.get(tid)
                    if name is None:
                        name = self._names[tid] = name_of(pid, tid)
                    if is_compiler(name) or is_collector(name):
                        ran = run_time_of(pid, tid)
                        if ran is not None:
                            self._last[side, tid] = ran.run_ns
