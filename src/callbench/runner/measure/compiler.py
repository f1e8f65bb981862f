"""What a runtime's compiler and collector take, seen from outside by their threads' names."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from callbench.adapter.stack import side_processes
from callbench.adapter.stack.sides import Sides
from callbench.model.process_tree import PROC
from callbench.runner.measure.processor_time import name_of, ran_by, threads_of

# As the kernel has them, cut to 15 bytes: HotSpot's two compilers, OpenJ9's, .NET's. Mono compiles in the calling
# thread, once; the threads of V8 have no names here, and collect too.
_COMPILERS = ("C1 CompilerThre", "C2 CompilerThre", "JIT Compilation", ".NET Tiered Com")
# HotSpot's serial collector works in its VM thread.
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
# Programs that run what others wrote and compile it meanwhile.
_RUNTIMES = frozenset({"java", "node", "nodejs", "mono", "mono-sgen", "dotnet", "pypy", "pypy3", "bun", "deno"})


@dataclass(frozen=True)
class Took:
    """Processor time of one side, nanoseconds."""

    compiler_ns: int = 0
    collector_ns: int = 0


def is_compiler(thread: str) -> bool:
    """Whether a thread of that name compiles while the program runs."""
    return thread.startswith(_COMPILERS)


def is_collector(thread: str) -> bool:
    """Whether a thread of that name collects garbage."""
    return thread.startswith(_COLLECTORS)


def compiles(pids: Iterable[int]) -> bool:
    """Whether one of the processes is a runtime that compiles while it runs, by the name of its program."""
    return any(_program(pid) in _RUNTIMES for pid in pids)


def _program(pid: int) -> str:
    try:
        return Path(PROC / str(pid) / "exe").readlink().name
    except OSError:
        return ""


class CompilerTime:
    """Reads what the compiler's and the collector's threads of each side have had since it was made."""

    def __init__(self, sides: Sides) -> None:
        """Finds the processes and begins to count."""
        self._families = side_processes.of(sides).by_side()
        self._names: dict[int, str] = {}
        # A thread that ends is kept as it was last seen: HotSpot ends compiler threads that have nothing to do.
        self._last: dict[tuple[str, int], int] = {}
        self._first: dict[tuple[str, int], int] = {}
        self._look()
        self._first = dict(self._last)

    @property
    def compiles(self) -> bool:
        """Whether a side's program is one that compiles while it runs, or has a compiler's thread."""
        by_name = compiles(pid for pids in self._families.values() for pid in pids)
        return by_name or any(is_compiler(name) for name in self._names.values())

    def took(self) -> Mapping[str, Took]:
        """Processor time since it was made, by side."""
        self._look()
        found = {side: [0, 0] for side in self._families}
        for (side, tid), ns in self._last.items():
            found[side][is_collector(self._names[tid])] += ns - self._first.get((side, tid), 0)
        return {side: Took(*both) for side, both in found.items()}

    def _look(self) -> None:
        for side, pids in self._families.items():
            for pid in pids:
                for tid in threads_of(pid):
                    name = self._names.get(tid)
                    if name is None:
                        name = self._names[tid] = name_of(pid, tid)
                    if is_compiler(name) or is_collector(name):
                        ran = ran_by(pid, tid)
                        if ran is not None:
                            self._last[side, tid] = ran.run_ns
