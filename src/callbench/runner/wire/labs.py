"""Several labs side by side. A ledger mostly waits for a quiet cable, and bytes do not depend on a busy processor."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from queue import SimpleQueue
from typing import TypeVar

from callbench.adapter.placement import Placement
from callbench.runner.wire.lab import Lab

_MOST = 4
Job = TypeVar("Job")
Found = TypeVar("Found")


def labs_at_once(jobs: int) -> int:
    """Return how many of the jobs are counted at once."""
    return min(_MOST, len(os.sched_getaffinity(0)), jobs)


def count_in_labs(
    placement: Placement, jobs: Sequence[Job], count: Callable[[Lab, Job], Found]
) -> Iterator[tuple[Job, Found]]:
    """Yield each job with what was counted, in order. There is at most one lab per processor.

    Args:
        placement: the processors of each side.
        jobs: what to count.
        count: counts one job in a lab that nothing else uses meanwhile.

    Raises:
        LinkFailure: a lab cannot be created, or failed.
        Whatever `count` raises. All adapters in the labs are then killed, and after Ctrl-C too.
    """
    places = labs_at_once(len(jobs))
    free: SimpleQueue[Lab] = SimpleQueue()

    def in_free_lab(job: Job) -> Found:
        lab = free.get()
        try:
            return count(lab, job)
        finally:
            free.put(lab)

    with ExitStack() as stack:
        labs = [stack.enter_context(Lab(placement)) for _ in range(places)]
        for lab in labs:
            free.put(lab)
        pool = ThreadPoolExecutor(places)
        try:
            counted: list[tuple[Job, Future[Found]]] = [(job, pool.submit(in_free_lab, job)) for job in jobs]
            for job, task in counted:
                yield job, task.result()
        except BaseException:
            # Killing its processes ends a ledger that is being counted.
            pool.shutdown(wait=False, cancel_futures=True)
            for lab in labs:
                lab.kill()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
