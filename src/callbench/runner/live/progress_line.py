"""The progress display of every command: a moving line on a terminal, and lines that stay."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from callbench.store.progress import ProgressFile


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
        self._file: ProgressFile | None = None
        self._more: Callable[[], Mapping[str, object]] = dict
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

    def keep_in(self, record: Path, more: Callable[[], Mapping[str, object]] = dict) -> None:
        """Keep the line in the folder of a record too, for others who watch, until the end of `with`.

        Args:
            record: the folder.
            more: returns the other members of the file; it is called at most once a second.
        """
        self._file, self._more = ProgressFile(record), more

    def show(self, text: str) -> None:
        """Replace the line's text. The record's file is written too, so nothing but a load may be timed now."""
        self._text = text
        if self._file is not None:
            self._file.offer(lambda: {"doing": " ".join(text.split()), **self._more()})

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
        if self._file is not None:
            self._file.close()
        if self._live is not None:
            self._live.stop()
