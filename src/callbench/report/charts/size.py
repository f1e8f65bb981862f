"""How many bytes a call's two messages take, by format."""

from collections.abc import Sequence

from callbench.report.charts.palette import SERIES, WIDTH, Spec
from callbench.results import Codec


def size(codecs: Sequence[Codec]) -> Spec | None:
    """Describe the chart of one group: a bar a message, request and answer one behind the other."""
    values = [
        {
            "message": one.message,
            "direction": one.direction,
            "bytes": one.bytes,
            "order": int(one.direction == "answer"),
        }
        for one in codecs
    ]
    if not values:
        return None
    return {
        "width": WIDTH,
        "height": {"step": 22},
        "data": {"values": values},
        "mark": {"type": "bar", "height": {"band": 0.7}},
        "encoding": {
            "y": {
                "field": "message",
                "type": "nominal",
                "sort": {"field": "bytes", "op": "sum"},
                "axis": {"title": None},
            },
            "x": {
                "field": "bytes",
                "type": "quantitative",
                "axis": {"title": "bytes a call, without channel", "format": "~s", "tickCount": 6},
            },
            "order": {"field": "order"},
            "color": {
                "field": "direction",
                "type": "nominal",
                "scale": {"domain": ["request", "answer"], "range": [SERIES[2], SERIES[0]]},
            },
        },
    }
