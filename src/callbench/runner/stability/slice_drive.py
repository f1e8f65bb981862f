"""Drives one slice of calls."""

import time
from pathlib import Path

from callbench.adapter.session import Adapter
from callbench.adapter.stack.target import TargetSpec
from callbench.analysis.stability.slices import failed_slice, slice_record
from callbench.model.errors import AdapterFailure
from callbench.store.lines.slices import SliceFigures


def drive_slice(  # noqa: PLR0913 - a drive has so many members
    client: Adapter,
    spec: TargetSpec,
    seconds: float,
    *,
    calls: int = 1,
    schedule: Path | None = None,
    think_ns: int = 0,
) -> SliceFigures:
    """Drive for so many seconds. If the client cannot connect, return a slice of errors.

    Returns:
        `calls`, `errors`, `error_messages`, `seconds` to the last end, `window` (calls, nanoseconds and calls in
        flight, see stats/load/rate.py), latencies in microseconds, `last_answer_s` since the start, `buckets` of the
        histogram, `unserved` if clients failed and got no right answer, `endpoints` if clients call several, and
        `processor_us`, the client's processor time.

    Raises:
        AdapterFailure: the client died or broke the contract.
    """
    began = time.monotonic()
    try:
        done = client.drive(
            spec.call,
            spec.arguments,
            calls=calls,
            seconds=seconds,
            limit_seconds=seconds,
            timing="each",
            think_ns=think_ns,
            schedule=schedule,
        )
    except AdapterFailure as failure:
        if client.broken:
            raise
        return failed_slice(failure, time.monotonic() - began)
    return slice_record(done)
