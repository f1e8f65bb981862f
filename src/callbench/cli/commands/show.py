"""`callbench show`."""

from callbench.cli.options.parameters import AsJson, StoredResult
from callbench.cli.outcome.output import console, print_json


def command(path: StoredResult, as_json: AsJson = False) -> None:
    """Print a stored result.

    That is a run with its cells, a comparison, a load test, a soak, an overload, a torture or a peer study.
    A folder of an imported service is shown with its calls and losses.
    """
    from callbench.report import records

    if as_json:
        print_json(records.as_record(path))
    else:
        records.show(path, console())
