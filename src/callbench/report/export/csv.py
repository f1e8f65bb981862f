"""The report as CSV: a line a cell, decimal points whatever the locale."""

import csv
import io
import json

from callbench.analysis.subject import Subject
from callbench.model.metrics.registry import VALUES
from callbench.report.export.show import shown

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
    "blocks",
    "trials",
    "calls",
)
_ENDS = {"": "value", "_low": "low", "_high": "high"}


def text(subject: Subject) -> str:
    """Write it: each metric that a cell has, in its unit, with its 95 % interval; objects as JSON."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    cells = shown(subject)["cells"]
    present = [name for name in VALUES if any(name in cell["metrics"] for cell in cells)]
    columns = [f"{name}{end}" for name in present for end in _ENDS]
    writer.writerow([*_PLAIN, "args", "errors", "timed", *columns, "counts_agree", "excluded"])
    for cell in cells:
        found = cell["metrics"]
        writer.writerow(
            [
                *(cell[name] for name in _PLAIN),
                json.dumps(cell["args"], sort_keys=True),
                json.dumps(cell["errors"], sort_keys=True),
                cell["timed"] or "",
                *(_number(found.get(name, {}).get(key)) for name in present for key in _ENDS.values()),
                str(cell["counts_agree"]).lower(),
                cell["excluded"] or "",
            ]
        )
    return out.getvalue()


def _number(value: float | None) -> str:
    """Write a number with six digits, which is more than any interval supports; nothing where there is none."""
    return "" if value is None else f"{value:.6g}"
