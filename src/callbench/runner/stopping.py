"""How a person stops what is under way: Ctrl-C and SIGTERM, and what is then marked in its record."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from callbench.model.errors import CallbenchError
from callbench.store.writer import RunWriter


class Stopped(CallbenchError):  # noqa: N818 - it names what happened
    """A person stopped the program with Ctrl-C; the sentence has the command that goes on."""

    exit_code = 130


class Terminated(Stopped):
    """SIGTERM stopped the program."""

    exit_code = 143


class Sigterm(BaseException):
    """SIGTERM, where Ctrl-C is KeyboardInterrupt."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt within, and SIGTERM `Sigterm`.

    A shell starts what it puts in the background with SIGINT ignored; a program ends cleanly there as well.
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
def marking_the_end(run: RunWriter, kept: str, note: str | None = None) -> Iterator[None]:
    """Marks a record `finished` where the work within ends by itself, else `stopped`.

    Args:
        run: the record.
        kept: what is kept, and the command that goes on with it or shows it: the end of the sentence.
        note: what the record says of a stop by a person, where there is something to say.

    Raises:
        Stopped: a person stopped the work.
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
        run.end("stopped")
        raise
    run.end("finished")
