"""How a user stops a command: Ctrl-C and SIGTERM, and how its record is then marked."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from callbench.model import thread_failures
from callbench.model.errors import CallbenchError, HostLost, MachineFailure

if TYPE_CHECKING:
    from callbench.store.record_writer import RecordWriter


class Stopped(CallbenchError):  # noqa: N818 - it names what happened
    """The user stopped the program with Ctrl-C. The sentence contains the command that resumes it."""

    exit_code = 130

    def __init__(self, message: str, record: Path | None = None) -> None:
        """Keep the folder beside the sentence."""
        super().__init__(message)
        self.record = record


class Terminated(Stopped):
    """SIGTERM stopped the program."""

    exit_code = 143


class Sigterm(BaseException):
    """SIGTERM was received; the counterpart of KeyboardInterrupt."""


_NUMBERS: dict[type[BaseException], int] = {KeyboardInterrupt: signal.SIGINT, Sigterm: signal.SIGTERM}
_AGAIN_S = 0.02


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise KeyboardInterrupt in the block on Ctrl-C, and `Sigterm` on SIGTERM.

    A shell starts background programs with SIGINT ignored. They end cleanly as well. Where Python drops what a handler
    raises, as in a fork or in `__del__`, the signal is sent again.
    """

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise Sigterm

    dropped = sys.unraisablehook

    def sent_again(what: "sys.UnraisableHookArgs") -> None:
        number = _NUMBERS.get(what.exc_type)
        if number is None:
            dropped(what)
        else:
            # Not from here: what is raised here is dropped as well.
            threading.Timer(_AGAIN_S, os.kill, (os.getpid(), number)).start()

    before = {
        signal.SIGTERM: signal.signal(signal.SIGTERM, stop),
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
    }
    sys.unraisablehook = sent_again
    try:
        yield
    finally:
        sys.unraisablehook = dropped
        for number, handler in before.items():
            signal.signal(number, handler)


def as_error(stop: KeyboardInterrupt | Sigterm, message: str, record: Path | None = None) -> Exception:
    """Return the error with which the program ends after it was stopped, with its exit code.

    Where one of its own threads failed and so stopped it, it is that failure.
    """
    number = signal.SIGTERM if isinstance(stop, Sigterm) else signal.SIGINT
    return _error(number, message, record)


def _error(number: int | None, message: str, record: Path | None) -> Exception:
    failure = thread_failures.as_failure(message)
    if failure is None:
        return (Terminated if number == signal.SIGTERM else Stopped)(message, record)
    if isinstance(failure, CallbenchError):
        failure.record = record
    return failure


@dataclass
class StopRequest:
    """The first wish of a user to stop; None: there was none.

    Attributes:
        number: the signal.
    """

    number: int | None = None

    def error(self, message: str) -> Exception:
        """Return the error with which the program ends once it has said what is known."""
        return _error(self.number, message, None)


@contextmanager
def noting_the_first_stop() -> Iterator[StopRequest]:
    """Note the first Ctrl-C or SIGTERM in the block, and raise as in `stoppable` at the second."""
    request = StopRequest()
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def stop(number: int, _frame: FrameType | None) -> None:
        if request.number is not None:
            raise Sigterm if number == signal.SIGTERM else KeyboardInterrupt
        request.number = number

    for number in before:
        signal.signal(number, stop)
    try:
        yield request
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@dataclass
class EndMark:
    """How a record is marked when its work ends.

    Attributes:
        state: `finished`, or `stopped` if a part of the work is its result.
    """

    state: str = "finished"


@contextmanager
def marking_the_end(run: "RecordWriter", kept: str, note: str | None = None) -> Iterator[EndMark]:
    """Mark a record as the block says, `finished` by default, if it completes; else `stopped`.

    Args:
        run: the record.
        kept: what is kept, and the command that resumes or shows it: the end of the sentence.
        note: a note for the record if a user stops it, or None.

    Raises:
        Stopped: the user stopped the work.
        HostLost: another machine has gone; the sentence ends with `kept`.
    """
    try:
        ending = EndMark()
        with stoppable():
            yield ending
    except (KeyboardInterrupt, Sigterm) as stop:
        if note is not None:
            run.note(note)
        run.end("stopped")
        raise as_error(stop, f"stopped; {kept}", run.path) from None
    except HostLost as lost:
        run.note(f"it ended: {lost}")
        if lost.host:
            run.count_loss(lost.host)
        run.end("stopped")
        raise HostLost(f"{lost}; {kept}", lost.host) from lost
    except BaseException:
        # On a full disk this fails too, and what failed first is what is to be said.
        with suppress(MachineFailure):
            run.end("stopped")
        raise
    run.end(ending.state)
