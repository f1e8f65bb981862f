"""What a command of stability must end with, from what it says that it found."""

from typing import Any

from callbench.analysis.stability.findings import FAILING, Finding, outcome
from callbench.cli.outcome.exit_code import CODES
from callbench.stats.decide.decision import Outcome


def code_of(found: dict[str, Any]) -> int:
    """Give the exit code of a record that was printed."""
    findings = [Finding(one["kind"], Outcome(one["outcome"]), one["text"]) for one in found["findings"]]
    return CODES[outcome(findings, FAILING[found["kind"]])]
