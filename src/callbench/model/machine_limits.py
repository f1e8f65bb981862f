"""What the machine refused: room, files, threads, memory, a permission. One sentence says what, and what to do."""

import errno
import os
import resource
import threading
from functools import cache

from callbench.model.errors import MachineFailure

_ROOM = "make room, or name a folder on another disk (--out, TMPDIR, XDG_CACHE_HOME)"
_PERMISSION = "name another folder (--out, TMPDIR, XDG_CACHE_HOME), or change who may write this one"
_FILES = "raise the limit of open files (`ulimit -n`), or use fewer clients"
_THREADS = "raise the limit of processes and threads (`ulimit -u`, or the container's), or end other programs"
_MEMORY = "raise the limit of memory (`ulimit -v`, or the container's), or end other programs"
# Of addresses, which libraries take without using them: for themselves, and for a thread of each processor.
_LEAST_BYTES = 1280 << 20
_LEAST_BYTES_OF_A_PROCESSOR = 128 << 20
_THREADS_OF_ALGEBRA = "OPENBLAS_NUM_THREADS"
# Of a command that could not go on: nobody is at fault but the machine.
_REMEDIES = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EFBIG: "raise the limit of a file's size (`ulimit -f`)",
    errno.EROFS: _PERMISSION,
    errno.EACCES: _PERMISSION,
    errno.EPERM: _PERMISSION,
    errno.EMFILE: _FILES,
    errno.ENFILE: _FILES,
    errno.EAGAIN: _THREADS,
    errno.ENOMEM: _MEMORY,
    errno.EIO: "look at the disk: it fails",
}
# Of a program that could not be started: a permission is then its own matter.
SCARCE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM})
# What runtimes and libraries write where their author's error is not an OSError of ours.
_WORDS = (
    ("Too many open files", _FILES),
    ("can't start new thread", _THREADS),
    ("failed to spawn thread", _THREADS),
    ("unable to create native thread", _THREADS),
    ("pthread_create", _THREADS),
    ("EAGAIN", _THREADS),
    ("cannot start a process: Try again", _THREADS),
    ("cannot start a thread: Try again", _THREADS),
    ("Resource temporarily unavailable", _THREADS),
    ("Cannot allocate memory", _MEMORY),
    ("cannot allocate memory", _MEMORY),
    ("failed to map segment", _MEMORY),
    ("failed to allocate", _MEMORY),
    ("memory allocation of", _MEMORY),
    ("Out of Memory Error", _MEMORY),
    ("No space left on device", _ROOM),
    ("Disk quota exceeded", _ROOM),
)


def least_addresses() -> int:
    """Return how many bytes of addresses the program needs here, at least."""
    return _LEAST_BYTES + _LEAST_BYTES_OF_A_PROCESSOR * (os.cpu_count() or 1)


def require_memory() -> None:
    """Refuse a limit under which the libraries end the program in their own way: by a signal, or they wait for ever.

    Raises:
        MachineFailure: the limit is too low.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    needed = least_addresses()
    if limit != resource.RLIM_INFINITY and limit < needed:
        least = f"this program needs at least {needed >> 20} of addresses"
        raise MachineFailure(f"memory is limited to {limit >> 20} MiB, and {least}; {_MEMORY}")


def use_one_thread_for_algebra() -> None:
    """Keep the library of linear algebra from threads of its own, before it is loaded.

    Nothing here needs them. Where it gets none, it writes four lines, and ends the program with the signal of Ctrl-C.
    `os.environ` is left as it is, and that is what adapters and a user's servers are started with.
    """
    if _THREADS_OF_ALGEBRA not in os.environ:
        os.putenv(_THREADS_OF_ALGEBRA, "1")


def require_addresses(least_gib: int, what: str) -> None:
    """Refuse a limit of addresses under which a library that only reserves them ends the program by a signal.

    Args:
        least_gib: how many GiB it reserves.
        what: what needs it, in the plural.

    Raises:
        MachineFailure: the limit is lower.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < least_gib << 30:
        raise MachineFailure(
            f"{what} reserve {least_gib} GiB of addresses, and memory is limited to {limit >> 20} MiB: raise that limit"
            " (`ulimit -v`), or limit the memory that is used, as a container does"
        )


@cache
def require_threads(number: int, what: str) -> None:
    """Refuse a limit of threads under which a library that starts some ends the program by a signal.

    Args:
        number: how many it starts, at most.
        what: what needs them, in the plural.

    Raises:
        MachineFailure: so many cannot be started.
    """
    over = threading.Event()
    waiting: list[threading.Thread] = []
    try:
        for _ in range(number):
            waiting.append(threading.Thread(target=over.wait, daemon=True))
            waiting[-1].start()
    except RuntimeError as failure:
        waiting.pop()
        raise MachineFailure(f"{what} need {number} threads, and {failure}; {_THREADS}") from failure
    finally:
        over.set()
        for thread in waiting:
            thread.join()


def remedy_in(text: str) -> str | None:
    """Return what to do where a message says that the machine refused something; None if it does not."""
    return next((remedy for words, remedy in _WORDS if words in text), None)


def lacks_threads(text: str) -> bool:
    """Return whether a message says that no process or thread could be started."""
    return remedy_in(text) == _THREADS


def remedied(why: str) -> str:
    """Return a message with what to do about it, if it says that the machine refused something."""
    remedy = remedy_in(why)
    return why if remedy is None or remedy in why else f"{why}; {remedy}"


def written(what: str, failure: OSError) -> MachineFailure:
    """Return the error for something that cannot be written.

    Args:
        what: `cannot write FILE`, for instance.
        failure: what the system said.
    """
    remedy = _REMEDIES.get(failure.errno or 0)
    why = f"{what}: {failure.strerror or failure}"
    return MachineFailure(f"{why}; {remedy}" if remedy else why)


def machine_failure(failure: BaseException) -> MachineFailure | None:
    """Return an error of the machine as one of ours, whatever raised it; None if it is something else."""
    if isinstance(failure, MemoryError):
        return MachineFailure(f"there is no memory left; {_MEMORY}")
    if isinstance(failure, OSError) and failure.errno in _REMEDIES:
        where = "" if failure.filename is None else f"{os.fsdecode(failure.filename)}: "
        return MachineFailure(f"{where}{failure.strerror}; {_REMEDIES[failure.errno]}")
    text = " ".join(str(failure).split())
    if remedy_in(text):
        return MachineFailure(remedied(text))
    # A library says of its parts that cannot be loaded that its installation is broken.
    cause = failure.__cause__ if isinstance(failure, ImportError) else None
    return machine_failure(cause) if cause is not None else None
