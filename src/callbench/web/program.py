"""The program as the page runs it: each command is a process of its own."""

import json
import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, Field

from callbench.model.errors import BadInput, CallbenchError, MachineFailure
from callbench.model.machine_limits import remedy_in
from callbench.store import turn

_LONGEST_S = 600
_TRIAL_S = 120
# Documents that are kept parsed. That of two runs of 1,000 cells takes some megabytes.
_PARSED = 8
_MOST_KEPT = 20


class TriedCall(BaseModel):
    """One call, as a command prints it with --dry-run --json. Its secrets are masked."""

    server: Annotated[str, Field(description="its URL")]
    request: Annotated[str | None, Field(description="what was sent; null where it is not seen")]
    answer: Annotated[str | None, Field(description="what came back; null where it is not seen")]
    unseen: Annotated[str | None, Field(description="why they are not seen; null where they are")]
    wrong: Annotated[str | None, Field(description="what is wrong with the answer; null if it is right")]
    takes: Annotated[str, Field(description="how long the whole test takes, in words")]


def argv(words: Sequence[str]) -> list[str]:
    """Return the command line of a command, from its words behind `callbench`."""
    return [sys.executable, "-m", "callbench", *words]


def in_turn(shown: str, words: Sequence[str]) -> list[str]:
    """Return the command line of a command that first waits until no other one measures.

    Args:
        shown: the command for those who wait for it, without secrets.
        words: behind `callbench`.
    """
    return [sys.executable, "-m", turn.__name__, shown, *argv(words)]


def environment() -> dict[str, str]:
    """Return what the page was started with, for its commands: how its libraries are set up is its own."""
    return dict(os.environ)


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
    # With 2, a command may have found something wrong and said what, or have been asked wrongly.
    if ended.returncode not in ends or (ended.returncode and not ended.stdout):
        raise _failure(words, ended)
    return ended.stdout


class KeptAnswers:
    """What commands print, kept until what it rests on changes: the newest few, made one after the other."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._one = threading.Lock()
        self._known: dict[Sequence[str], tuple[object, str]] = {}

    def text(self, words: Sequence[str], state: object, ends: Sequence[int] = (0,)) -> str:
        """Return what a command prints.

        Args:
            words: as `said` takes them.
            state: what its answer rests on.
            ends: as `said` takes them.

        Raises:
            BadInput, MachineFailure: as `said`.
        """
        key = tuple(words)
        with self._one:
            known = self._known.pop(key, None)
            if known is None or known[0] != state:
                known = state, said(words, ends)
            # The newest stand last.
            self._known[key] = known
            while len(self._known) > _MOST_KEPT:
                del self._known[next(iter(self._known))]
            return known[1]


@lru_cache(maxsize=_PARSED)
def parsed(text: str) -> Mapping[str, Any]:
    """Return what a command printed in JSON. The newest few are kept: each click on a view asks for them again."""
    return dict(json.loads(text))


def tried(words: Sequence[str]) -> TriedCall:
    """Return one call, which a command that tests a server makes with --dry-run.

    Raises:
        CallbenchError: no call was made; the sentence is the command's.
        MachineFailure: it took too long.
    """
    words = [*words, "--dry-run", "--json"]
    try:
        ended = _ended(words, _TRIAL_S)
    except subprocess.TimeoutExpired as failure:
        raise MachineFailure(f"the call took more than {_TRIAL_S} s") from failure
    # A wrong answer is shown, and then fails.
    if not ended.stdout:
        raise _failure(words, ended)
    return TriedCall.model_validate_json(ended.stdout)


def _failure(words: Sequence[str], ended: subprocess.CompletedProcess[str]) -> CallbenchError:
    sentence = ended.stderr.strip().rpartition("\n")[2].removeprefix("callbench: ")
    # A command ends alike where the machine refused something: its sentence says what.
    asked = ended.returncode == BadInput.exit_code and remedy_in(sentence) is None
    return (BadInput if asked else CallbenchError)(sentence or f"{shell(words)} ended with {ended.returncode}")


def _ended(words: Sequence[str], longest_s: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv(words),
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=longest_s,
        check=False,
    )
