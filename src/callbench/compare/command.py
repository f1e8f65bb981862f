"""From the two operands of the command line to a comparison: made live, reckoned from two runs, or read again."""

from pathlib import Path

from callbench.catalogue import Catalogue
from callbench.compare import comparison, live, stored
from callbench.compare.comparison import Comparison
from callbench.compare.live import Wish
from callbench.compare.operands import is_run
from callbench.errors import BadInput
from callbench.store import Run

LEVEL = 0.01
THRESHOLD = 0.02


def found(a: str, b: str | None, wish: Wish, rule: tuple[float | None, float | None], known: Catalogue) -> Comparison:
    """Compare what two operands mean.

    Args:
        a: the first operand; alone, the folder of a comparison to show again.
        b: the second, or None.
        wish: how to compare live.
        rule: level and threshold where they were given.
        known: every stack there is.

    Raises:
        BadInput: the operands make no sense, alone or together.
        Stopped: a person stopped it.
        CallbenchError: the folder cannot be written.
    """
    level, threshold = rule
    if b is None:
        if not is_run(a):
            raise BadInput(f"compare {a} with what? Name two stacks, builds or runs, or one comparison's folder alone")
        return comparison.read(Run(Path(a)), level, threshold)
    runs = [is_run(a), is_run(b)]
    if all(runs):
        strict = LEVEL if level is None else level
        return stored.compared(Run(Path(a)), Run(Path(b)), strict, THRESHOLD if threshold is None else threshold)
    if any(runs):
        raise BadInput(f"{a} and {b}: one is a stored run and the other is not; name two runs, or two stacks")
    return comparison.read(Run(live.compared(live.checked(wish), known)), level, threshold)
