"""The adapter of Python: REST servers that the load driver calls."""

import platform
import signal
import sys
import time
from typing import NoReturn

from callbench_python.contract import Conversation

_READINGS = 10_000


def _reading_ns() -> float:
    """What one reading of the clock takes."""
    began = time.monotonic_ns()
    for _ in range(_READINGS):
        time.monotonic_ns()
    return (time.monotonic_ns() - began) / _READINGS


def _terminated(*_: object) -> NoReturn:
    raise SystemExit(0)


def main() -> None:
    """Speak until told to stop."""
    signal.signal(signal.SIGTERM, _terminated)
    clock = {"name": "CLOCK_MONOTONIC", "resolution_ns": 1, "reading_ns": _reading_ns()}
    runtime = f"{platform.python_implementation()} {platform.python_version()}"
    conversation = Conversation({"version": "0.1.0", "runtime": runtime, "clock": clock})
    try:
        conversation.hold(sys.stdin.buffer)
    finally:
        conversation.end()


if __name__ == "__main__":
    main()
