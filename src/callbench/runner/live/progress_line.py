"""The progress display of every command: a moving line on a terminal, and lines that stay."""

from collections.abc import Callable, Iterator
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text


class ProgressLine:
    """A line on stderr that changes while something is measured.

    Attributes:
        moving: whether it is shown: on a terminal. Elsewhere, only `say` writes something.
    """

    def __init__(
        self, *, quiet: bool, redraws_per_s: float = 5, below: Callable[[], RenderableType | None] | None = None
    ) -> None:
        """Prepare the line. Nothing is shown before `with`.

        Args:
            quiet: whether to show nothing at all.
            redraws_per_s: how often it is drawn.
            below: returns what stands below the line, or None.
        """
        self._console = Console(stderr=True, quiet=quiet)
        self.moving = self._console.is_terminal and not quiet
        self._text = ""
        self._below = below
        self._live = (
            Live(
                get_renderable=lambda: Group(*self._parts()),
                console=self._console,
                transient=True,
                refresh_per_second=redraws_per_s,
            )
            if self.moving
            else None
        )

    @property
    def height(self) -> int:
        """The lines of the terminal."""
        return self._console.height

    def show(self, text: str) -> None:
        """Replace the line's text."""
        self._text = text

    def say(self, line: str) -> None:
        """Write a line that stays, on a terminal and elsewhere."""
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _parts(self) -> Iterator[RenderableType]:
        yield Text(self._text)
        below = self._below() if self._below is not None else None
        if below is not None:
            yield below

    def __enter__(self) -> Self:
        """Start the display."""
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the line."""
        if self._live is not None:
            self._live.stop()
