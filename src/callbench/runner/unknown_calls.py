"""What a run may take longer than foretold, since nobody has timed a call of a server of somebody's own before."""

from collections.abc import Collection
from dataclasses import dataclass

from callbench.analysis.words import some
from callbench.model.cell import Cell, Stack
from callbench.runner.estimate import Estimate, span
from callbench.runner.measure.trial import limit_seconds
from callbench.runner.plan import Plan
from callbench.runner.slices import length_of

# A server that writes an answer in two pieces waits for the acknowledgement of the first, 40 ms on Linux; it is the
# slowest call that is common, and the usual reason why a run takes many times as long as was thought.
_CALL = 0.05
# Such a server is often started by an interpreter, and may let the last of many clients in only at a second try.
_START = 1.2
_PIECES = 4


@dataclass(frozen=True)
class Unknown:
    """How much longer it may take.

    Attributes:
        stacks: whose calls nobody has timed.
        seconds: more than foretold, where each of their calls takes 50 ms.
    """

    stacks: tuple[str, ...]
    seconds: float

    def beside(self, left: Estimate) -> str:
        """Write an estimate with what is not known of it."""
        if not self.stacks:
            return str(left)
        whose = some(self.stacks)
        return (
            f"{left}. It takes {span(left.seconds + self.seconds)} if a call of {whose} takes {_CALL * 1e3:.0f} ms,"
            " because its real time is unknown before the first fork"
        )


def beyond(plan: Plan, rounds: int, left_out: Collection[str] = ()) -> Unknown:
    """Compute what slow calls of unknown servers would add.

    Args:
        plan: what is to be done.
        rounds: of a fork.
        left_out: stacks that cannot run here.
    """
    unknown = {stack.id for stack in plan.stacks if _unknown(stack) and stack.id not in left_out}
    mine = [cell for cell in plan.timed if cell.stack in unknown]
    seconds = plan.forks * sum(_START + _longer(cell, rounds) for cell in mine)
    return Unknown(tuple(sorted({cell.stack for cell in mine})), seconds)


def _unknown(stack: Stack) -> bool:
    return "external" in stack.card and "busy_us" not in stack.card


def _longer(cell: Cell, rounds: int) -> float:
    """How much longer a cell's slices, or its whole trial, take in a fork than their least time."""
    load = cell.load
    if load.rate_per_s:
        return 0.0
    each = (_CALL + load.think_ns / 1e9) / load.clients
    if cell.whole:
        calls = min(max(load.calls, load.clients) * each, limit_seconds(load))
        return max(0.0, calls - load.seconds) + _PIECES * _CALL
    length = length_of(load)
    return rounds * max(0.0, length.calls * each - length.seconds)
