"""A normal client that calls slowly while others misbehave, with a new connection for each slice."""

import time

from callbench.adapter.stack.target import Target
from callbench.analysis.stability.slices import SPEED, failed_slice
from callbench.model.errors import AdapterFailure
from callbench.runner.stability.slice_drive import drive_slice
from callbench.store.lines.torture import ObservedFigures

# Seconds of a slice.
LENGTH_S = 0.5
# Think time, if the kit has it: the observer must not add much load.
_THINK_NS = 10_000_000
# Connecting takes longer than a call. More than this much longer than before counts as slow.
_SLOW_CONNECT_S = 0.25


class Observer:
    """One client in its own process. Close it."""

    def __init__(self, target: Target) -> None:
        """Start the client.

        Raises:
            AdapterFailure: it cannot be started.
        """
        self._target = target
        self._client = target.start_observer()

    def observe(self, seconds: float = LENGTH_S) -> ObservedFigures:
        """Make one slice: connect and call. Errors are part of the result.

        Returns:
            As `slices.drive_slice`, with `connect_s`; `seconds` includes connecting.

        Raises:
            AdapterFailure: the client died and cannot be started again.
        """
        began = time.monotonic()
        try:
            self._target.connected(self._client, 1)
            connect_s = time.monotonic() - began
            think_ns = _THINK_NS if "think" in self._client.hello["features"] else 0
            slice_ = drive_slice(self._client, self._target.spec, seconds, think_ns=think_ns)
        except AdapterFailure as failure:
            kind = failure
            if self._client.broken:
                # The client's library hangs for longer than any call may take, which is a time-out for its user.
                self._client.process.close(grace=0)
                self._client = self._target.start_observer()
                kind = AdapterFailure("timeout", str(failure))
            return ObservedFigures(**failed_slice(kind, time.monotonic() - began), connect_s=None)
        slice_["seconds"] = round(time.monotonic() - began, 6)
        slice_.pop("buckets", None)
        if connect_s > _SLOW_CONNECT_S and SPEED in slice_:
            # Waiting for a connection counts like waiting for an answer.
            slice_[SPEED] = max(slice_[SPEED], connect_s * 1e6)
        return ObservedFigures(**slice_, connect_s=round(connect_s, 6))

    def close(self) -> None:
        """End the client."""
        self._client.stop()
