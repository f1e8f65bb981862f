"""The monotonic clock: what a reading takes, and how a client waits for a moment of it."""

import asyncio
import contextlib
import ctypes
import heapq
import os
import struct
import time
import timeit
from collections.abc import Callable
from statistics import median

_PR_SET_TIMERSLACK = 29
_NONBLOCK = 0o4000
_ABSOLUTE = 1
_libc = ctypes.CDLL(None, use_errno=True)


def reading_ns() -> float:
    """What one reading takes: the median of 51 rounds, which interruptions do not move."""
    return median(timeit.repeat(time.monotonic_ns, number=400, repeat=51)) / 400 * 1e9


def sharpen_sleeps() -> None:
    """Let sleeps of this thread, and of those that it starts, end without the 50 us that Linux adds to save power."""
    _libc.prctl(_PR_SET_TIMERSLACK, 1)


class Clock:
    """The clock of clients that have their own thread.

    Attributes:
        spin_ns: the last part of a wait, spent reading the clock. Half of 700 sleeps on a machine with two processors
            ended 24 us late, 9 of 10 within 41 us. More is worse: a spinning thread keeps Python's lock.
    """

    spin_ns = 50_000
    now: Callable[[], int] = staticmethod(time.monotonic_ns)

    async def sleep(self, until: int, now: int) -> None:
        """Sleep from one time to another. If that has passed, only let other tasks run."""
        if until > now:
            time.sleep((until - now) / 1e9)  # noqa: ASYNC251 - its coroutine has the thread for itself


class LoopClock(Clock):
    """The clock of clients that share an event loop. A waiting client does not block the others.

    asyncio's own sleep wakes up to 1 ms late, since its timer counts milliseconds. A timer of the kernel, read as a
    file, wakes the event loop in time.

    Attributes:
        spin_ns: half of 700 waits with that timer ended 32 to 44 us late, 9 of 10 within 70 us.
    """

    spin_ns = 60_000

    def __init__(self) -> None:
        """Create a timer for the running event loop.

        Raises:
            OSError: the kernel cannot create one.
        """
        self._sleepers: list[tuple[int, int, asyncio.Event]] = []
        self._timer = _libc.timerfd_create(time.CLOCK_MONOTONIC, _NONBLOCK)
        if self._timer < 0:
            raise OSError(ctypes.get_errno(), "there is no timer for the event loop")
        asyncio.get_running_loop().add_reader(self._timer, self._wake)

    async def sleep(self, until: int, now: int) -> None:
        """Sleep from one time to another. If that has passed, only let other tasks run."""
        if until <= now:
            await asyncio.sleep(0)
            return
        woken = asyncio.Event()
        heapq.heappush(self._sleepers, (until, id(woken), woken))
        self._set()
        await woken.wait()

    def close(self) -> None:
        """Give the timer back."""
        asyncio.get_running_loop().remove_reader(self._timer)
        os.close(self._timer)

    def _set(self) -> None:
        # No interval, and the first time for which a client waits. A time in the past wakes immediately.
        moment = struct.pack("4q", 0, 0, *divmod(self._sleepers[0][0], 10**9))
        _libc.timerfd_settime(self._timer, _ABSOLUTE, moment, None)

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError):  # it was set anew meanwhile
            os.read(self._timer, 8)
        while self._sleepers and self._sleepers[0][0] <= self.now():
            heapq.heappop(self._sleepers)[2].set()
        if self._sleepers:
            self._set()
