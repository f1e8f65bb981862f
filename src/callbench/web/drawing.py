"""What a view draws of a progress: where its bars and lines lie."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from callbench.stats.estimate.digits import figure, percent

# The size of a drawing, in its own units.
WIDTH, HEIGHT = 600, 90
_BAR_WIDTH = 240
_LAST = 12
# Values that have no interval: about three digits.
_DIGITS = 0.01
# A limit that is so many times the highest value is said, and not drawn.
_FAR = 4
# Of what a command saw over time: the title, its unit, and the members of a point with their names.
_CHARTS: Sequence[tuple[str, float, Mapping[str, str]]] = (
    ("Calls/s", 1, {"rate_per_s": ""}),
    ("Latency, ms", 1e3, {"p50_us": "p50", "p99_us": "p99", "objective_us": "what the objective limits"}),
    ("Memory of the server, MiB", 1 << 20, {"memory_bytes": ""}),
    ("Processors that the server kept busy", 1, {"processors": ""}),
)
# A part of a progress.
Document = Mapping[str, Any]
# Seconds and a value; a value and its words.
Pair = tuple[float, float]
Limit = tuple[float, str]


@dataclass(frozen=True)
class DrawnLine:
    """A line of a chart: its name, its points, and what it says in words."""

    name: str
    path: str
    text: str


@dataclass(frozen=True)
class DrawnChart:
    """Lines over time.

    Attributes:
        title: what they are, with their unit.
        seconds: from the first point to the last.
        limits: how high each limit lies that is drawn.
        limit_texts: all of them in words.
    """

    title: str
    seconds: str
    lines: Sequence[DrawnLine]
    limits: Sequence[str]
    limit_texts: Sequence[str]


def drawn(document: Document) -> dict[str, Any]:
    """Return what the template `progress` shows.

    Args:
        document: as `progress.schema.json` has it.

    Raises:
        KeyError, TypeError, ValueError: it is not so.
    """
    points = [point for point in document.get("points", ()) if isinstance(point["at_s"], int | float)]
    echoes = {"": [(at, share * 100) for at, share in document.get("echoes", ())]}
    charts = [chart("Speed of the echo, % of its first", echoes), *_of_points(points, document.get("limits", ()))]
    return {
        "doing": str(document["doing"]),
        "facts": _facts(document),
        "rankings": [_ranking(ranking) for ranking in document.get("rankings", ())],
        "more_rankings": int(document.get("more_rankings", 0)),
        "charts": [made for made in charts if made is not None],
        "machine": _machine(document.get("steal_share"), document.get("disturbed")),
        "points": [_row(point) for point in points[: -_LAST - 1 : -1]],
    }


def _of_points(points: Sequence[Document], limits: Sequence[Document]) -> list["DrawnChart | None"]:
    """Return a chart of each group of members that points have, with the limits that they are held against."""
    found = []
    for title, unit, members in _CHARTS:
        series = {
            name: [(point["at_s"], point[member] / unit) for point in points if point[member] is not None]
            for member, name in members.items()
        }
        lines = [(float(limit["value"]) / unit, str(limit["text"])) for limit in limits if limit["of"] in members]
        found.append(chart(title, series, lines))
    kinds = sorted({kind for point in points for kind, count in (point["errors"] or {}).items() if count})
    failed = {kind: [(point["at_s"], (point["errors"] or {}).get(kind, 0)) for point in points] for kind in kinds}
    if not kinds and any(point["failed"] for point in points):
        failed = {"": [(point["at_s"], point["failed"]) for point in points]}
    # Summed up: older points stand for more seconds each, and would look as if more calls had failed then.
    sums = {kind: accumulate(pairs, lambda sum_, pair: (pair[0], sum_[1] + pair[1])) for kind, pairs in failed.items()}
    return [*found[:2], chart("Failed calls so far", {kind: list(each) for kind, each in sums.items()}), *found[2:]]


def chart(title: str, series: Mapping[str, Sequence[Pair]], limits: Sequence[Limit] = ()) -> "DrawnChart | None":
    """Return lines through points, on axes from 0; None if no line has two points.

    Args:
        title: what they are, with their unit.
        series: seconds and values of each line by its name, the oldest first.
        limits: values that are drawn across, each with its words.

    Raises:
        TypeError, ValueError: something is no number.
    """
    known = {name: [(float(at), float(value)) for at, value in pairs] for name, pairs in series.items()}
    known = {name: pairs for name, pairs in known.items() if len(pairs) > 1}
    every = [pair for pairs in known.values() for pair in pairs]
    if not every or not all(math.isfinite(value) for pair in every for value in pair):
        return None
    first, last = min(at for at, _ in every), max(at for at, _ in every)
    highest = max(value for _, value in every)
    # A limit far above would press all lines to the ground.
    near = [(value, text) for value, text in limits if value <= _FAR * highest]
    across = WIDTH / max(last - first, 1e-9)
    up = (HEIGHT - 4) / max(highest, *(value for value, _ in near), 1e-9)
    return DrawnChart(
        title=title,
        seconds=f"{last - first:,.0f}",
        lines=[
            DrawnLine(
                name,
                " ".join(f"{(at - first) * across:.1f},{HEIGHT - 2 - value * up:.1f}" for at, value in pairs),
                f"{_short(pairs[-1][1])} now, {_short(min(values))} to {_short(max(values))}",
            )
            for name, pairs in known.items()
            for values in [[value for _, value in pairs]]
        ],
        limits=[f"{HEIGHT - 2 - value * up:.1f}" for value, _ in near],
        limit_texts=[text if value <= _FAR * highest else f"{text}, far above" for value, text in limits],
    )


def _short(value: float) -> str:
    return figure(value, 0.0 if value.is_integer() else _DIGITS)


def _facts(document: Document) -> list[str]:
    """Return how far it is, in parts of a line."""
    facts = []
    if document.get("fork"):
        facts.append(f"fork {document['fork']} of {document['forks'] or '?'}")
    if document.get("round"):
        facts.append(f"round {document['round']}")
    if document.get("slices"):
        facts.append(f"{document['slices']:,} slices")
    if document.get("excluded"):
        facts.append(f"{document['excluded']:,} left out")
    if document.get("left_s"):
        facts.append(f"about {max(1, round(document['left_s'] / 60)):,} min to go")
    if document.get("fails_if"):
        facts.append(f"fails if {' or '.join(map(str, document['fails_if']))}")
    return facts


def _machine(steal: float | None, disturbed: int | None) -> str:
    """Return what others took of a run's machine, in a sentence; "" where it is not known."""
    if steal is None or disturbed is None:
        return ""
    again = f"{disturbed:,} slice{'' if disturbed == 1 else 's'} driven again because others had a processor"
    return f"Steal: {percent(steal, 1)} of the processor time; {again}."


