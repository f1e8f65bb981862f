"""Whether a round was steady. This rule decides which rounds count, and is fixed before anything is driven."""

import time
from collections.abc import Callable, Sequence

from callbench.adapter.stack.sides import Sides
from callbench.analysis.peer.agreement import GeneratorRound
from callbench.runner.measure.compiler import CompilerTime
from callbench.stats.estimate.digits import percent
from callbench.stats.steady.steady import shift
from callbench.stats.steady.warmed import BUSY


def rate_rise(who: str, rates: Sequence[float]) -> str:
    """Return by how much a rate rose during a drive, in words, or "".

    A rising rate means that a runtime still compiles.

    A falling rate is caused by the machine, as in a run (measure/steadiness.py).

    Args:
        who: the name of a peer that runs on a virtual machine.
        rates: calls per second, piece by piece.
    """
    change = shift([rate for rate in rates if rate > 0])
    if change is None or not change.real or change.ratio < 1:
        return ""
    return f"{who}'s rate rose while it drove: by {percent(change.ratio - 1)}"


class CompilerShare:
    """Measures the compiler of the server's runtime during a drive."""

    def __init__(self, sides: Sides) -> None:
        """Find the processes."""
        self._clock = CompilerTime(sides)

    def watch(self, who: str, drive: Callable[[], tuple[GeneratorRound, str]]) -> tuple[GeneratorRound, str]:
        """Run a drive. Also return why it was not steady: the drive's own reason, or an active compiler."""
        began, before = time.monotonic_ns(), self._compiler_ns()
        side, unsteady = drive()
        share = (self._compiler_ns() - before) / max(1, time.monotonic_ns() - began)
        if not unsteady and share > BUSY:
            unsteady = f"the compiler was active while {who} drove: it used {percent(share)} of a processor"
        return side, unsteady

    def _compiler_ns(self) -> int:
        return max((spent.compiler_ns for spent in self._clock.read().values()), default=0)
