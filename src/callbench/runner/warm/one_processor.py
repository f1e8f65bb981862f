"""Both sides of a stack on one processor while it is warmed up, so that two stacks do not wait for each other.

Client and server have a processor each and take turns. Of two such stacks that are warmed up at once, both often want
the same one, and the other is idle: a third of the time, if turns are of random length. With a processor for each
stack, none is ever idle. Nothing is measured meanwhile.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress

from callbench.runner.measure.processor_time import threads_of


@contextmanager
def on_one_processor(pids: Collection[int], processor: int) -> Iterator[None]:
    """Keep all threads of processes on a processor, and put them back at the end.

    Processes that have several processors each stay where they are: their threads work at the same time.

    Args:
        pids: of all sides.
        processor: its number.
    """
    own: dict[int, set[int]] = {}
    for pid in pids:
        with suppress(OSError):
            own[pid] = os.sched_getaffinity(pid)
    if any(len(processors) > 1 for processors in own.values()):
        own = {}
    try:
        for pid in own:
            _place(pid, {processor})
        yield
    finally:
        for pid, processors in own.items():
            _place(pid, processors)


def _place(pid: int, processors: set[int]) -> None:
    """Place all threads of a process; those too that others of its threads start meanwhile."""
    placed: set[int] = set()
    while new := set(threads_of(pid)) - placed:
        for thread in new:
            # A thread or its process may have ended.
            with suppress(OSError):
                os.sched_setaffinity(thread, processors)
        placed |= new
