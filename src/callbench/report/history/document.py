"""A history for programs, as `history.schema.json` has it."""

import hashlib
from typing import Any

from callbench.analysis.history.history import History, LevelChange, SeriesHistory
from callbench.analysis.history.series import SeriesName, SeriesPoint
from callbench.stats.decide.changes import FEWEST, LEVEL

FORMAT = 1


def document(history: History) -> dict[str, Any]:
    """Return a history as JSON values."""
    return {
        "format": FORMAT,
        "records": history.collected.read,
        "left_out": dict(history.collected.left_out),
        "method": {"name": "E-divisive", "level": LEVEL, "fewest_values": FEWEST},
        "changes": [_change(change) for change in history.changes],
        "series": [_series(series) for series in history.series],
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


def _change(change: LevelChange) -> dict[str, Any]:
    ratio = change.ratio
    return {
        **_name(change.name),
        "before": _point(change.before),
        "after": _point(change.after),
        "ratio": ratio.middle,
        "ratio_low": ratio.low,
        "ratio_high": ratio.high,
        "noise": change.noise,
        "verdict": "better" if change.better else "worse",
    }


def _series(series: SeriesHistory) -> dict[str, Any]:
    return {
        **_name(series.name),
        "noise": series.noise,
        "looked_at": series.looked_at,
        "levels": list(series.starts),
        "points": [_point(point) for point in series.points],
    }
