"""Message × channel as a heat map: a panel a call, with who is fastest, who ties, and the published value below."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from callbench.report.charts.marks import SAID, answering, value_text
from callbench.report.charts.palette import FAINT, INK, SERIES, Spec

# The least and the greatest share of the colour: dark enough to differ, light enough for the values on it.
_PALE, _DEEP = 0.04, 0.45
# Pixels of a cell: its width, on a phone too, and its height with a published value and without.
_WIDE, _PHONE, _HIGH, _LOW = 39, 33, 30, 22
_STANDS = {"first": "the highest rate", "tie": "may be the fastest", "at least": "may be the fastest"}


@dataclass(frozen=True)
class HeatCell:
    """One message over one channel.

    Attributes:
        rate: calls/s, for its colour.
        text: the rate as it stands in the cell.
        standing: `first`, `tie`, or "" for the others.
        published: the published value as it was printed, or "".
        ends: of the interval of the rate, or None.
    """

    message: str
    channel: str
    rate: float
    text: str
    standing: str = ""
    published: str = ""
    ends: tuple[float, float] | None = None


@dataclass(frozen=True)
class CallPanel:
    """One call."""

    title: str
    cells: Sequence[HeatCell]


@dataclass(frozen=True)
class Layout:
    """What all panels have alike.

    Attributes:
        messages: the columns, from left to right.
        channels: the rows, from above to below.
        phone: whether it is for a narrow screen: panels then stand below each other.
    """

    messages: Sequence[str]
    channels: Sequence[str]
    phone: bool = False


def heat_map(panels: Sequence[CallPanel], layout: Layout) -> Spec:
    """Describe the chart.

    Args:
        panels: one or more, from left to right, on a phone from above to below.
        layout: their columns and rows.
    """
    published = any(cell.published for panel in panels for cell in panel.cells)
    every = [
        _panel(panel, _axes(layout, named=layout.phone or not place), published=published, phone=layout.phone)
        for place, panel in enumerate(panels)
    ]
    return {"vconcat" if layout.phone else "hconcat": every, "spacing": 22 if layout.phone else 14}


def _panel(panel: CallPanel, axes: Spec, *, published: bool, phone: bool) -> Spec:
    """Draw one call; its colours are its own, from its lowest rate to its highest."""
    logs = [math.log(cell.rate) for cell in panel.cells]
    low, high = min(logs), max(logs)
    shares = [(log - low) / (high - low) if high > low else 0.5 for log in logs]
    heats = [_PALE + (_DEEP - _PALE) * share for share in shares]
    values = [
        {
            "message": cell.message,
            "channel": cell.channel,
            "rate": cell.text,
            "standing": cell.standing,
            "published": cell.published,
            "heat": heat,
            SAID: _said(panel.title, cell),
        }
        for cell, heat in zip(panel.cells, heats, strict=True)
    ]
    title = {"text": panel.title, "anchor": "start", "frame": "group", "fontSize": 13, "fontWeight": 600, "offset": 6}
    frames = (_frames("tie", 1.0, FAINT), _frames("first", 2.5, INK))
    return {
        "title": {**title, "color": INK},
        "width": {"step": _PHONE if phone else _WIDE},
        "height": {"step": _HIGH if published else _LOW},
        "data": {"values": values},
        "encoding": axes,
        "layer": [answering(_colours()), *frames, *_texts(phone=phone, published=published)],
    }


def _said(call: str, cell: HeatCell) -> str:
    """Say what a cell is, and how it stands."""
    bound = f"{cell.text[0]} " if cell.text[:1] in {"≥", "≤"} else ""
    parts = [f"{call}, {cell.message} over {cell.channel}: {bound}{value_text(cell.rate, cell.ends, 'calls/s')}"]
    parts += [_STANDS[cell.standing]] if cell.standing in _STANDS else []
    parts += [f"published: {cell.published}"] if cell.published else []
    return ", ".join(parts)


def _axes(layout: Layout, *, named: bool) -> Spec:
    """Describe columns and rows; only the first panel names the rows if it stands beside others."""
    plain = {"title": None, "ticks": False, "domain": False, "grid": False}
    above = {**plain, "orient": "top", "labelAngle": -38, "labelColor": FAINT, "labelFontSize": 11}
    # Room for names in a wider font than the one that the chart was laid out with.
    room = {"minExtent": (6 if layout.phone else 7) * max(map(len, layout.channels))} if named else {}
    size = 10.5 if layout.phone else 12
    left = {**plain, "labelPadding": 6, "labels": named, "labelColor": INK, "labelFontSize": size, **room}
    return {
        "x": {"field": "message", "type": "nominal", "scale": {"domain": list(layout.messages)}, "axis": above},
        "y": {"field": "channel", "type": "nominal", "scale": {"domain": list(layout.channels)}, "axis": left},
    }


def _colours() -> Spec:
    """Draw the colour of every cell."""
    opacity = {"field": "heat", "type": "quantitative", "scale": None, "legend": None}
    return {"mark": {"type": "rect", "color": SERIES[0], "stroke": None}, "encoding": {"fillOpacity": opacity}}


def _frames(standing: str, width: float, colour: str) -> Spec:
    """Draw a frame within the cells of one standing."""
    size: Spec = {"width": {"band": 0.92}, "height": {"band": 0.9}}
    mark = {"type": "rect", "filled": False, "stroke": colour, "strokeWidth": width, "cornerRadius": 2, **size}
    return {"transform": [{"filter": f"datum.standing === '{standing}'"}], "mark": mark}


def _texts(*, phone: bool, published: bool) -> list[Spec]:
    """Write the rate of every cell, and the published value below it."""
    size = 9.5 if phone else 11
    rate = {"type": "text", "color": INK, "fontSize": size, "dy": -5 if published else 0}
    texts: list[Spec] = [{"mark": rate, "encoding": {"text": {"field": "rate", "type": "nominal"}}}]
    if published:
        below = {"type": "text", "color": FAINT, "fontSize": size - 1.5, "fontStyle": "italic", "dy": 7}
        texts.append({"mark": below, "encoding": {"text": {"field": "published", "type": "nominal"}}})
    return texts
