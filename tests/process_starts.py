"""Notes of each process that tests start: which program, for which test, how long it lived and what it computed.

They are lines of one file, appended by all workers and by the programs that they keep loaded, so that a compiler is
noted that the program started. What a new interpreter starts in its turn is not.
"""

import json
import os
import resource
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

VARIABLE = "CALLBENCH_TEST_STARTS"
"""The file, in the environment of the program that is kept loaded."""
LOADED = "callbench, forked from a loaded one"
LOADING = "python loaded_program.py"
# What does nothing but compile, and what does so if this word follows.
_COMPILERS = frozenset(("c++", "cargo", "cmake", "csc", "fpc", "g++", "javac", "make", "mcs", "mvn", "npm", "protoc"))
_COMPILING = frozenset((("dotnet", "build"), ("dotnet", "publish"), ("dotnet", "restore"), ("go", "build")))


@dataclass(frozen=True)
class Start:
    """A process that a test started.

    Attributes:
        test: the test's node, "" if it was started between tests.
        program: its name, with the word that follows where that says what it does.
        compiles: whether it is a compiler.
        seconds: how long it lived, until its end was asked for.
        processor_s: what it took of processors, with all that it started and waited for.
        is_within: whether the program that is kept loaded started it, so that its run has these seconds too.
    """

    test: str
    program: str
    compiles: bool
    seconds: float
    processor_s: float
    is_within: bool


def used_s(whose: int) -> float:
    """Read the processor seconds of this process, or of all its children that have ended (`resource.RUSAGE_...`)."""
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def note(file: Path, command: Sequence[str], seconds: float, processor_s: float, *, is_within: bool = False) -> None:
    """Append a process that has ended."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    program, compiles = _named(command)
    line = json.dumps(asdict(Start(test, program, compiles, seconds, processor_s, is_within))) + "\n"
    # A line is one write at the file's end, so that those of two processes do not mix.
    end = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(end, line.encode())
    finally:
        os.close(end)


def noted(file: Path) -> Iterator[Start]:
    """Read all that was noted."""
    if file.exists():
        for line in file.read_text().splitlines():
            yield Start(**json.loads(line))


class _Children:
    """What the children that have ended took of processors, given out once."""

    def __init__(self) -> None:
        self._given_s = used_s(resource.RUSAGE_CHILDREN)
        self._lock = threading.Lock()

    def more_s(self) -> float:
        with self._lock:
            before_s, self._given_s = self._given_s, used_s(resource.RUSAGE_CHILDREN)
            return self._given_s - before_s


def install(file: Path, *, is_within: bool = False) -> None:
    """From now on, note each process that this one starts by `subprocess`."""
    children = _Children()

    class NotedPopen(subprocess.Popen):  # type: ignore[type-arg]
        """As it is, with its end noted."""

        def __init__(self, args: Any, *rest: Any, **options: Any) -> None:
            self._began = time.monotonic()
            self._command = [args] if isinstance(args, str | bytes | os.PathLike) else list(args)
            super().__init__(args, *rest, **options)

        @property
        def returncode(self) -> int | None:
            """The exit code; None while it lives."""
            return self._code

        @returncode.setter
        def returncode(self, code: int | None) -> None:
            self._code = code
            if code is not None:
                command = [os.fsdecode(word) for word in self._command]
                note(file, command, time.monotonic() - self._began, children.more_s(), is_within=is_within)

    subprocess.Popen = NotedPopen  # type: ignore[misc]


def install_if_asked(environment: Mapping[str, str]) -> None:
    """Do so in the program that is kept loaded, if the tests do."""
    if VARIABLE in environment:
        install(Path(environment[VARIABLE]), is_within=True)


def _named(command: Sequence[str]) -> tuple[str, bool]:
    """Return the name of a program, and whether it compiles. The supervisor stands for what it starts."""
    if command[:2] == ["setpriv", "--pdeathsig"]:
        command = command[3:]
    if Path(command[0]).name == "callbench-supervisor" and "--" in command[:-1]:
        command = command[command.index("--") + 1 :]
    name, words = Path(command[0]).name, command[1:]
    if words[:2] == ["-m", "callbench"]:
        return "callbench, a new interpreter", False
    if words[:2] == ["-m", "grpc_tools.protoc"] or any("_protoc_compiler" in word for word in words[:4]):
        return "protoc", True
    if words and (name, words[0]) in _COMPILING:
        return f"{name} {words[0]}", True
    scripts = [Path(word).name for word in words if word.endswith(".py")]
    if name.startswith("python") and scripts:
        return f"python {scripts[0]}", False
    return name, name in _COMPILERS or (name == "java" and any("maven" in word for word in words))
