"""What a person sees while a load goes on: a moving line on a terminal, nothing elsewhere."""

from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from callbench.runner.load.wish import Wish


class Line:
    """The moving line, on stderr."""

    def __init__(self, wish: Wish, *, quiet: bool) -> None:
        """Prepares. Nothing is shown before `with`.

        Args:
            wish: whose load it is.
            quiet: show nothing.
        """
        console = Console(stderr=True, quiet=quiet)
        self._seconds = wish.load.seconds
        self._live = Live(console=console, transient=True, refresh_per_second=5) if console.is_terminal else None
        self._last = (0, 0)

    def tells(self, at_ns: int, calls: int, errors: int) -> None:
        """Ten times a second: nanoseconds since the start, calls answered rightly, errors."""
        if self._live is None:
            return
        at, before = self._last
        rate = (calls - before) / max(1, at_ns - at) * 1e9
        self._last = (at_ns, calls)
        until = f" of {self._seconds:g}" if self._seconds else ""
        failed = f", {errors:,} failed" if errors else ""
        self._live.update(Text(f"{at_ns / 1e9:.1f}{until} s: {calls:,} calls, {rate:,.0f} calls/s{failed}"))

    def __enter__(self) -> Self:
        """Itself, shown."""
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Takes the line away."""
        if self._live is not None:
            self._live.stop()
