"""Marks of a chart that are filled, drawn as lines of a wide pen: the same picture in a third of the characters."""

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element

BAR = re.compile(r"M([-\d.]+),([-\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+Z")
_DISC = re.compile(r"M([-\d.]+),([-\d.]+)a([\d.]+),\3,0,1,0,[\d.]+,0a\3,\3,0,1,0,-[\d.]+,0")
# From the upper corner of its left arm, down and around: how wide its arms are, and how far they reach.
_CROSS = re.compile(r"M([-\d.]+),([-\d.]+)l0,([\d.]+)l([\d.]+),0l0,\4l\3,0l0,-\4l\4,0l0,-\3l-\4,0l0,-\4l-\3,0l0,\4Z")
_Numbers = tuple[float, ...]


def draw_with_pens(group: Element) -> None:
    """Draw so the paths of a group that have nothing but bars, discs or crosses, all as high, wide or large.

    Args:
        group: of its paths, those of one style are one path.
    """
    paths = [child for child in group if child.tag == "path" and "fill" in child.attrib]
    bars = {path: found for path in paths if "stroke" not in path.attrib and (found := _marks(BAR, path))}
    every = [bar for found in bars.values() for bar in found]
    # One bar takes as many characters either way.
    if len(every) > 1 and len({height for *_, height in every}) == 1:
        for path, found in bars.items():
            lines = "".join(f"M{x},{y + height / 2}h{width}" for x, y, width, height in found)
            _draw(path, lines, every[0][3])
    elif len(every) > 1 and len({width for _, _, width, _ in every}) == 1:
        for path, found in bars.items():
            lines = "".join(f"M{x + width / 2},{y}v{height}" for x, y, width, height in found)
            _draw(path, lines, every[0][2])
    for path in paths:
        discs, crosses = _marks(_DISC, path), _marks(_CROSS, path)
        rim = path.get("stroke", path.get("fill"))
        if discs and rim == path.get("fill") and "fill-opacity" not in path.attrib:
            across = 2 * discs[0][2] + (float(path.get("stroke-width", "1")) if "stroke" in path.attrib else 0)
            path.set("stroke-linecap", "round")
            _draw(path, "".join(f"M{x + radius},{y}h0" for x, y, radius in discs), across)
        elif crosses and "stroke" not in path.attrib:
            _draw(path, "".join(map(_arms, crosses)), crosses[0][2])


def _marks(shape: re.Pattern[str], path: Element) -> list[_Numbers]:
    """Return the numbers of each mark of a path; none if it has another shape too, or two sizes of what has one."""
    drawn = path.get("d", "")
    found = list(shape.finditer(drawn))
    marks = [tuple(map(float, mark.groups())) for mark in found]
    whole = sum(len(mark[0]) for mark in found) == len(drawn)
    return marks if whole and (shape is BAR or len({mark[2:] for mark in marks}) == 1) else []


def _arms(cross: Sequence[float]) -> str:
    x, y, wide, reach = cross
    long = wide + 2 * reach
    return f"M{x},{y + wide / 2}h{long}M{x + long / 2},{y - reach}v{long}"


def _draw(path: Element, lines: str, width: float) -> None:
    path.attrib.pop("stroke-dasharray", None)
    path.attrib |= {"d": lines, "stroke": path.attrib.pop("fill"), "stroke-width": f"{width:.3g}"}
    if "fill-opacity" in path.attrib:
        path.set("stroke-opacity", path.attrib.pop("fill-opacity"))
