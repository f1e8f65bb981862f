"""Reads the record of a load."""

from typing import cast

from callbench.model.errors import BadInput
from callbench.store.lines.load import LOAD_LINES, LoadRecord
from callbench.store.record import Record


def read_result(run: Record) -> LoadRecord:
    """Return the result of a load, as `callbench load --json` prints it.

    Raises:
        BadInput: the record is damaged, or it has no result because the load was stopped.
    """
    last_ns = 0
    for line in LOAD_LINES.read(run.lines(), run.journal_file):
        if line["kind"] == "result":
            # The kind is of the line alone.
            return cast("LoadRecord", {name: value for name, value in line.items() if name != "kind"})
        if line["kind"] == "intervals" and line["intervals"]:
            last_ns = line["intervals"][-1][0]
    raise BadInput(f"{run.path} has no result: the load was stopped after {last_ns / 1e9:.1f} s. Measure it again")
