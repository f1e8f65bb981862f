"""A drawn chart without what no reader sees: empty groups, roles, styles that repeat, long decimals."""

import itertools
import re
from collections.abc import Sequence
from functools import partial
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

from callbench.report.charts.path_data import shorter
from callbench.report.charts.pens import BAR, draw_with_pens

# The chart has one label as a whole; its marks have none.
_UNSEEN = ("class", "role", "aria-hidden", "aria-roledescription", "aria-label", "pointer-events", "font-family")
# What is so without being said, of text also by the style of the page.
_DEFAULTS = {
    "opacity": "1",
    "stroke-width": "1",
    "font-weight": "normal",
    "font-size": "12px",
    "text-anchor": "start",
    "stroke-dasharray": "",
}
# Attributes that a group hands on to what stands in it. Opacity is not: it would be that of the group as a whole.
_INHERITED = (
    "fill", "fill-opacity", "font-size", "font-style", "font-weight", "stroke", "stroke-dasharray", "stroke-linecap",
    "stroke-opacity", "stroke-width", "text-anchor",
)  # fmt: skip
_NUMBER = re.compile(r"-?\d*\.\d+(?:e-?\d+)?")
_MOVED = re.compile(r"translate\(([-\d.]+),([-\d.]+)\)")
# Places of the picture, and what else moving it would change.
_ABSOLUTE = re.compile(r"([MLC])([-\d.,]+)")
_PAIR = re.compile(r"(-?[\d.]+),(-?[\d.]+)")
_OTHER = re.compile(r"[HVA]")
# More save less than longer places take.
_FEW = 3
# Rounded edges of neighbours may differ by so many pixels.
_TOUCH = 0.15
_CORNERS = re.compile(r"M[-\d.,]+(?:L[-\d.,]+)+Z|M[-\d.,]+h[-\d.]+v[-\d.]+h[-\d.]+Z")
_CORNER = re.compile(r"[ML](-?[\d.]+),(-?[\d.]+)")
_CIRCLE = re.compile(r"M([\d.]+),0A\1,\1,0,1,1,-\1,0A\1,\1,0,1,1,\1,0")


def compact(svg: str) -> str:
    """Return the same picture in fewer bytes.

    Args:
        svg: what stands within the element `svg`, as Vega writes it.
    """
    root = ET.fromstring(f"<svg>{svg}</svg>")  # noqa: S314 - drawn by Vega from our own figures
    for element in root.iter():
        _plain(element)
    _prune(root)
    for path in root.iter("path"):
        path.set("d", shorter(path.get("d", "")))
    return "".join(ET.tostring(child, encoding="unicode") for child in root).replace(" />", "/>")


def _plain(element: Element) -> None:
    """Drop an element's attributes that show nothing, and round the others to a tenth of a pixel."""
    for name in _UNSEEN:
        element.attrib.pop(name, None)
    for name, value in _DEFAULTS.items():
        if element.get(name) == value:
            del element.attrib[name]
    for name, value in element.attrib.items():
        if name not in {"id", "clip-path"}:
            element.set(name, _NUMBER.sub(_rounded, value))
    _placed(element)
    # Vega gives a mark a width of its rim also where it has none.
    if element.tag == "path" and "stroke" not in element.attrib:
        element.attrib.pop("stroke-width", None)


def _placed(element: Element) -> None:
    """Say where a text, a line or a mark is by its own attributes instead of a transformation."""
    moved = _MOVED.fullmatch(element.get("transform", ""))
    x, y = moved.groups() if moved else ("0", "0")
    circle = _CIRCLE.fullmatch(element.get("d", ""))
    # The lines of a text have places of their own, from where it is moved to.
    if element.tag == "text" and moved and not len(element):
        element.attrib |= {"x": f"{float(x):.0f}", "y": f"{float(y):.0f}"}
    elif element.tag == "line":
        element.tag = "path"
        across, down = element.attrib.pop("x2", "0"), element.attrib.pop("y2", "0")
        drawn = f"h{across}" if down == "0" else f"v{down}" if across == "0" else f"l{across},{down}"
        element.set("d", f"M{x},{y}{drawn}")
    elif circle and moved:
        radius = float(circle[1])
        around, across = f"a{_short(radius)},{_short(radius)},0,1,0,", _short(2 * radius)
        element.set("d", f"M{_short(float(x) - radius)},{y}{around}{across},0{around}-{across},0")
    elif element.tag == "path" and moved and _CORNERS.fullmatch(element.get("d", "")):
        element.set("d", _shape(element.attrib["d"], float(x), float(y)))
    elif (x, y) != ("0", "0"):
        return
    if moved:
        del element.attrib["transform"]


def _shape(drawn: str, x: float, y: float) -> str:
    """Draw a mark at its place, each corner from the one before: its neighbours can then share a path with it."""
    corners = [(float(match[1]), float(match[2])) for match in _CORNER.finditer(drawn)]
    (across, down), *others = corners
    text = f"M{_short(x + across)},{_short(y + down)}"
    for to_x, to_y in others:
        text += f"l{_short(to_x - across)},{_short(to_y - down)}"
        across, down = to_x, to_y
    return text + (drawn[drawn.index("h") :] if "h" in drawn else "Z")


def _short(value: float) -> str:
    """Write a number of pixels with one decimal at most."""
    return "0" if abs(value) < 0.05 else f"{value:.1f}".removesuffix(".0")


