"""What a view draws of a progress: where its bars and lines lie."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from callbench.stats.estimate.digits import percent

# The size of a drawing, in its own units.
WIDTH, HEIGHT = 600, 90
_BAR_WIDTH = 240
_LAST = 12


def drawn(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the template `progress` shows.

    Args:
        document: as `progress.schema.json` has it.

    Raises:
        KeyError, TypeError, ValueError: it is not so.
    """
    points = [point for point in document.get("points", ()) if isinstance(point["at_s"], int | float)]
    rates = [(point["at_s"], point["rate_per_s"]) for point in points if point["rate_per_s"] is not None]
    return {
        "doing": str(document["doing"]),
        "facts": _facts(document),
        "rankings": [_ranking(ranking) for ranking in document.get("rankings", ())],
        "more_rankings": int(document.get("more_rankings", 0)),
        "echo": line(document.get("echoes", ())),
        "rate": line(rates),
        "machine": _machine(document.get("steal_share"), document.get("disturbed")),
        "points": [_row(point) for point in points[: -_LAST - 1 : -1]],
    }


def line(pairs: Sequence[Sequence[float]]) -> dict[str, Any] | None:
    """Return a line through points, on axes from 0; None for fewer than two points.

    Args:
        pairs: seconds and values, the oldest first.

    Raises:
        TypeError, ValueError: something is no number.
    """
    known = [(float(at), float(value)) for at, value in pairs]
    if len(known) < 2 or not all(math.isfinite(value) for pair in known for value in pair):
        return None
    first, last = known[0][0], known[-1][0]
    least, most = min(value for _, value in known), max(value for _, value in known)
    across, up = WIDTH / max(last - first, 1e-9), (HEIGHT - 4) / max(most, 1e-9)
    path = " ".join(f"{(at - first) * across:.1f},{HEIGHT - 2 - value * up:.1f}" for at, value in known)
    return {"path": path, "least": least, "most": most, "last": known[-1][1], "seconds": last - first}


def _facts(document: Mapping[str, Any]) -> list[str]:
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


def _ranking(ranking: Mapping[str, Any]) -> dict[str, Any]:
    stacks = ranking["stacks"]
    most = max((float(stack["high_per_s"] or stack["rate_per_s"]) for stack in stacks), default=1.0)
    unit = _BAR_WIDTH / max(most, 1e-9)
    return {
        "name": str(ranking["name"]),
        "open": int(ranking["open"]),
        "more": int(ranking["more"]),
        "stacks": [_bar(stack, unit) for stack in stacks],
    }


def _bar(stack: Mapping[str, Any], unit: float) -> dict[str, Any]:
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


def _row(point: Mapping[str, Any]) -> list[str]:
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
