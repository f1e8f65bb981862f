"""How much longer than estimated a run may take, if nobody has timed the calls of an external server before."""

from collections.abc import Collection
from dataclasses import dataclass

from callbench.analysis.wording.words import some
from callbench.model.cell import Cell, Stack
from callbench.runner.drive.slices import length_of
from callbench.runner.measure.trial import limit_seconds
from callbench.runner.plan.estimate import Estimate, span
from callbench.runner.plan.plan import Plan

# Duration of a slow but common call: a server that writes an answer in two pieces waits 40 ms for an acknowledgement on
# Linux. This is the usual reason why a run takes many times as long as estimated.
_CALL = 0.05
# Such a server is often started by an interpreter, and may accept the last of many clients only at a second try.
_START = 1.2
_PIECES = 4


@dataclass(frozen=True)
class UnknownTime:
    """How much longer a run may take.

    Attributes:
        stacks: the stacks whose calls nobody has timed.
        seconds: more seconds than estimated, if each of their calls takes 50 ms.
    """

    stacks: tuple[str, ...]
    seconds: float

    def describe(self, left: Estimate) -> str:
        """Return an estimate in words, with its uncertainty."""
        if not self.stacks:
            return str(left)
        whose = some(self.stacks)
        return (
            f"{left}. It takes {span(left.seconds + self.seconds)} if a call of {whose} takes {_CALL * 1e3:.0f} ms,"
            " because its real time is unknown before the first fork"
        )


def unknown_time(plan: Plan, rounds: int, left_out: Collection[str] = ()) -> UnknownTime:
    """Compute what slow calls of unknown servers would add.

    Args:
        plan: of the run.
        rounds: of a fork.
        left_out: stacks that cannot run here.
    """
    unknown = {stack.id for stack in plan.stacks if _is_unknown(stack) and stack.id not in left_out}
    mine = [cell for cell in plan.timed if cell.stack in unknown]
    seconds = plan.forks * sum(_START + _extra_seconds(cell, rounds) for cell in mine)
    return UnknownTime(tuple(sorted({cell.stack for cell in mine})), seconds)


def _is_unknown(stack: Stack) -> bool:
    return "external" in stack.card and "busy_us" not in stack.card


def _extra_seconds(cell: Cell, rounds: int) -> float:
    """Return how much longer a cell's slices, or its whole trial, take in a fork than their minimum."""
    load = cell.load
    if load.rate_per_s:
        return 0.0
    each = (_CALL + load.think_ns / 1e9) / load.clients
    if cell.whole:
        calls = min(max(load.calls, load.clients) * each, limit_seconds(load))
        return max(0.0, calls - load.seconds) + _PIECES * _CALL
    length = length_of(load)
    return rounds * max(0.0, length.calls * each - length.seconds)
