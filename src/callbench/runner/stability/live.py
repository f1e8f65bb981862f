"""What a person sees while it goes on: a moving line on a terminal, nothing elsewhere."""

from collections.abc import Mapping
from typing import Any, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from callbench.runner.stability.slices import window_in


class Line:
    """The moving line, on stderr."""

    def __init__(self, *, quiet: bool) -> None:
        """Prepares. Nothing is shown before `with`."""
        console = Console(stderr=True, quiet=quiet)
        self._live = Live(console=console, transient=True, refresh_per_second=5) if console.is_terminal else None

    def tells(self, seen: Mapping[str, Any]) -> None:
        """After each slice, as the journal has it."""
        self.says(_text(seen))

    def says(self, text: str) -> None:
        """Whatever there is to say."""
        if self._live is not None:
            self._live.update(Text(text))

    def __enter__(self) -> Self:
        """Itself, shown."""
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Takes the line away."""
        if self._live is not None:
            self._live.stop()


def _text(seen: Mapping[str, Any]) -> str:
    server = seen["sides"].get("server") or seen["sides"].get("both") or {}
    size = f", {server['resident_bytes'] / 2**20:,.0f} MiB, {server['threads']} threads" if server else ""
    if "calls" not in seen:
        return f"{seen['at_s']:.0f} s, {seen['clients']} clients: at rest{size}"
    rate = window_in(seen).per_s
    failed = sum(seen["errors"].values())
    wrong = f", {failed:,} failed" if failed else ""
    return f"{seen['at_s']:.0f} s, {seen['clients']} clients: {rate:,.0f} calls/s{wrong}{size}"
