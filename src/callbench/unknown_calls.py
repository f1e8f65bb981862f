"""What a run may take longer than foretold, since nobody has timed a call of a server of somebody's own before."""

from collections.abc import Collection
from dataclasses import dataclass

from callbench.cell import Cell, Stack
from callbench.estimate import Estimate, span
from callbench.measure.trial import limit_seconds
from callbench.plan import Plan
from callbench.report.words import some

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
            f"{left}; {span(left.seconds + self.seconds)} where a call takes {_CALL * 1e3:.0f} ms: nobody has timed"
            f" one of {whose} yet, and after the first block it is known better"
        )


def beyond(plan: Plan, done: Collection[int] = (), left_out: Collection[str] = ()) -> Unknown:
    """Compute what slow calls of unknown servers would add.

    Args:
        plan: what is to be done.
        done: numbers of trials that are there already.
        left_out: stacks that cannot run here.
    """
    unknown = {stack.id for stack in plan.stacks if _unknown(stack) and stack.id not in left_out}
    seconds, seen = 0.0, set()
    for block in plan.blocks:
        for visit in block:
            cells = [trial.cell for trial in visit.trials if trial.number not in done]
            if visit.stack in unknown and cells:
                seen.add(visit.stack)
                seconds += _START + sum(map(_longer, cells))
    return Unknown(tuple(sorted(seen)), seconds)


def _unknown(stack: Stack) -> bool:
    return "external" in stack.card and "busy_us" not in stack.card


def _longer(cell: Cell) -> float:
    """How much longer a trial and its warm-up take than their least time."""
    load = cell.load
    if load.rate_per_s:
        return 0.0
    each = (_CALL + load.think_ns / 1e9) / load.clients
    calls = min(max(load.calls, load.clients) * each, limit_seconds(load))
    return max(0.0, calls - load.seconds) + _PIECES * _CALL


def left_s(blocks_done: int, blocks: int, passed_s: float) -> float:
    """Foretell from what was measured: each block holds the same visits, so each takes about as long.

    Args:
        blocks_done: in `passed_s`, at least one.
        blocks: still to be done.
        passed_s: since the first of them began.
    """
    return passed_s / blocks_done * blocks
