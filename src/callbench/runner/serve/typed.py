"""Lines that a person types, or a program writes, while something else has to be looked after."""

import os
import select
import stat

_LOOK_SECONDS = 0.5
_CHUNK = 1 << 12
_LONGEST = 1 << 16


class Typed:
    """The lines of standard input.

    Attributes:
        over: whether whoever typed or wrote has gone. An input that nobody can write at, as /dev/null, is never over.
    """

    def __init__(self, descriptor: int = 0) -> None:
        """Reads from a descriptor, which is left open."""
        self._descriptor = descriptor
        self._pending = b""
        self.over = False
        self._listens = _somebody_writes(descriptor)

    def lines(self) -> list[str]:
        """What was typed since last asked: waits for half a second at the most."""
        if not self._listens:
            select.select([], [], [], _LOOK_SECONDS)
            return []
        if not select.select([self._descriptor], [], [], _LOOK_SECONDS)[0]:
            return []
        try:
            piece = os.read(self._descriptor, _CHUNK)
        except OSError:
            # A terminal whose window has been closed.
            piece = b""
        self.over = not piece
        *whole, rest = (self._pending + piece).split(b"\n")
        if self.over and rest:
            whole.append(rest)
        # Nobody types a line so long; what comes without an end must not fill the memory.
        self._pending = rest[-_LONGEST:]
        return [line.decode(errors="replace") for line in whole]


def _somebody_writes(descriptor: int) -> bool:
    """Whether it is a terminal, a pipe or a socket: what ends when somebody goes."""
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError:
        return False
    return os.isatty(descriptor) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
