"""The program as the page runs it: each command is a process of its own."""

import shlex
import subprocess
import sys
from collections.abc import Sequence

from callbench.model.errors import BadInput, CallbenchError, MachineFailure

_LONGEST_S = 600
_ESTIMATE_S = 120


def argv(words: Sequence[str]) -> list[str]:
    """Return the command line of a command, from its words behind `callbench`."""
    return [sys.executable, "-m", "callbench", *words]


def shell(words: Sequence[str]) -> str:
    """Return a command as it is typed, from its words behind `callbench`."""
    return shlex.join(["callbench", *words])


def said(words: Sequence[str], ends: Sequence[int] = (0,)) -> str:
    """Return what a command prints, which is waited for.

    Args:
        words: of its command line, behind `callbench`.
        ends: the exit codes with which it did what it was asked.

    Raises:
        BadInput: it cannot do so; the sentence is the command's.
        MachineFailure: it took too long.
    """
    try:
        ended = _ended(words, _LONGEST_S)
    except subprocess.TimeoutExpired as failure:
        raise MachineFailure(f"it took more than {_LONGEST_S} s: {shell(words)}") from failure
    if ended.returncode not in ends:
        sentence = ended.stderr.strip().rpartition("\n")[2].removeprefix("callbench: ")
        kind: type[CallbenchError] = BadInput if ended.returncode == BadInput.exit_code else CallbenchError
        raise kind(sentence or f"{shell(words)} ended with {ended.returncode}")
    return ended.stdout


def estimate(words: Sequence[str]) -> str:
    """Return what a command says that it would measure, and how long it takes."""
    try:
        ended = _ended([*words, "--dry-run"], _ESTIMATE_S)
    except subprocess.TimeoutExpired:
        return f"The estimate took more than {_ESTIMATE_S} s."
    return ended.stdout + ended.stderr


def _ended(words: Sequence[str], longest_s: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv(words), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=longest_s, check=False
    )
