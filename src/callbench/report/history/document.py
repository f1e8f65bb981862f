"""A history for programs, as `history.schema.json` has it."""

import hashlib

from callbench.analysis.history.history import History, LevelChange, SeriesHistory
from callbench.analysis.history.order import SeriesOrder
from callbench.analysis.history.series import SeriesName, SeriesPoint
from callbench.stats.decide.changes import FEWEST, LEVEL

FORMAT = 1


def document(history: History, order: SeriesOrder) -> dict[str, object]:
    """Return a history as JSON values, and the order that its series have."""
    return {
        "format": FORMAT,
        "order": order.value,
        "records": history.collected.read,
        "left_out": dict(history.collected.left_out),
        "copies": dict(history.collected.copies),
        "method": {"name": "E-divisive", "level": LEVEL, "fewest_values": FEWEST},
        "changes": [_change(change) for change in history.changes],
        "series": [_series(series) for series in history.series],
    }


def _name(name: SeriesName) -> dict[str, object]:
    return {
        "study": name.study,
        "cell": name.cell,
        "metric": name.metric,
        "title": name.title,
        "machine": name.machine,
        "series": hashlib.sha256(repr(name).encode()).hexdigest()[:12],
        "better": "higher" if name.higher_is_better else "lower",
    }


def _point(point: SeriesPoint) -> dict[str, object]:
    return {
        "record": point.record,
        "started": point.started,
        "commit": point.commit,
        "value": point.value,
        "low": point.low,
        "high": point.high,
    }


def _change(change: LevelChange) -> dict[str, object]:
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


def _series(series: SeriesHistory) -> dict[str, object]:
    return {
        **_name(series.name),
        "noise": series.noise,
        "looked_at": series.looked_at,
        "levels": list(series.starts),
        "points": [_point(point) for point in series.points],
    }
