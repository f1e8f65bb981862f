"""What runs while a server is under load: its processes, where one was named, and everybody else's."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from callbench.errors import BadInput
from callbench.measure.processor_time import processors_of
from callbench.measure.reading import Full, full
from callbench.measure.side_processes import PROC, children_of_all


@dataclass(frozen=True)
class Watched:
    """What a server used while it was under load.

    Attributes:
        processor_ms: user and system time of the processes that were there at the beginning and still are.
        processors: on how many it may run.
        begin: what it had at the beginning.
        end: and at the end.
    """

    processor_ms: int
    processors: int
    begin: Full
    end: Full


class Watch:
    """Looks at processes and their descendants from now on."""

    def __init__(self, roots: Sequence[int]) -> None:
        """Looks for the first time."""
        self._roots = roots
        self._begin = full(family(*roots))

    def end(self) -> Watched:
        """Looks again."""
        last = full(family(*self._roots))
        used = last.user_ms + last.system_ms - self._begin.user_ms - self._begin.system_ms
        return Watched(max(0, used), _processors(self._roots[0]), self._begin, last)


def must_run(pid: int) -> None:
    """Refuses a process that is not there.

    Raises:
        BadInput: there is no such process.
    """
    if not (PROC / str(pid)).is_dir():
        raise BadInput(f"--pid {pid}: there is no such process")


class Machine:
    """Looks at all processors from now on."""

    def __init__(self) -> None:
        """Looks for the first time."""
        self._begin = processors_of().busy_ns

    def busy_ns(self) -> tuple[int, int]:
        """How long processors were busy since, added up, and how many there are."""
        last = processors_of().busy_ns
        return sum(last.values()) - sum(self._begin.values()), len(last)


def family(*roots: int) -> list[int]:
    """Processes and their descendants, parents before children."""
    children = children_of_all()
    found = list(roots)
    for pid in found:
        found += [child for child in children.get(pid, []) if child not in found]
    return found


def _processors(pid: int) -> int:
    try:
        return len(os.sched_getaffinity(pid))
    except OSError:
        return os.cpu_count() or 1