def _ranking(ranking: Document) -> dict[str, Any]:
    stacks = ranking["stacks"]
    most = max((float(stack["high_per_s"] or stack["rate_per_s"]) for stack in stacks), default=1.0)
    unit = _BAR_WIDTH / max(most, 1e-9)
    return {
        "name": str(ranking["name"]),
        "open": int(ranking["open"]),
        "more": int(ranking["more"]),
        "stacks": [_bar(stack, unit) for stack in stacks],
    }


def _bar(stack: Document, unit: float) -> dict[str, Any]:
    rate, low, high = stack["rate_per_s"], stack["low_per_s"], stack["high_per_s"]
    interval = low is not None and high is not None
    return {
        "stack": str(stack["stack"]),
        "rate": f"{'≥ ' if stack['at_least'] else ''}{rate:,.0f}",
        "interval": f"{low:,.0f} to {high:,.0f}" if interval else "too few slices",
        "at": f"{rate * unit:.1f}",
        "low": f"{low * unit:.1f}" if interval else None,
        "width": f"{max(1.0, (high - low) * unit):.1f}" if interval else None,
        "apart": bool(stack["apart"]),
    }


def _row(point: Document) -> list[str]:
    memory, holds = point["memory_bytes"], point["holds"]
    return [
        f"{point['at_s']:,.0f}",
        point["level"] or "",
        _number(point["rate_per_s"], 1),
        _failed(point["failed"], point["errors"]),
        _number(point["p50_us"], 1e3, 2),
        _number(point["p99_us"], 1e3, 2),
        _number(memory, 1 << 20),
        _number(point["processors"], 1, 2),
        _number(point["others_share"], 0.01),
        _number(point["steal_share"], 0.01),
        "" if holds is None else "met" if holds else "missed",
    ]


def _failed(calls: int, errors: Mapping[str, int] | None) -> str:
    """Return the failed calls, with their kinds where these are known."""
    kinds = [f"{kind} {count:,}" for kind, count in (errors or {}).items() if count]
    return f"{calls:,}" + (f" ({', '.join(kinds)})" if kinds else "")


def _number(value: float | None, unit: float, places: int = 0) -> str:
    return "" if value is None else f"{value / unit:,.{places}f}"
