"""A machine that is itself a guest is away now and then, for milliseconds: a slice that met that is made again.

Whether it was away is told by threads that sleep two milliseconds at a time, before all others on their processors, and
notice when they are woken late. What was driven is not looked at: a stack that pauses keeps its pauses.
"""

from collections.abc import Callable
from typing import Any

from callbench.runner.measure.witness import GapDetector

# Between two looks, which take 0.6 % of a processor. A gap of 2.5 ms is always seen, one of 1.5 ms every other time.
LOOK_US = 2000
# A slice of which more than this share was lost is made again,
AWAY = 0.05
# so many times at most: whatever the last one met, it counts.
MOST_AGAIN = 2


def undisturbed(drive: Callable[[], dict[str, Any]], gaps: GapDetector | None) -> dict[str, Any]:
    """Drive a slice, and again where the machine was away meanwhile.

    A slice in which a call failed counts in any case, so that no failure is lost.

    Args:
        drive: drives it, and gives what the journal has of it.
        gaps: watches the processors; None: nobody does, and the first slice counts.

    Returns:
        What the last one came to: with `away_ns`, how long the machine was away, where it was, and with `aside`, the
        calls, the time and the gap of each that does not count.

    Raises:
        AdapterFailure: a side failed.
    """
    if gaps is None:
        return drive()
    aside: list[dict[str, int]] = []
    while True:
        gaps.watches(LOOK_US)
        try:
            found = drive()
        finally:
            away_ns = gaps.away_ns()
        done = found["done"]
        if away_ns <= AWAY * done["elapsed_ns"] or done["errors"] or len(aside) == MOST_AGAIN:
            break
        aside.append({"calls": done["calls"], "elapsed_ns": done["elapsed_ns"], "away_ns": away_ns})
    beside = {"away_ns": away_ns, "aside": aside}
    return found | {name: value for name, value in beside.items() if value}
