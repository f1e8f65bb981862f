"""A history in the terminal: the changes, the newest first."""

from collections.abc import Iterator

from callbench.analysis.history.history import History, LevelChange
from callbench.analysis.history.series import SeriesPoint
from callbench.analysis.wording.words import change_text, counted
from callbench.report.history.short_series import short_text
from callbench.stats.decide.changes import FEWEST, LEVEL
from callbench.stats.estimate.digits import percent

_MOST_CHANGES = 50


def lines(history: History) -> Iterator[str]:
    """Return what is printed."""
    short = sum(not series.looked_at for series in history.series)
    count = len(history.changes)
    many = counted(count, "change") if count else "No changes"
    yield f"{many} in {len(history.series):,} series of {counted(history.collected.read, 'record')}"
    if short:
        yield short_text(short, FEWEST)
    for change in history.changes[:_MOST_CHANGES]:
        yield ""
        yield from _change(change)
    if count > _MOST_CHANGES:
        yield f"\n{count - _MOST_CHANGES:,} more: --json has all of them"
    yield ""
    if short < len(history.series):
        yield (
            "Method: E-divisive with permutation tests."
            f" In about {percent(LEVEL)} of series without a change, chance alone shows one."
        )
    if copies := len(history.collected.copies):
        yield f"{counted(copies, 'copy', 'copies')} of these records left out."
    for name, why in history.collected.left_out.items():
        yield f"left out: {name}: {why}"


def _change(change: LevelChange) -> Iterator[str]:
    name, ratio = change.name, change.ratio
    low, high = (ratio.middle if end is None else end for end in (ratio.low, ratio.high))
    yield f"{name.study}: {name.cell}"
    yield (
        f"  {name.title}: {change_text(ratio.middle)}"
        f" ({change_text(low)} to {change_text(high)}),"
        f" {'better' if change.better else 'worse'}; noise {percent(change.noise, 1)}"
    )
    yield f"  between {_dated(change.before)} and {_dated(change.after)}"


def _dated(point: SeriesPoint) -> str:
    commit = f"{point.commit}, " if point.commit else ""
    return f"{point.record} ({commit}{point.started[:16].replace('T', ' ') or 'time not known'})"
