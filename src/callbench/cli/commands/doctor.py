"""`callbench doctor`."""

from callbench.cli.options.parameters import AsJson
from callbench.cli.outcome.output import known_stacks, show_rows


def command(as_json: AsJson = False) -> None:
    """Report what this machine can run, and how to install the rest.

    Each row has a subject, its state, what was found, and the command or advice that helps.
    """
    from callbench.runner.setup import doctor

    rows = [finding.record() for finding in doctor.findings(known_stacks(quiet=True))]
    show_rows(rows, ("subject", "state", "found", "remedy"), as_json=as_json)
