"""Runs a compiler, or what writes code for one: it ends with this program, and its error becomes one of ours."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from callbench.adapter.process import ownership_options
from callbench.model.errors import MachineFailure
from callbench.model.installation import supervisor

UNOPTIMISED = "CALLBENCH_UNOPTIMISED"
"""If this variable is set, Rust and C++ of a service are compiled in little time, for who asks what it does alone."""

_SHOWN = 30
"""How many lines of the compiler's own an error has."""


def optimises() -> bool:
    """Whether what is compiled for a service is as fast as it can be. What is not is another entry of the cache."""
    return not os.environ.get(UNOPTIMISED)


def run(
    command: Sequence[str],
    problem: str,
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Runs a command to its end.

    Under the supervisor, so that nothing of it stays if this program is killed.

    Args:
        command: the command line.
        problem: what it means if the command fails, as the beginning of a sentence.
        folder: the working folder; None: this program's.
        environment: all of its variables; None: this program's.

    Raises:
        MachineFailure: the command fails. The error has the problem, the exit code and the first lines of output.
        OSError: the command cannot be started.
    """
    supervised = supervisor()
    prefix = [] if supervised is None else [str(supervised), *ownership_options(), "--"]
    done = subprocess.run(
        [*prefix, *command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode:
        lines = done.stdout.decode(errors="replace").strip().splitlines()
        raise MachineFailure(f"{problem} (exit code {done.returncode}). It says:\n" + "\n".join(lines[:_SHOWN]))
