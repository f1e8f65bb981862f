"""The program in a process of its own, forked from one that has loaded its modules: a start costs next to nothing.

Started as a file, this is the process that is forked. Tests that are about the start itself use `conftest.command`.
"""

import atexit
import contextlib
import ctypes
import gc
import importlib
import json
import os
import pkgutil
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn, Self

if __name__ == "__main__":  # With -P, so that no test's folder stands for a package of the program.
    sys.path.append(str(Path(__file__).parent))
import process_starts

if __name__ == "__main__":
    sys.path.pop()

_LONGEST = 1 << 20
_PR_SET_PDEATHSIG = 1
# What the program imports only when it is needed, and most runs need.
_LATE = ("scipy.special", "scipy.optimize")


class LoadedProgramError(Exception):
    """The process that is forked ended while a run of it was going on."""


class LoadedProgram:
    """Makes processes of the program."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Load it once. The environment is that of the loading; each run has its own."""
        self._environment = dict(environment)
        self._start()

    def _start(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in (self._control, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LONGEST)
        with theirs:
            argv = [sys.executable, "-P", __file__, str(theirs.fileno())]
            self._process = subprocess.Popen(
                argv, env=self._environment, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], process_group=0
            )

    def _start_anew(self) -> None:
        """Kill what was loaded with every process of it, and load it again: nothing of a run cut off is left."""
        self._control.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(60)
        self._start()

    def __enter__(self) -> Self:
        """The program, loaded."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process that is forked."""
        self._control.close()
        self._process.wait(60)

    @property
    def pid(self) -> int:
        """The process that is forked, and its process group."""
        return self._process.pid

    def run(self, arguments: Sequence[str], within: Path, timeout: float) -> subprocess.CompletedProcess[str]:
        """Run the program with this process's environment, until it has ended and nobody holds its streams.

        However a run is cut off (by its own time-out, by that of the test, by Ctrl-C), the next one finds the program
        loaded anew.

        Raises:
            subprocess.TimeoutExpired: it took longer than `timeout` seconds, and was killed.
            LoadedProgramError: the process that is forked ended meanwhile.
        """
        ends: list[int] = []
        began = time.monotonic()
        try:
            ends = self._ask(arguments, within)
            out, err, state = _read_all(ends, arguments, timeout)
            code, processor_s = _end(state, arguments)
        except BaseException:
            self._start_anew()
            raise
        finally:
            for end in ends:
                os.close(end)
        if process_starts.VARIABLE in self._environment:
            file = Path(self._environment[process_starts.VARIABLE])
            process_starts.note(file, [process_starts.LOADED], time.monotonic() - began, processor_s)
        return subprocess.CompletedProcess(["callbench", *arguments], code, out.decode(), err.decode())

    def _ask(self, arguments: Sequence[str], within: Path) -> list[int]:
        """Ask for a run; return our ends of its stdout, its stderr and the line about the process."""
        request = {"arguments": arguments, "within": str(within), "environment": dict(os.environ)}
        message = json.dumps(request).encode()
        ends = [os.pipe() for _ in range(3)]
        theirs = [write for _, write in ends]
        try:
            try:
                socket.send_fds(self._control, [message], theirs)
            except (BrokenPipeError, ConnectionResetError):  # It ended while no run was going on.
                self._start_anew()
                socket.send_fds(self._control, [message], theirs)
        finally:
            for end in theirs:
                os.close(end)
        return [read for read, _ in ends]


def _read_all(ends: Sequence[int], arguments: Sequence[str], timeout: float) -> list[bytes]:
    """Read stdout, stderr and the line about the process, each to its end."""
    read = {end: bytearray() for end in ends}
    deadline = time.monotonic() + timeout
    with selectors.DefaultSelector() as waiting:
        for end in ends:
            waiting.register(end, selectors.EVENT_READ)
        while waiting.get_map():
            ready = waiting.select(max(deadline - time.monotonic(), 0))
            for key, _ in ready:
                some = os.read(key.fd, 65536)
                read[key.fd] += some
                if not some:
                    waiting.unregister(key.fd)
            if not ready and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(
                    ["callbench", *arguments], timeout, *(bytes(read[end]) for end in ends[:2])
                )
    return [bytes(read[end]) for end in ends]


def _end(state: bytes, arguments: Sequence[str]) -> tuple[int, float]:
    """Read the line about a process: its id, and once it has ended its exit code and what it took of processors."""
    match state.split():
        case [_, code, processor_s]:
            return int(code), float(processor_s)
        case _:
            raise LoadedProgramError(f"callbench {' '.join(arguments)}: the loaded program ended before it")


def _load() -> None:
    package = importlib.import_module("callbench")
    for module in pkgutil.walk_packages(package.__path__, "callbench."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in _LATE:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()


def _fork_for_each_request(control: socket.socket) -> None:
    """Return in each process that was made, ready to run the program; end with the tests."""
    running: dict[int, tuple[int, int]] = {}
    loading = os.getpid()
    with selectors.DefaultSelector() as waiting:
        waiting.register(control, selectors.EVENT_READ)
        while True:
            for key, _ in waiting.select():
                if key.fd in running:
                    waiting.unregister(key.fd)
                    pid, state = running.pop(key.fd)
                    _, status, used = os.wait4(pid, 0)
                    code = os.waitstatus_to_exitcode(status)
                    os.write(state, f"{code} {used.ru_utime + used.ru_stime}\n".encode())
                    os.close(state)
                    os.close(key.fd)
                    continue
                request, ends, _, _ = socket.recv_fds(control, _LONGEST, 3)
                if not request:
                    os._exit(0)
                out, err, state = ends
                pid = os.fork()
                if pid == 0:
                    _end_with(loading)
                    for mine in (state, *running, *(its for _, its in running.values())):
                        os.close(mine)
                    control.close()
                    _become(json.loads(request), out, err)
                    return
                os.close(out)
                os.close(err)
                os.write(state, f"{pid} ".encode())
                ended = os.pidfd_open(pid)
                running[ended] = (pid, state)
                waiting.register(ended, selectors.EVENT_READ)


def _end_with(parent: int) -> None:
    """Be killed with the process that has made this one, which ends with the tests, however these end."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _become(request: Mapping[str, object], out: int, err: int) -> None:
    arguments, environment = request["arguments"], request["environment"]
    assert isinstance(arguments, list)
    assert isinstance(environment, dict)
    for end, place in ((out, 1), (err, 2)):
        os.dup2(end, place)
        os.close(end)
    os.chdir(str(request["within"]))
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # What was loaded may have looked for it with another TMPDIR.
    sys.argv = ["callbench", *arguments]


def _run() -> NoReturn:
    """Run the program, and end as an interpreter does, but for taking apart all that is loaded: half a second."""
    main = importlib.import_module("callbench.cli").main
    code: object = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code or 0
    except BaseException:  # noqa: BLE001 - what is left is the interpreter's to print
        traceback.print_exc()
        code = 1
    if not isinstance(code, int):
        print(code, file=sys.stderr)  # noqa: T201
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


if __name__ == "__main__":
    _load()
    process_starts.install_if_asked(os.environ)
    _fork_for_each_request(socket.socket(fileno=int(sys.argv[1])))
    _run()