def _rounded(number: re.Match[str]) -> str:
    """Write a number with one decimal; with two where it is below one, as an opacity is."""
    value = float(number[0])
    text = f"{value:.{2 if abs(value) < 1 else 1}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _prune(parent: Element) -> None:
    """Take away what draws nothing, open groups that say nothing, and say once what all of a group have in common."""
    for child in list(parent):
        _prune(child)
        if _draws_nothing(child):
            parent.remove(child)
        elif child.tag == "g" and len(child) == 1 and _can_merge(child, child[0]):
            _merge(parent, child)
        elif child.tag == "g" and (not child.attrib or _move_what_is_in(child)):
            place = list(parent).index(child)
            parent.remove(child)
            for offset, inner in enumerate(child):
                parent.insert(place + offset, inner)
    if parent.tag == "g" and len(parent) > 1:
        _sort_bars(parent)
        _join_paths(parent)
        draw_with_pens(parent)
        _hand_on(parent)


def _draws_nothing(element: Element) -> bool:
    """Return whether an element is an empty group, an empty path, a frame without a colour, or cannot be seen."""
    if element.tag == "g":
        return len(element) == 0
    if element.get("opacity") == "0":
        return True
    if element.tag == "path":
        return not element.get("d") or not {"fill", "stroke"} & element.attrib.keys()
    return element.tag == "text" and not element.text and not len(element)


def _can_merge(group: Element, only: Element) -> bool:
    """Return whether the only element of a group can have the group's attributes itself."""
    apart = {"clip-path", "opacity", "id"}
    return not apart & (group.attrib.keys() | only.attrib.keys()) and only.tag in {"g", "path", "text"}


def _merge(parent: Element, group: Element) -> None:
    """Put the only element of a group in its place."""
    (only,) = group
    moves = " ".join(filter(None, (group.get("transform"), only.get("transform"))))
    only.attrib = {**group.attrib, **only.attrib} | ({"transform": moves} if moves else {})
    parent[list(parent).index(group)] = only


def _move_what_is_in(group: Element) -> bool:
    """Move the few marks and texts of a group that is nothing but moved, as an entry of a legend is; so it can go."""
    moved = _MOVED.fullmatch(group.get("transform", ""))
    if moved is None or len(group.attrib) > 1 or len(group) > _FEW:
        return False
    if any("transform" in child.attrib or child.tag == "g" or len(child) for child in group):
        return False
    if any(_OTHER.search(child.get("d", "")) for child in group):
        return False
    x, y = map(float, moved.groups())
    for child in group:
        if child.tag == "text":
            child.attrib |= {"x": f"{x + float(child.get('x', '0')):.0f}", "y": f"{y + float(child.get('y', '0')):.0f}"}
        else:
            child.set(
                "d",
                _ABSOLUTE.sub(lambda part: part[1] + _PAIR.sub(partial(_shifted, x, y), part[2]), child.attrib["d"]),
            )
    return True


def _shifted(x: float, y: float, pair: re.Match[str]) -> str:
    return f"{_short(x + float(pair[1]))},{_short(y + float(pair[2]))}"


def _sort_bars(group: Element) -> None:
    """Put bars of one style beside each other, if none lies over another: then their order shows nothing."""
    for is_bar, run in itertools.groupby(list(group), lambda child: BAR.fullmatch(child.get("d", "")) is not None):
        bars = list(run)
        if not is_bar or len(bars) < 3 or any("transform" in bar.attrib for bar in bars) or _overlap(bars):
            continue
        first = list(group).index(bars[0])
        styles = list(dict.fromkeys(map(_paint, bars)))
        group[first : first + len(bars)] = sorted(bars, key=lambda bar: styles.index(_paint(bar)))


def _paint(element: Element) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, value) for name, value in element.attrib.items() if name != "d"))


def _overlap(bars: Sequence[Element]) -> bool:
    """Return whether a bar reaches more than a tenth of a pixel into another."""
    boxes = []
    for bar in bars:
        x, y, width, height = map(float, BAR.fullmatch(bar.attrib["d"]).groups())  # type: ignore[union-attr]
        boxes.append((x, y, x + width, y + height))
    return any(
        min(a[2], b[2]) - max(a[0], b[0]) > _TOUCH and min(a[3], b[3]) - max(a[1], b[1]) > _TOUCH
        for a, b in itertools.combinations(boxes, 2)
    )


def _join_paths(group: Element) -> None:
    """Make one path of those that follow each other in one style."""
    last: Element | None = None
    for child in list(group):
        if child.tag != "path" or "transform" in child.attrib:
            last = None
        elif last is not None and {**last.attrib, "d": ""} == {**child.attrib, "d": ""}:
            last.set("d", last.attrib["d"] + child.attrib["d"])
            group.remove(child)
        else:
            last = child


def _hand_on(group: Element) -> None:
    """Move what every child of a group has alike to the group; else what neighbours have alike to a group of theirs."""
    for name in _INHERITED:
        values = {child.get(name) for child in group}
        if len(values) == 1 and None not in values and name not in group.attrib:
            group.set(name, str(values.pop()))
            for child in group:
                del child.attrib[name]
    runs = [list(run) for _, run in itertools.groupby(list(group), _style)]
    for run in runs if len(runs) > 1 else ():
        style = _style(run[0])
        if len(run) > 1 and style:
            part = Element("g", dict(style))
            group.insert(list(group).index(run[0]), part)
            for child in run:
                group.remove(child)
                part.append(child)
                for name, _ in style:
                    del child.attrib[name]


def _style(element: Element) -> tuple[tuple[str, str], ...]:
    """Return what an element could take from a group instead."""
    return tuple((name, element.attrib[name]) for name in _INHERITED if name in element.attrib)
