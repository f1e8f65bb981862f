"""A call's time over the baseline of its channel: a panel a channel, a bar a message."""

from collections.abc import Sequence

from callbench.analysis.judge.overhead import CallOverhead
from callbench.report.charts.marks import SAID, answering, interval_ends, value_text
from callbench.report.charts.palette import FAINT, INK, SERIES, Spec

BASELINE, CODEC, UNPARTED = "baseline (channel only)", "encode and decode", "overhead that does not add up"
_PANEL = 300


def call_overhead(overheads: Sequence[CallOverhead], channels: Sequence[str]) -> Spec | None:
    """Describe the chart of one group; each panel has its own scale, since channels lie decades apart.

    Args:
        overheads: the group's cells.
        channels: panels in their order.
    """
    bars: list[Spec] = []
    for overhead in overheads:
        bars += _bars(overhead)
    if not bars:
        return None
    wholes = [
        {
            **_place(overhead),
            "whole": overhead.time.middle,
            "low": overhead.time.low or overhead.time.middle,
            "high": overhead.time.high or overhead.time.middle,
            SAID: _said(overhead, "whole call", overhead.time.middle, interval_ends(overhead.time)),
        }
        for overhead in overheads
    ]
    y = {"field": "message", "type": "nominal", "axis": {"title": None}}
    axis = {"title": "microseconds per call", "format": "~s", "tickCount": 4}
    x = {"type": "quantitative", "axis": axis, "scale": {"zero": True}}
    parts = {"domain": [BASELINE, CODEC, UNPARTED], "range": [FAINT, SERIES[0], SERIES[1]]}
    return {
        "data": {"values": bars + wholes},
        "facet": {"field": "channel", "type": "nominal", "sort": list(channels), "header": {"title": None, **_LABEL}},
        "columns": 2,
        "spacing": {"row": 18, "column": 40},
        "resolve": {"scale": {"x": "independent", "y": "independent"}},
        "spec": {
            "width": _PANEL,
            "height": {"step": 15},
            "layer": [
                answering(
                    {
                        "transform": [{"filter": "isValid(datum.part)"}],
                        "mark": {"type": "bar", "height": {"band": 0.7}},
                        "encoding": {
                            "y": y,
                            "x": {**x, "field": "from"},
                            "x2": {"field": "to"},
                            "color": {"field": "part", "type": "nominal", "scale": parts},
                        },
                    }
                ),
                {
                    "transform": [{"filter": "isValid(datum.whole)"}],
                    "mark": {"type": "rule", "strokeWidth": 1.5, "color": INK},
                    "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}},
                },
                answering(
                    {
                        "transform": [{"filter": "isValid(datum.whole)"}],
                        "mark": {"type": "point", "filled": True, "size": 26, "opacity": 1, "color": INK},
                        "encoding": {"y": y, "x": {**x, "field": "whole"}},
                    }
                ),
            ],
        },
    }


_LABEL = {"labelColor": INK, "labelFontSize": 13, "labelAnchor": "start", "labelPadding": 4}


def _place(overhead: CallOverhead) -> dict[str, str]:
    """Name the panel and the bar: other adapters' messages by the adapter too."""
    attributes = overhead.cell.attributes
    adapter = "" if attributes["adapter"] == "native" else f"{attributes['adapter']} "
    return {"channel": attributes["channel"], "message": adapter + attributes["message"]}


def _bars(overhead: CallOverhead) -> list[Spec]:
    """Cut a bar: the codec stands on the baseline only where the two add up to the whole."""
    baseline, whole = overhead.baseline.middle, overhead.time.middle
    cut = [(BASELINE, 0.0, baseline)]
    if overhead.adds_up:
        cut.append((CODEC, baseline, baseline + overhead.codec_us))
    elif whole > baseline:
        cut.append((UNPARTED, baseline, whole))
    return [
        {**_place(overhead), "part": part, "from": begin, "to": end, SAID: _said(overhead, part, end - begin)}
        for part, begin, end in cut
    ]


def _said(overhead: CallOverhead, part: str, us: float, ends: tuple[float, float] | None = None) -> str:
    place = _place(overhead)
    return f"{place['message']} over {place['channel']}, {part}: {value_text(us, ends, 'µs')}"
