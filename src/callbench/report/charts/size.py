"""How many bytes a call's two messages take, by format."""

from collections.abc import Sequence

from callbench.analysis.cells.messages import CodecCost, labels
from callbench.report.charts.bars import Fields, bars
from callbench.report.charts.marks import SAID
from callbench.report.charts.palette import SERIES, Spec


def size(codecs: Sequence[CodecCost]) -> Spec | None:
    """Describe the chart of one group: a bar a message, request and answer one behind the other."""
    names = labels(codecs)
    values = [
        {
            "message": names[codec.stack],
            "direction": codec.direction,
            "bytes": codec.bytes,
            "order": int(codec.direction == "answer"),
            SAID: f"{names[codec.stack]}, {codec.direction}: {codec.bytes:,.0f} bytes",
        }
        for codec in codecs
    ]
    if not values:
        return None
    colours = {"request": SERIES[2], "answer": SERIES[0]}
    return bars(values, Fields("message", "direction", "bytes"), "bytes per call, without channel", colours)
