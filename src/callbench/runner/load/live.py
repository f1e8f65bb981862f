"""What the progress display says while a load is driven."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from callbench.analysis.load.request import LoadRequest
from callbench.runner.live.progress_line import ProgressLine
from callbench.stats.estimate.histogram import merged
from callbench.stats.load.latency_over_time import percentile_us
from callbench.store.progress import Thinned, progress_point

_POINT_NS = 10**9


class LoadProgress:
    """Keeps a progress line up to date."""

    def __init__(self, request: LoadRequest, line: ProgressLine, record: Path) -> None:
        """Show a load on a line, and keep it in the folder of its record."""
        self._seconds = request.seconds or request.load.seconds
        self._line = line
        self._last = (0, 0)
        # A point a second: at most, and from its first to its last interval.
        self._point = (0, 0, 0)
        self._points: Thinned[dict[str, object]] = Thinned()
        # The latencies since the last point.
        self._fresh: dict[int, int] = {}
        fails_if = [threshold.text for threshold in request.fail_if]
        line.keep_in(record, lambda: {"points": self._points.kept, "fails_if": fails_if})

    def update(self, at_ns: int, calls: int, errors: int) -> None:
        """Show nanoseconds since the start, successful calls, and errors. Called ten times a second."""
        at, before = self._last
        rate = (calls - before) / max(1, at_ns - at) * 1e9
        self._last = (at_ns, calls)
        if at_ns - self._point[0] >= _POINT_NS:
            self._points.add(_point(self._point, (at_ns, calls, errors), self._fresh))
            self._fresh = {}
            self._point = (at_ns, calls, errors)
        # A load without --seconds may go on for the calls that a percentile needs.
        until = f" of {self._seconds:g}" if at_ns <= self._seconds * 1e9 else ""
        failed = f", {errors:,} failed" if errors else ""
        self._line.show(f"{at_ns / 1e9:.1f}{until} s: {calls:,} calls, {rate:,.0f} calls/s{failed}")

    def show_latency(self, at_ns: int, counts: Sequence[tuple[int, int]]) -> None:  # noqa: ARG002 - as a drive tells it
        """Take the buckets of a second's latencies: they are shown with the next point."""
        self._fresh = merged([self._fresh, dict(counts)])


def _point(before: tuple[int, int, int], now: tuple[int, int, int], fresh: Mapping[int, int]) -> dict[str, object]:
    """Return what `progress.schema.json` has of the time between two moments: nanoseconds, calls, errors.

    `fresh` has the buckets of the latencies that were reported meanwhile.
    """
    at_ns, calls, errors = now
    rate_per_s = (calls - before[1]) / (at_ns - before[0]) * 1e9
    times = {"p50_us": percentile_us(fresh, 0.5), "p99_us": percentile_us(fresh, 0.99)}
    return progress_point(round(at_ns / 1e9, 1), rate_per_s, errors - before[2], **times)
