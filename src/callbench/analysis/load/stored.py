"""Reads the record of a load."""

from typing import Any

from callbench.model.errors import BadInput
from callbench.store.record import Record

# The journal's lines: one of `INTERVALS` each second, one `RESULT` at the end.
INTERVALS = "intervals"
RESULT = "result"


def read_result(run: Record) -> dict[str, Any]:
    """Return the result of a load, as `callbench load --json` prints it.

    Raises:
        BadInput: the record is damaged, or it has no result because the load was stopped.
    """
    last_ns = 0
    for line in run.lines():
        if line["kind"] == RESULT:
            return {name: value for name, value in line.items() if name != "kind"}
        if line["kind"] == INTERVALS:
            last_ns = int(line["intervals"][-1][0])
    raise BadInput(f"{run.path} has no result: the load was stopped after {last_ns / 1e9:.1f} s. Measure it again")
