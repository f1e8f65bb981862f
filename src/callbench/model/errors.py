"""Errors for people: one sentence and an exit code, never a traceback."""

from pathlib import Path


class CallbenchError(Exception):
    """A failure with one sentence that names the place and the remedy.

    Attributes:
        exit_code: what the program ends with.
        record: the folder of what was measured so far, which is still to be printed; None if there is none.
    """

    exit_code = 1
    record: Path | None = None


class BadInput(CallbenchError):  # noqa: N818 - it names what was given, and reads so where it is raised
    """What was asked for or given is wrong: a file, a key, a name, a number."""

    exit_code = 2


class NotThere(BadInput):
    """Nothing has the name that was given."""


class NotNow(BadInput):
    """It cannot be done as things stand: something runs or has ended, or a name is taken."""


class MachineFailure(CallbenchError):  # noqa: N818 - it names what failed
    """The machine refused something: room on a disk, a permission, memory, threads, files, a missing program."""

    exit_code = 2


class HostLost(CallbenchError):  # noqa: N818 - it names what happened
    """Another machine that a run uses, or a link, has gone. No stack is to blame: the run ends, and can go on.

    Attributes:
        host: the machine; "" if it is none alone.
    """

    def __init__(self, message: str, host: str = "") -> None:
        """Keep the host beside the sentence."""
        super().__init__(message)
        self.host = host


# Failures of an adapter itself: it ended, said nothing, broke the contract, or reported figures that cannot be true.
OF_THE_ADAPTER = frozenset({"died", "silent", "garbage", "untrue"})


class AdapterFailure(CallbenchError):  # noqa: N818 - it names what happened
    """An adapter broke the contract, died, or said no.

    Attributes:
        kind: the contract's error kind, or one of `OF_THE_ADAPTER`.
        ending: of one that died, how: `out-of-memory`, `crash`, `killed` (by a signal from outside) or `exit`.
        answered: of a server that died while it was measured: the calls it had answered rightly.
    """

    ending: str | None = None
    answered: int | None = None

    def __init__(self, kind: str, message: str) -> None:
        """Keep the kind beside the sentence."""
        super().__init__(message)
        self.kind = kind
        if kind == "out-of-resources":
            self.exit_code = MachineFailure.exit_code
