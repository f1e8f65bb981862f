"""Whether a round of both was steady: the rule that decides which rounds count, fixed before anything is driven."""

import time
from collections.abc import Callable, Sequence

from callbench.adapter.stack.sides import Sides
from callbench.runner.measure.compiler import CompilerTime
from callbench.runner.peer.agreement import Side
from callbench.stats.digits import percent
from callbench.stats.steady import shift
from callbench.stats.warmed import BUSY


def rose(who: str, rates: Sequence[float]) -> str:
    """Say by how much a rate rose while somebody drove, or nothing: a runtime that compiles is not through.

    A rate that falls is the machine's doing, as in a run (measure/steadiness.py).

    Args:
        who: a peer that runs on a virtual machine.
        rates: calls a second, piece by piece.
    """
    found = shift([rate for rate in rates if rate > 0])
    if found is None or not found.real or found.ratio < 1:
        return ""
    return f"{who}'s rate rose while it drove: by {percent(found.ratio - 1)}"


class Compiling:
    """What the compiler of a server's runtime takes while somebody drives it."""

    def __init__(self, sides: Sides) -> None:
        """Finds the processes."""
        self._clock = CompilerTime(sides)

    def watched(self, who: str, drive: Callable[[], tuple[Side, str]]) -> tuple[Side, str]:
        """Let somebody drive, and say why that was not steady: as they say themselves, or as the compiler does."""
        began, before = time.monotonic_ns(), self._taken()
        side, unsteady = drive()
        share = (self._taken() - before) / max(1, time.monotonic_ns() - began)
        if not unsteady and share > BUSY:
            unsteady = f"the compiler was at work while {who} drove: it took {percent(share)} of a processor"
        return side, unsteady

    def _taken(self) -> int:
        return max((one.compiler_ns for one in self._clock.took().values()), default=0)
