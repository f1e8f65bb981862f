"""Turn the two operands of `callbench compare` into a comparison: run it, compute it from two runs, or read it."""

import math
from pathlib import Path

from callbench.analysis.compare import comparison, stored
from callbench.analysis.compare.comparison import Comparison, RuleOptions
from callbench.analysis.compare.verdicts import Rule
from callbench.catalog.catalogue import Catalogue
from callbench.model import quantities
from callbench.model.errors import BadInput
from callbench.runner.compare import execution
from callbench.runner.compare.execution import ComparisonRequest
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


def run_or_read(
    a: str, b: str | None, request: ComparisonRequest, given: RuleOptions, catalogue: Catalogue
) -> Comparison:
    """Compare what the operands mean.

    Args:
        a: the first operand; alone, the folder of a stored comparison.
        b: the second operand, or None.
        request: options of a new comparison.
        given: level and thresholds, if given.
        catalogue: all stacks.

    Raises:
        BadInput: the operands make no sense, alone or together.
        Stopped: the user stopped it.
        CallbenchError: the folder cannot be written.
    """
    if b is None:
        if not is_run(a):
            raise BadInput(f"compare {a} with what? Name two stacks, builds or runs, or one comparison's folder alone")
        return comparison.read(Record(Path(a)), given)
    runs = [is_run(a), is_run(b)]
    if all(runs):
        return stored.compared(Record(Path(a)), Record(Path(b)), given.over(Rule()))
    if any(runs):
        raise BadInput(f"{a} and {b}: one is a stored run and the other is not; name two runs, or two stacks")
    return comparison.read(Record(execution.run_comparison(execution.check_request(request), catalogue)), given)
