"""Somebody who calls as ever while others misbehave: connects anew for each slice, and calls at an easy pace."""

import time
from typing import Any

from callbench.adapter.stack.target import Target
from callbench.model.errors import AdapterFailure
from callbench.runner.stability.slices import SPEED, driven, failed

# Of a slice.
LENGTH_S = 0.5
# Between an answer and the next call, where its kit can think: it is to see the server's load, not to be it.
_THINK_NS = 10_000_000
# To be let in takes longer than a call; so much longer than before is slow all the same.
_SLOW_CONNECT_S = 0.25


class Observer:
    """One client in a process of its own. Close it."""

    def __init__(self, target: Target) -> None:
        """Starts it.

        Raises:
            AdapterFailure: it cannot be started.
        """
        self._target = target
        self._client = target.another("the observer")

    def looks(self, seconds: float = LENGTH_S) -> dict[str, Any]:
        """One slice: a connection, and calls over it. What goes wrong is what it saw.

        Returns:
            As `slices.driven`, with `connect_s`; its `seconds` are those of the calls and of connecting.

        Raises:
            AdapterFailure: it cannot be started again where it died itself.
        """
        began = time.monotonic()
        try:
            self._target.connected(self._client, 1)
            connect_s = time.monotonic() - began
            think_ns = _THINK_NS if "think" in self._client.hello["features"] else 0
            made = driven(self._client, self._target.aim, seconds, think_ns=think_ns)
        except AdapterFailure as failure:
            kind = failure
            if self._client.broken:
                # Its own library hangs for longer than any call may take: to whoever calls that is a time-out.
                self._client.process.close(grace=0)
                self._client = self._target.another("the observer")
                kind = AdapterFailure("timeout", str(failure))
            return failed(kind, time.monotonic() - began) | {"connect_s": None}
        made["connect_s"] = round(connect_s, 6)
        made["seconds"] = round(time.monotonic() - began, 6)
        made.pop("buckets", None)
        if connect_s > _SLOW_CONNECT_S and SPEED in made:
            # Who waits to be let in waits as who waits for an answer.
            made[SPEED] = max(made[SPEED], connect_s * 1e6)
        return made

    def close(self) -> None:
        """Ends it."""
        self._client.stop()
