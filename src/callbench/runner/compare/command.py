"""What the words of `callbench compare` mean: its limits, and a comparison of what is stored."""

import math
from pathlib import Path

from callbench.analysis.compare import comparison, stored
from callbench.analysis.compare.comparison import Comparison, RuleOptions
from callbench.analysis.compare.verdicts import Rule
from callbench.model import quantities
from callbench.model.errors import BadInput
from callbench.runner.compare.operands import is_run
from callbench.store.record import Record


def given(level: str | None, threshold: str | None, p99_threshold: str | None) -> RuleOptions:
    """Parse level and thresholds of the command line.

    Raises:
        BadInput: a value is not a share.
    """
    tail = None
    if p99_threshold is not None:
        none = p99_threshold.strip() == "none"
        tail = (
            math.inf
            if none
            else quantities.share(p99_threshold, "--p99-threshold", most=10.0, or_least=True, or_most=True)
        )
    return RuleOptions(
        None if level is None else quantities.share(level, "--level"),
        None if threshold is None else quantities.share(threshold, "--threshold", or_least=True),
        tail,
    )


def read_stored(a: str, b: str | None, limits: RuleOptions) -> Comparison | None:
    """Compute a comparison of what is stored; None: both operands are to be driven.

    Args:
        a: the first operand; alone, the folder of a stored comparison.
        b: the second operand, or None.
        limits: level and thresholds, if given.

    Raises:
        BadInput: the operands make no sense, alone or together.
    """
    if b is None:
        if not is_run(a):
            raise BadInput(f"compare {a} with what? Name two stacks, builds or runs, or one comparison's folder alone")
        return comparison.read(Record(Path(a)), limits)
    runs = [is_run(a), is_run(b)]
    if all(runs):
        return stored.compared(Record(Path(a)), Record(Path(b)), limits.over(Rule()))
    if any(runs):
        raise BadInput(f"{a} and {b}: one is a stored run and the other is not; name two runs, or two stacks")
    return None
