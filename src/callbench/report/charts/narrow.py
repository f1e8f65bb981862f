"""A chart once more for a narrow screen: one column, names in lines, nothing that must be scrolled sideways."""

import copy
import json
import re
import textwrap
from collections.abc import Iterator

from callbench.report.charts.palette import Spec

# What a screen of 360 px leaves between the page's margins.
PHONE = 328
LEAST = 110
_NAME, _TITLE = 18, 34
_WITH_LEGENDS = ("color", "shape", "stroke", "fill")
# Of a name in a legend, which has a whole line for itself.
_LISTED = 36
_LINE = 13
FIRST = 190


def narrow(spec: Spec, width: float = FIRST) -> Spec:
    """Describe the same chart for a narrow screen.

    Args:
        spec: for a wide one; it is left as it is.
        width: of what is plotted, in pixels, without names and axes.
    """
    made = copy.deepcopy(spec)
    if "hconcat" in made:
        made["vconcat"] = made.pop("hconcat")
    if "facet" in made:
        made["columns"] = 1
    lines = {name: _lines(name) for name in _names(made)}
    for part in _dicts(made):
        if isinstance(part.get("width"), int | float) and ("mark" in part or "layer" in part or part is made):
            part["width"] = width
        axis = part.get("axis")
        if isinstance(axis, dict):
            _axis(part, axis, lines)
        _legends(part)
    most = max(map(len, lines.values()), default=1)
    for part in _dicts(made):
        height = part.get("height")
        if isinstance(height, dict) and "step" in height and most > 1:
            height["step"] = max(height["step"], most * _LINE + 5)
    return made


def _axis(channel: Spec, axis: Spec, lines: dict[str, list[str]]) -> None:
    """Break an axis's long title, and its names."""
    title = axis.get("title")
    if isinstance(title, str) and len(title) > _TITLE:
        axis["title"] = textwrap.wrap(title, _TITLE)
    if channel.get("type") == "nominal":
        longest = max((len(line) for name in lines.values() for line in name), default=0)
        axis |= {"minExtent": min(7 * longest, 7 * _NAME), "labelLimit": 200, "labelLineHeight": _LINE}
        axis["labelExpr"] = _broken(lines)


def _legends(part: Spec) -> None:
    """Give each name of a legend lines of its own, and break the long ones."""
    if isinstance(part.get("legend"), dict):
        part["legend"].pop("columns", None)
    for channel in (part.get(name) for name in _WITH_LEGENDS):
        if not isinstance(channel, dict) or channel.get("legend", {}) is None:
            continue
        if long := {name: _lines(name, _LISTED) for name in _domain(channel) if len(name) > _LISTED}:
            channel["legend"] = {**channel.get("legend", {}), "labelExpr": _broken(long)}


def _broken(lines: dict[str, list[str]]) -> str:
    """Write the expression that gives a name in its lines."""
    return f"({json.dumps(lines, ensure_ascii=False)})[datum.label] || datum.label"


def columns(spec: Spec, width: float) -> int:
    """Return how many names of its legends fit beside each other, with room for wider fonts."""
    names = [name for part in _dicts(spec) for name in _domain(part)]
    return max(1, min(7, int(width // (7.5 * max(map(len, names), default=10) + 34))))


def _domain(part: Spec) -> list[str]:
    """List what a colour's or a shape's scale names."""
    scale = part.get("scale")
    domain = scale.get("domain") if isinstance(scale, dict) else None
    return [name for name in domain if isinstance(name, str)] if isinstance(domain, list) else []


def _names(spec: Spec) -> list[str]:
    """List the names along nominal axes, from the data."""
    parts = list(_dicts(spec))
    fields = {part["field"] for part in parts if part.get("type") == "nominal" and "axis" in part}
    values = (row.get(field) for part in parts for row in _rows(part) for field in fields)
    return list(dict.fromkeys(name for name in values if isinstance(name, str)))


def _rows(part: Spec) -> list[Spec]:
    data = part.get("data")
    rows = data.get("values") if isinstance(data, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _lines(name: str, most: int = _NAME) -> list[str]:
    """Break a name after what parts it: `load/http1:pascal/` and `fphttpserver`."""
    lines = [""]
    for piece in re.findall(r"[^/+:\s-]*[/+:\s-]|[^/+:\s-]+", name):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > most:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines]


def _dicts(node: object) -> Iterator[Spec]:
    """Walk through a description; rows of data are no part of it."""
    if isinstance(node, dict):
        yield node
        for key, value in node.items():
            if key != "values":
                yield from _dicts(value)
    elif isinstance(node, list):
        for child in node:
            yield from _dicts(child)
