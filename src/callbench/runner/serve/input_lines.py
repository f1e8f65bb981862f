"""Lines from a person or a program on standard input, read without blocking for long."""

import os
import select
import stat

_LOOK_SECONDS = 0.5
_CHUNK = 1 << 12
_LONGEST = 1 << 16


class InputLines:
    """The lines of standard input.

    Attributes:
        over: whether the writer has closed it. An input without a writer, such as /dev/null, never ends.
    """

    def __init__(self, descriptor: int = 0) -> None:
        """Read from a descriptor, which stays open."""
        self._descriptor = descriptor
        self._pending = b""
        self.over = False
        self._listens = _has_writer(descriptor)

    def lines(self) -> list[str]:
        """Return the lines since the last call; wait at most half a second."""
        if not self._listens:
            select.select([], [], [], _LOOK_SECONDS)
            return []
        if not select.select([self._descriptor], [], [], _LOOK_SECONDS)[0]:
            return []
        try:
            piece = os.read(self._descriptor, _CHUNK)
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


def _has_writer(descriptor: int) -> bool:
    """Return whether it is a terminal, a pipe or a socket, which end when their writer does."""
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError:
        return False
    return os.isatty(descriptor) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
