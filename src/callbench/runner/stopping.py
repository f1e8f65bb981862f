"""How a user stops a command: Ctrl-C and SIGTERM, and how its record is then marked."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from callbench.model.errors import CallbenchError, MachineFailure
from callbench.store.record_writer import RecordWriter


class Stopped(CallbenchError):  # noqa: N818 - it names what happened
    """The user stopped the program with Ctrl-C. The sentence contains the command that resumes it."""

    exit_code = 130


class Terminated(Stopped):
    """SIGTERM stopped the program."""

    exit_code = 143


class Sigterm(BaseException):
    """SIGTERM was received; the counterpart of KeyboardInterrupt."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise KeyboardInterrupt in the block on Ctrl-C, and `Sigterm` on SIGTERM.

    A shell starts background programs with SIGINT ignored. They end cleanly as well.
    """

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise Sigterm

    before = {
        signal.SIGTERM: signal.signal(signal.SIGTERM, stop),
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def marking_the_end(run: RecordWriter, kept: str, note: str | None = None) -> Iterator[None]:
    """Mark a record `finished` if the block completes, else `stopped`.

    Args:
        run: the record.
        kept: what is kept, and the command that resumes or shows it: the end of the sentence.
        note: a note for the record if a user stops it, or None.

    Raises:
        Stopped: the user stopped the work.
    """
    try:
        with stoppable():
            yield
    except (KeyboardInterrupt, Sigterm) as stop:
        if note is not None:
            run.note(note)
        run.end("stopped")
        kind = Terminated if isinstance(stop, Sigterm) else Stopped
        raise kind(f"stopped; {kept}") from None
    except BaseException:
        # On a full disk this fails too, and what failed first is what is to be said.
        with suppress(MachineFailure):
            run.end("stopped")
        raise
    run.end("finished")
