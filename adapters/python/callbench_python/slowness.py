"""The waits and the work that a service is told to make, to test the instrument by a known answer."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from callbench_python.refusal import bad

_LONGEST_US = 3_600_000_000
_LONGEST_BURN_US = 1_000_000
_NAMES = ("delay_us", "stall_us", "stall_every_us", "burn_us")


class Slowness:
    """How long each call waits and works, and how often the whole service stands still; in nanoseconds.

    Attributes:
        none: there is nothing to wait for and nothing to work at.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        """Read the options of `serve`, which are in microseconds.

        Raises:
            Refusal: one of them is unknown or wrong.
        """
        unknown = next((name for name in options if name not in _NAMES), None)
        if unknown is not None:
            raise bad(f"the option {unknown} is not known: there are {', '.join(_NAMES)}")
        if ("stall_us" in options) != ("stall_every_us" in options):
            raise bad("stall_us and stall_every_us must be given together")
        self._delay, self._stall, self._every = (_whole(options, name) for name in _NAMES[:3])
        if self._stall and self._stall >= self._every:
            raise bad("stall_us must be less than stall_every_us")
        burn = options.get("burn_us", 0)
        if isinstance(burn, bool) or not isinstance(burn, int | float) or not 0 <= burn <= _LONGEST_BURN_US:
            raise bad(f"burn_us is {burn!r}: it must be a number from 0 to {_LONGEST_BURN_US}")
        self._burn = round(burn * 1000)
        self._since = time.monotonic_ns()
        self.none = not (self._delay or self._stall or self._burn)

    async def take(self) -> None:
        """Wait and work. A call within a stall waits for its end, as if the server really stood still."""
        if self._delay:
            await _until(time.monotonic_ns() + self._delay)
        if self._stall:
            now = time.monotonic_ns()
            left = self._every - (now - self._since) % self._every
            if left <= self._stall:
                await _until(now + left)
        end = time.monotonic_ns() + self._burn
        while time.monotonic_ns() < end:
            pass


async def _until(due: int) -> None:
    """Wait for a moment of the monotonic clock; uvloop's timers count whole milliseconds."""
    while (left := due - time.monotonic_ns()) > 0:  # noqa: ASYNC110 - there is no event but the time
        await asyncio.sleep(left / 1e9)


def _whole(options: Mapping[str, Any], name: str) -> int:
    value = options.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LONGEST_US:
        raise bad(f"{name} is {value!r}: it must be a whole number from 0 to {_LONGEST_US}")
    return value * 1000
