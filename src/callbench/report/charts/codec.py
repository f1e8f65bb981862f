"""What writing and reading a call's messages takes, without any channel."""

from collections.abc import Sequence

from callbench.analysis.cells.messages import CodecCost, labels
from callbench.report.charts.bars import Fields, bars
from callbench.report.charts.palette import SERIES, Spec

STEPS = ("request, encode", "request, decode", "answer, encode", "answer, decode")


def codec(codecs: Sequence[CodecCost]) -> Spec | None:
    """Describe the chart of one group: a bar a message, its four parts one behind the other in the order of a call."""
    names = labels(codecs)
    values = [
        {
            "message": names[measured.stack],
            "step": f"{measured.direction}, {name}",
            "us": ns / 1e3,
            "order": STEPS.index(f"{measured.direction}, {name}"),
        }
        for measured in codecs
        for name, ns in (("encode", measured.encode_ns), ("decode", measured.decode_ns))
    ]
    if not values:
        return None
    colours = dict(zip(STEPS, (SERIES[2], SERIES[4], SERIES[0], SERIES[1]), strict=True))
    return bars(values, Fields("message", "step", "us"), "microseconds per call", colours)
