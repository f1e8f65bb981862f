"""From the two operands of the command line to a comparison: made live, reckoned from two runs, or read again."""

import math
from pathlib import Path

from callbench.analysis.compare import comparison, stored
from callbench.analysis.compare.comparison import Comparison, Given
from callbench.analysis.compare.verdicts import Rule
from callbench.catalog.catalogue import Catalogue
from callbench.model import quantities
from callbench.model.errors import BadInput
from callbench.runner.compare import live
from callbench.runner.compare.live import Wish
from callbench.runner.compare.operands import is_run
from callbench.store.run import Run


def given(level: str | None, threshold: str | None, p99_threshold: str | None) -> Given:
    """Read the rule that the command line gives.

    Raises:
        BadInput: one is no share.
    """
    tail = None
    if p99_threshold is not None:
        none = p99_threshold.strip() == "none"
        tail = math.inf if none else quantities.share(p99_threshold, "--p99-threshold", least=-1e-9)
    return Given(
        None if level is None else quantities.share(level, "--level"),
        None if threshold is None else quantities.share(threshold, "--threshold", least=-1e-9),
        tail,
    )


def found(a: str, b: str | None, wish: Wish, given: Given, known: Catalogue) -> Comparison:
    """Compare what two operands mean.

    Args:
        a: the first operand; alone, the folder of a comparison to show again.
        b: the second, or None.
        wish: how to compare live.
        given: level and thresholds where they were given.
        known: every stack there is.

    Raises:
        BadInput: the operands make no sense, alone or together.
        Stopped: a person stopped it.
        CallbenchError: the folder cannot be written.
    """
    if b is None:
        if not is_run(a):
            raise BadInput(f"compare {a} with what? Name two stacks, builds or runs, or one comparison's folder alone")
        return comparison.read(Run(Path(a)), given)
    runs = [is_run(a), is_run(b)]
    if all(runs):
        return stored.compared(Run(Path(a)), Run(Path(b)), given.over(Rule()))
    if any(runs):
        raise BadInput(f"{a} and {b}: one is a stored run and the other is not; name two runs, or two stacks")
    return comparison.read(Run(live.compared(live.checked(wish), known)), given)
