"""What the marks of a chart say, and where they lie: of what a mark is, its value and its interval."""

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

from markupsafe import Markup

from callbench.report.charts.palette import Spec
from callbench.stats.estimate.digits import end, figure, given
from callbench.stats.estimate.interval import Interval

# The member of a row of data that says it.
SAID = "said"
_NAMES = ("y", "x", "xOffset", "yOffset", "row", "column", "facet", "color", "detail")
_MOVED = re.compile(r"translate\(([-\d.]+),([-\d.]+)\)")
_BAR = re.compile(r"M([-\d.]+),([-\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+Z")
# More of a line than these answer to nobody: they lie on each other.
_MOST_OF_A_LINE = 60


@dataclass(frozen=True)
class PlacedMark:
    """A mark in a drawn chart: its middle, in pixels, and what it says."""

    x: float
    y: float
    text: str


def answering(layer: Spec) -> Spec:
    """Return a layer whose marks say what they are."""
    mark = layer["mark"] if isinstance(layer["mark"], dict) else {"type": layer["mark"]}
    description = {"field": SAID, "type": "nominal"}
    return {
        **layer,
        "mark": {**mark, "aria": True},
        "encoding": {**layer.get("encoding", {}), "description": description},
    }


def answering_line(layer: Spec, rows: Sequence[Mapping[str, object]]) -> list[Spec]:
    """Return a line and, unseen, the points on it that say what they are.

    Args:
        layer: of lines.
        rows: its data.
    """
    every = -(-len(rows) // _MOST_OF_A_LINE)
    mark = {"type": "point", "filled": True, "opacity": 0}
    # A dash is no property of a point.
    encoding = {name: channel for name, channel in layer.get("encoding", {}).items() if name != "strokeDash"}
    return [layer, answering({"data": {"values": list(rows[::every])}, "mark": mark, "encoding": encoding})]


def said(spec: Spec) -> Spec:
    """Return a description in which each row of data says what its mark is, where the chart does not say it itself."""
    made = copy.deepcopy(spec)
    for rows, encoding in _answering_parts(made, [], {}):
        for row in rows:
            row.setdefault(SAID, _sentence(row, encoding))
    return made


def _answering_parts(part: Spec, rows: list[Spec], encoding: Spec) -> Iterator[tuple[list[Spec], Spec]]:
    """Find the layers that answer, with their data and what they encode."""
    rows = part.get("data", {}).get("values", rows)
    facet = {"facet": part["facet"]} if "facet" in part else {}
    encoding = {**encoding, **facet, **part.get("encoding", {})}
    if "description" in encoding:
        yield rows, encoding
    for inner in (*part.get("layer", ()), *part.get("hconcat", ()), *part.get("vconcat", ())):
        yield from _answering_parts(inner, rows, encoding)
    if "spec" in part:
        yield from _answering_parts(part["spec"], rows, encoding)


def _sentence(row: Spec, encoding: Spec) -> str:
    """Write a row: the names that its mark has, and its values along the axes."""
    channels = [encoding[name] for name in _NAMES if isinstance(encoding.get(name), dict)]
    names = [str(row[at["field"]]) for at in channels if at.get("type") == "nominal" and row.get(at.get("field"))]
    values = [
        _measured(row, encoding[name])
        for name in ("x", "y")
        if encoding.get(name, {}).get("type") == "quantitative" and encoding[name].get("field") in row
    ]
    return ": ".join(filter(None, (", ".join(dict.fromkeys(names)), ", ".join(values))))


def _measured(row: Spec, channel: Spec) -> str:
    """Write a value along an axis, with its interval if the row has one of it: `4 clients`, `mean 12 µs (11 to 13)`."""
    title = ((channel.get("axis") or {}).get("title") or channel["field"]).removesuffix(", logarithmic")
    ends = (row["low"], row["high"]) if {"low", "high"} <= row.keys() and _between(row, channel["field"]) else None
    name, _, unit = title.rpartition(", ")
    # A ratio has no unit.
    name, unit = (f"{name} {unit}", "") if unit == "ratio" else (name, unit)
    return f"{name} {value_text(row[channel['field']], ends, unit)}".strip()


def _between(row: Spec, field: str) -> bool:
    return bool(row["low"] <= row[field] <= row["high"])


def value_text(value: float, ends: tuple[float, float] | None = None, unit: str = "") -> str:
    """Write a value with its interval: `12,300 calls/s (11,900 to 12,700)`; without one where both ends are the value.

    Args:
        value: in the unit.
        ends: of its 95 % interval, if it has one.
        unit: what it is measured in, if that is to be said.
    """
    # `1 client`, and not `1 m`.
    unit = unit.removesuffix("s") if value == 1 and unit.isalpha() and len(unit) > 2 else unit
    unit = f" {unit}" if unit else ""
    if ends is None or ends[0] == ends[1]:
        return (given(value) if float(value).is_integer() else figure(value)) + unit
    half = ends[1] / value - 1 if value > 0 and ends[1] > value else None
    return f"{figure(value, half)}{unit} ({' to '.join(end(bound, value, half) for bound in ends)})"


def interval_ends(interval: Interval) -> tuple[float, float] | None:
    """Return both ends of an interval; None if it has none."""
    return None if interval.low is None or interval.high is None else (interval.low, interval.high)


def placed(svg: str) -> list[PlacedMark]:
    """Return the marks of a drawn chart that say what they are, in its order.

    Args:
        svg: what stands within the element `svg`, as Vega writes it.
    """
    return list(_placed(ET.fromstring(f"<svg>{svg}</svg>"), 0.0, 0.0))  # noqa: S314 - drawn by Vega from our own figures


def _placed(element: Element, x: float, y: float) -> Iterator[PlacedMark]:
    moved = _MOVED.match(element.get("transform", ""))
    if moved:
        x, y = x + float(moved[1]), y + float(moved[2])
    text = element.get("aria-label")
    if text and element.tag == "path" and element.get("role") == "graphics-symbol":
        bar = _BAR.fullmatch(element.get("d", ""))
        left, top, width, height = map(float, bar.groups()) if bar else (0.0, 0.0, 0.0, 0.0)
        yield PlacedMark(x + left + width / 2, y + top + height / 2, text)
    for child in element:
        yield from _placed(child, x, y)


def as_attribute(marks: Sequence[PlacedMark], texts: Sequence[str]) -> Markup:
    """Return where marks lie, in the order of their texts: `12,34 ,56 78,` in whole pixels.

    What is as of the mark before is left out.

    Args:
        marks: of a chart.
        texts: of its marks, as they are listed.
    """
    left: dict[str, list[PlacedMark]] = {}
    for mark in reversed(marks):
        left.setdefault(mark.text, []).append(mark)
    places, last = [], ("", "")
    for mark in (left[text].pop() for text in texts):
        place = f"{mark.x:.0f}", f"{mark.y:.0f}"
        places.append(",".join("" if now == before else now for now, before in zip(place, last, strict=True)))
        last = place
    return Markup(' data-at="{}"').format(" ".join(places))


def as_list(texts: Sequence[str]) -> Markup:
    """Return what marks say, folded: for those who cannot point, and for the script of the page."""
    items = Markup("").join(Markup("<li>{}</li>").format(text) for text in texts)
    return Markup('<details class="values"><summary>Values of this chart</summary><ol>{}</ol></details>').format(items)
