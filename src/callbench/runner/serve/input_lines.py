"""Lines from a person or a program on standard input, read without blocking for long."""

import os
import select
import stat

_STDIN = 0
_LOOK_SECONDS = 0.5
_CHUNK = 1 << 12
_LONGEST = 1 << 16


class InputLines:
    """The lines of standard input.

    Attributes:
        over: whether the writer has closed it. An input without a writer, such as /dev/null, never ends.
    """

    def __init__(self) -> None:
        """See whether somebody can write to it."""
        self._pending = b""
        self.over = False
        self._listens = _has_writer()

    def lines(self) -> list[str]:
        """Return the lines since the last call; wait at most half a second."""
        if not self._listens:
            select.select([], [], [], _LOOK_SECONDS)
            return []
        if not select.select([_STDIN], [], [], _LOOK_SECONDS)[0]:
            return []
        try:
            piece = os.read(_STDIN, _CHUNK)
        except OSError:
            # A terminal whose window was closed.
            piece = b""
        self.over = not piece
        *whole, rest = (self._pending + piece).split(b"\n")
        if self.over and rest:
            whole.append(rest)
        # Drop an overlong line: input without a line end must not fill the memory.
        self._pending = rest[-_LONGEST:]
        return [line.decode(errors="replace") for line in whole]


def _has_writer() -> bool:
    """Return whether it is a terminal, a pipe or a socket, which end when their writer does."""
    try:
        mode = os.fstat(_STDIN).st_mode
    except OSError:
        return False
    return os.isatty(_STDIN) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
