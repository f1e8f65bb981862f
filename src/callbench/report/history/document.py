"""A history for programs, as `history.schema.json` has it."""

import hashlib
from typing import Any

from callbench.analysis.history.history import History, LevelChange, SeriesHistory
from callbench.analysis.history.series import SeriesName, SeriesPoint
from callbench.stats.decide.changes import FEWEST, LEVEL

FORMAT = 1


def document(found: History) -> dict[str, Any]:
    """Return a history as JSON values."""
    return {
        "format": FORMAT,
        "records": found.collected.read,
        "left_out": dict(found.collected.left_out),
        "method": {"name": "E-divisive", "level": LEVEL, "fewest_values": FEWEST},
        "changes": [_change(one) for one in found.changes],
        "series": [_series(one) for one in found.series],
    }


def _name(name: SeriesName) -> dict[str, Any]:
    return {
        "study": name.study,
        "cell": name.cell,
        "metric": name.metric,
        "title": name.title,
        "machine": name.machine,
        "series": hashlib.sha256(repr(name).encode()).hexdigest()[:12],
        "better": "higher" if name.higher_is_better else "lower",
    }


def _point(point: SeriesPoint) -> dict[str, Any]:
    return {"record": point.record, "started": point.started, "value": point.value}


def _change(one: LevelChange) -> dict[str, Any]:
    ratio = one.ratio
    return {
        **_name(one.name),
        "before": _point(one.before),
        "after": _point(one.after),
        "ratio": ratio.middle,
        "ratio_low": ratio.low,
        "ratio_high": ratio.high,
        "noise": one.noise,
        "verdict": "better" if one.better else "worse",
    }


def _series(one: SeriesHistory) -> dict[str, Any]:
    return {
        **_name(one.name),
        "noise": one.noise,
        "looked_at": one.looked_at,
        "levels": list(one.starts),
        "points": [_point(point) for point in one.points],
    }
