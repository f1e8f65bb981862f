"""A thread of the program that fails ends the program, as Ctrl-C does, and is what the program then says."""

import os
import signal
import threading

from callbench.model import machine_limits
from callbench.model.errors import MachineFailure

_failures: list[Exception] = []


def end_the_program() -> None:
    """From now on, stop the main thread when another one fails: what that one was to do is not done."""
    threading.excepthook = _note


def _note(failed: "threading.ExceptHookArgs") -> None:
    if not isinstance(failed.exc_value, Exception):
        return
    if os.environ.get("CALLBENCH_TRACEBACK"):
        threading.__excepthook__(failed)
    _failures.append(failed.exc_value)
    main = threading.main_thread()
    if len(_failures) == 1 and main.is_alive() and main.ident is not None:
        # Sent to that thread: what it waits for is interrupted.
        signal.pthread_kill(main.ident, signal.SIGINT)


def as_failure(message: str) -> Exception | None:
    """Return what the program ends with instead of `stopped`; None if no thread failed.

    Args:
        message: what is said of the stop: how far it came, what is kept, the command that goes on.
    """
    if not _failures:
        return None
    refused = machine_limits.machine_failure(_failures[0])
    if refused is None:
        return _failures[0]
    rest = message.removeprefix("stopped").removeprefix("; ")
    return MachineFailure(f"{refused}; {rest}" if rest else str(refused))
