"""What writing and reading a call's messages takes, without any channel."""

from collections.abc import Sequence

from callbench.report.charts.palette import SERIES, WIDTH, Spec
from callbench.results import Codec

STEPS = ("request, encode", "request, decode", "answer, encode", "answer, decode")


def codec(codecs: Sequence[Codec]) -> Spec | None:
    """Describe the chart of one group: a bar a message, its four parts one behind the other in the order of a call."""
    values = [
        {
            "message": one.message,
            "step": f"{one.direction}, {name}",
            "us": ns / 1e3,
            "order": STEPS.index(f"{one.direction}, {name}"),
        }
        for one in codecs
        for name, ns in (("encode", one.encode_ns), ("decode", one.decode_ns))
    ]
    if not values:
        return None
    return {
        "width": WIDTH,
        "height": {"step": 22},
        "data": {"values": values},
        "mark": {"type": "bar", "height": {"band": 0.7}},
        "encoding": {
            "y": {"field": "message", "type": "nominal", "sort": {"field": "us", "op": "sum"}, "axis": {"title": None}},
            "x": {
                "field": "us",
                "type": "quantitative",
                "axis": {"title": "microseconds a call", "format": "~s", "tickCount": 6},
            },
            "order": {"field": "order"},
            "color": {
                "field": "step",
                "type": "nominal",
                "scale": {"domain": list(STEPS), "range": [SERIES[2], SERIES[4], SERIES[0], SERIES[1]]},
            },
        },
    }
