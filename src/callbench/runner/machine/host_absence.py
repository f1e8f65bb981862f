"""Repeat slices during which the host of a virtual machine took the processors away.

Threads on each processor sleep 2 ms at a time with the highest priority, and notice if they wake late. The stack itself
is not consulted, so its own pauses are kept.
"""

from collections.abc import Callable

from callbench.runner.measure.host_monitor import GapDetector
from callbench.store.lines.rounds import Repeated, SliceSeen

# Microseconds between checks, which use 0.6 % of a processor. Gaps of 2.5 ms are always seen, gaps of 1.5 ms half the
# time.
GAP_CHECK_US = 2000
# A slice that lost more than this share is repeated,
LOST_SHARE = 0.05
# at most so many times; the last repetition counts in any case.
MOST_REPEATS = 2


def drive_undisturbed(drive: Callable[[], SliceSeen], gaps: GapDetector | None) -> SliceSeen:
    """Drive a slice, and repeat it if the host took the processors away meanwhile.

    A slice with a failed call always counts, so that no failure is lost.

    Args:
        drive: drives the slice and returns its journal record.
        gaps: watches the processors; None: the first slice counts.

    Returns:
        The record of the last slice. `absence_ns` has the lost time, if any; `repeated` has the calls, the time and
        the gap of each repeated slice.

    Raises:
        AdapterFailure: a side failed.
    """
    if gaps is None:
        return drive()
    repeated: list[Repeated] = []
    while True:
        gaps.start_watching(GAP_CHECK_US)
        try:
            result = drive()
        finally:
            absence_ns = gaps.absence_ns()
        done = result["done"]
        if absence_ns <= LOST_SHARE * done["elapsed_ns"] or done["errors"] or len(repeated) == MOST_REPEATS:
            break
        repeated.append({"calls": done["calls"], "elapsed_ns": done["elapsed_ns"], "absence_ns": absence_ns})
    if absence_ns:
        result["absence_ns"] = absence_ns
    if repeated:
        result["repeated"] = repeated
    return result
