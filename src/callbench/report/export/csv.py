"""The report as CSV: a line a cell, decimal points whatever the locale."""

import csv
import io
import json

from callbench.analysis.subject import Subject
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
_RATES = ("rate_per_s", "rate_per_s_low", "rate_per_s_high", "timed")
_LATENCIES = ("p50", "p90", "p99", "p999", "max", "mean")


def text(subject: Subject) -> str:
    """Write it: rates in calls a second, latencies in microseconds, objects as JSON."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    header = [
        *_PLAIN,
        "args",
        "errors",
        *_RATES,
        *(f"latency_{name}_us" for name in _LATENCIES),
        "counts_agree",
        "excluded",
    ]
    writer.writerow(header)
    for cell in shown(subject)["cells"]:
        latencies = cell["latency_us"]
        writer.writerow(
            [
                *(cell[name] for name in _PLAIN),
                json.dumps(cell["args"], sort_keys=True),
                json.dumps(cell["errors"], sort_keys=True),
                *(_number(cell[name]) for name in _RATES),
                *(_number(latencies[name]) for name in _LATENCIES),
                str(cell["counts_agree"]).lower(),
                cell["excluded"] or "",
            ]
        )
    return out.getvalue()


def _number(value: float | str | None) -> str:
    """Write a number with six digits, which is more than any interval supports; nothing where there is none."""
    return f"{value:.6g}" if isinstance(value, float) else str(value or "")
