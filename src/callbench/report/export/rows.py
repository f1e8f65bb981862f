"""Records as rows of plain values: what CSV, Parquet and the frames of the Python API are made of."""

import json

from callbench.analysis.run.subject import Subject
from callbench.model.metrics.registry import VALUES
from callbench.report.export.show import cell_records

_PLAIN = (
    "cell",
    "group",
    "stack",
    "message",
    "channel",
    "language",
    "call",
    "clients",
    "link",
    "forks",
    "trials",
    "calls",
)
_ENDS = {"": "value", "_low": "low", "_high": "high"}


def cell_rows(subject: Subject) -> list[dict[str, object]]:
    """Return a row for each cell of a run: every metric that any cell has, in its unit, with its 95 % interval.

    Objects are JSON texts. What a cell does not have is None.
    """
    cells = cell_records(subject)["cells"]
    present = [name for name in VALUES if any(name in cell["metrics"] for cell in cells)]
    return [
        {
            **{name: cell[name] for name in _PLAIN},
            "args": json.dumps(cell["args"], sort_keys=True),
            "errors": json.dumps(cell["errors"], sort_keys=True),
            "timed": cell["timed"],
            **{
                f"{name}{end}": cell["metrics"].get(name, {}).get(key) for name in present for end, key in _ENDS.items()
            },
            "counts_agree": cell["counts_agree"],
            "excluded": cell["excluded"],
        }
        for cell in cells
    ]
