"""What the progress display says while a load is driven."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from callbench.adapter.contract import DriveInterval
from callbench.adapter.watch.process_reading import read_light
from callbench.analysis.load.request import LoadRequest
from callbench.runner.live.progress_line import ProgressLine
from callbench.runner.load.server_usage import FindProcesses
from callbench.stats.estimate.histogram import merged
from callbench.stats.load.latency_over_time import percentile_us
from callbench.store.progress import Thinned, both_points, progress_limit, progress_point

_POINT_NS = 10**9
# To find the server's processes, every process of the machine is read.
_FIND_NS = 5 * 10**9
# The conditions of `--fail-if` that a point has a value for.
_LIMITS = {"rate": "rate_per_s", "p50": "p50_us", "p99": "p99_us"}


class LoadProgress:
    """Keeps a progress line up to date."""

    def __init__(self, request: LoadRequest, line: ProgressLine, record: Path, server: FindProcesses) -> None:
        """Show a load on a line, and keep it in the folder of its record.

        Args:
            request: the load.
            line: where it is shown.
            record: the folder.
            server: returns the server's processes; empty if they are unknown.
        """
        self._seconds = request.seconds or request.load.seconds
        self._line = line
        self._last = (0, 0)
        # A point a second: at most, and from its first to its last interval.
        self._point = DriveInterval(0, 0, 0, {})
        self._points: Thinned[dict[str, object]] = Thinned(both=both_points)
        # The latencies since the last point.
        self._fresh: dict[int, int] = {}
        self._server = ServerUse(server)
        fails_if = [threshold.text for threshold in request.fail_if]
        limits = [
            progress_limit(_LIMITS[threshold.metric], threshold.limit, threshold.text)
            for threshold in request.fail_if
            if threshold.metric in _LIMITS
        ]
        line.keep_in(record, lambda: {"points": self._points.kept, "fails_if": fails_if, "limits": limits})

    def update(self, interval: DriveInterval) -> None:
        """Show how far it is. Called ten times a second."""
        at_ns, calls, errors, _ = interval
        at, before = self._last
        rate = (calls - before) / max(1, at_ns - at) * 1e9
        self._last = (at_ns, calls)
        if at_ns - self._point.at_ns >= _POINT_NS:
            used = self._server.since(at_ns)
            self._points.add(_point(self._point, interval, self._fresh, used))
            self._fresh = {}
            self._point = interval
        # A load without --seconds may go on for the calls that a percentile needs.
        until = f" of {self._seconds:g}" if at_ns <= self._seconds * 1e9 else ""
        failed = f", {errors:,} failed" if errors else ""
        self._line.show(f"{at_ns / 1e9:.1f}{until} s: {calls:,} calls, {rate:,.0f} calls/s{failed}")

    def show_latency(self, at_ns: int, counts: Sequence[tuple[int, int]]) -> None:  # noqa: ARG002 - as a drive tells it
        """Take the buckets of a second's latencies: they are shown with the next point."""
        self._fresh = merged([self._fresh, dict(counts)])


class ServerUse:
    """What the server's processes use from second to second: for looking at, while the load goes on."""

    def __init__(self, find: FindProcesses) -> None:
        """Begin to watch."""
        self._find, self._pids, self._found_ns = find, find(), 0
        self._last = (0, read_light(self._pids))

    def since(self, at_ns: int) -> dict[str, float | int | None]:
        """Return memory and threads now, and the processors since the last time; nothing if no process is known."""
        if at_ns - self._found_ns >= _FIND_NS:
            self._pids, self._found_ns = self._find(), at_ns
        (before_ns, before), now = self._last, read_light(self._pids)
        self._last = (at_ns, now)
        if not now.processes:
            return {}
        used_ms = now.user_ms + now.system_ms - before.user_ms - before.system_ms
        return {
            "memory_bytes": now.resident_bytes,
            "threads": now.threads,
            "processors": round(max(0, used_ms) * 1e6 / max(1, at_ns - before_ns), 2),
        }


def _point(
    before: DriveInterval, now: DriveInterval, fresh: Mapping[int, int], used: Mapping[str, float | int | None]
) -> dict[str, object]:
    """Return what `progress.schema.json` has of the time between two moments.

    `fresh` has the buckets of the latencies that were reported meanwhile, `used` what the server used.
    """
    rate_per_s = (now.calls - before.calls) / (now.at_ns - before.at_ns) * 1e9
    times = {"p50_us": percentile_us(fresh, 0.5), "p99_us": percentile_us(fresh, 0.99)}
    kinds = None if now.kinds is None else dict(Counter(now.kinds) - Counter(before.kinds or {}))
    return progress_point(
        round(now.at_ns / 1e9, 1), rate_per_s, now.errors - before.errors, **times, **used, errors=kinds
    )
