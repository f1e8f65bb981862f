"""What the progress display says while a load is driven."""

from callbench.analysis.load.request import LoadRequest
from callbench.runner.live.progress_line import ProgressLine


class LoadProgress:
    """Keeps a progress line up to date."""

    def __init__(self, request: LoadRequest, line: ProgressLine) -> None:
        """Show a load on a line."""
        self._seconds = request.seconds or request.load.seconds
        self._line = line
        self._last = (0, 0)

    def update(self, at_ns: int, calls: int, errors: int) -> None:
        """Show nanoseconds since the start, successful calls, and errors. Called ten times a second."""
        at, before = self._last
        rate = (calls - before) / max(1, at_ns - at) * 1e9
        self._last = (at_ns, calls)
        # A load without --seconds may go on for the calls that a percentile needs.
        until = f" of {self._seconds:g}" if at_ns <= self._seconds * 1e9 else ""
        failed = f", {errors:,} failed" if errors else ""
        self._line.show(f"{at_ns / 1e9:.1f}{until} s: {calls:,} calls, {rate:,.0f} calls/s{failed}")
