"""Says what is compiled: on a terminal a line with the time since it began, elsewhere a sentence when it begins."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn

# Often enough for seconds, and next to no processor time beside a compiler.
_REDRAWS_PER_S = 2


@contextmanager
def announced(language: str, expected: str, console: Console | None = None) -> Iterator[None]:
    """Say that the service is compiled for as long as that takes. The line of a terminal is removed afterwards.

    Args:
        language: as people write it.
        expected: how long it takes, for a person: `a minute or two`.
        console: where it is said; None: stderr.
    """
    console = console or Console(stderr=True)
    if not console.is_terminal:
        sentence = f"callbench: compiling the service for {language} ({expected})"
        console.print(sentence, markup=False, highlight=False, soft_wrap=True)
        yield
        return
    began = dt.datetime.now().astimezone()
    columns = TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, refresh_per_second=_REDRAWS_PER_S) as line:
        line.add_task(f"compiling the service for {language} since {began:%H:%M:%S} ({expected})", total=None)
        yield
