"""The program in a process of its own, forked from one that has loaded its modules: a start costs next to nothing.

Started as a file, this is the process that is forked. Tests that are about the start itself use `conftest.command`.
"""

import atexit
import contextlib
import ctypes
import functools
import gc
import importlib
import json
import os
import pkgutil
import select
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn, Self

if __name__ == "__main__":  # With -P, so that no test's folder stands for a package of the program.
    sys.path.append(str(Path(__file__).parent))
import process_starts
from left_behind import MARK

if __name__ == "__main__":
    sys.path.pop()

_LONGEST = 1 << 20
_PR_SET_PDEATHSIG = 1
# What the program imports only when it is needed, and most runs need.
_LATE = ("scipy.special", "scipy.optimize")
Stream = int | IO[str] | IO[bytes]


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

    def begin(
        self,
        arguments: Sequence[str],
        within: Path,
        *,
        stdin: Stream = subprocess.DEVNULL,
        stdout: Stream = subprocess.PIPE,
        stderr: Stream = subprocess.PIPE,
        session: bool = False,
        namespaces: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> "Begun":
        """Begin a run of the program.

        Args:
            arguments: its arguments.
            within: its folder.
            stdin: as `subprocess.Popen` takes it.
            stdout: so too.
            stderr: so too.
            session: whether it begins a session of its own.
            namespaces: the paths of those that it enters, one after the other.
            environment: None for that of this process.

        Raises:
            LoadedProgramError: the process that is forked ended meanwhile.
        """
        request = {
            "arguments": arguments,
            "within": str(within),
            "environment": dict(os.environ if environment is None else environment),
            "session": session,
            "namespaces": list(namespaces),
        }
        began = time.monotonic()

        def note(processor_s: float) -> None:
            if process_starts.VARIABLE in self._environment:
                file = Path(self._environment[process_starts.VARIABLE])
                process_starts.note(file, [process_starts.LOADED], time.monotonic() - began, processor_s)

        with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:
            its_in, our_in = _ends(stdin, theirs, ours, is_read=True)
            its_out, our_out = _ends(stdout, theirs, ours)
            its_err, our_err = _ends(its_out if stderr == subprocess.STDOUT else stderr, theirs, ours)
            its_state, our_state = _ends(subprocess.PIPE, theirs, ours)
            try:
                self._ask(json.dumps(request).encode(), [its_in, its_out, its_err, its_state])
                theirs.close()
                pid = int(_line(our_state) or _gone(arguments))
            except BaseException:
                self._start_anew()
                raise
            ours.pop_all()
        return Begun(arguments, pid, (our_in, our_out, our_err), our_state, note)

    def run(self, arguments: Sequence[str], within: Path, timeout: float) -> subprocess.CompletedProcess[str]:
        """Run the program with this process's environment, until it has ended and nobody holds its streams.

        However a run is cut off (by its own time-out, by that of the test, by Ctrl-C), the next one finds the program
        loaded anew.

        Raises:
            subprocess.TimeoutExpired: it took longer than `timeout` seconds, and was killed.
            LoadedProgramError: the process that is forked ended meanwhile.
        """
        with self.begin(arguments, within) as begun:
            try:
                out, err = begun.communicate(timeout)
            except BaseException:
                self._start_anew()
                raise
        return subprocess.CompletedProcess(["callbench", *arguments], begun.wait(), out, err)

    def _ask(self, message: bytes, ends: Sequence[int]) -> None:
        """Ask for a run with its stdin, its stdout, its stderr and the lines about the process."""
        try:
            socket.send_fds(self._control, [message], ends)
        except (BrokenPipeError, ConnectionResetError):  # It ended while no run was going on.
            self._start_anew()
            socket.send_fds(self._control, [message], ends)


@functools.cache
def shared() -> LoadedProgram:
    """Return the one of all tests of this process: it is loaded as soon as it is needed, and ends with them."""
    return LoadedProgram({name: value for name, value in os.environ.items() if name != MARK})


class Begun:
    """A run that goes on, used as `subprocess.Popen` is; it is killed at the end of its `with`.

    Attributes:
        pid: its process.
        returncode: its exit code; None until its end was asked for.
        stdin: what writes to it, if that is a pipe.
        stdout: what reads from it, if that is a pipe.
        stderr: so too.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        pid: int,
        streams: tuple[int, int, int],
        state: int,
        note: Callable[[float], None],
    ) -> None:
        """Take over what it was started with; -1 stands for a stream that is no pipe."""
        self.pid = pid
        self.returncode: int | None = None
        self._arguments = arguments
        given, out, err = streams
        self.stdin = None if given < 0 else os.fdopen(given, "w", encoding="utf-8")
        self.stdout = None if out < 0 else os.fdopen(out, encoding="utf-8")
        self.stderr = None if err < 0 else os.fdopen(err, encoding="utf-8")
        self._state = state
        self._note = note

    def poll(self) -> int | None:
        """Return the exit code, None while it lives."""
        if self.returncode is None and select.select([self._state], [], [], 0)[0]:
            return self.wait()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return the exit code.

        Raises:
            subprocess.TimeoutExpired: it lives longer than so many seconds.
            LoadedProgramError: the process that is forked ended meanwhile.
        """
        if self.returncode is None:
            if not select.select([self._state], [], [], timeout)[0]:
                assert timeout is not None
                raise subprocess.TimeoutExpired(["callbench", *self._arguments], timeout)
            code, processor_s = (_line(self._state) or _gone(self._arguments)).split()
            self.returncode = int(code)
            self._note(float(processor_s))
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it lives."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it, if it lives."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait until it has ended and nobody holds its streams, and return what it said and what it complained of.

        Raises:
            subprocess.TimeoutExpired: that took longer than so many seconds.
            LoadedProgramError: the process that is forked ended meanwhile.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        ends = [stream.fileno() if stream else -1 for stream in (self.stdout, self.stderr)]
        read = {end: bytearray() for end in ends}
        with selectors.DefaultSelector() as waiting:
            for end in (end for end in ends if end >= 0):
                waiting.register(end, selectors.EVENT_READ)
            while waiting.get_map():
                ready = waiting.select(None if deadline is None else max(deadline - time.monotonic(), 0))
                for key, _ in ready:
                    some = os.read(key.fd, 65536)
                    read[key.fd] += some
                    if not some:
                        waiting.unregister(key.fd)
                if not ready:
                    break
        left = None if deadline is None else max(deadline - time.monotonic(), 0)
        out, err = (bytes(read[end]) for end in ends)
        try:
            self.wait(left)
        except subprocess.TimeoutExpired as late:
            assert timeout is not None
            raise subprocess.TimeoutExpired(late.cmd, timeout, out, err) from None
        return out.decode(), err.decode()

    def __enter__(self) -> Self:
        """The run."""
        return self

    def __exit__(self, *_: object) -> None:
        """Kill it, if it lives, and close its streams."""
        if self._state < 0:
            return
        with contextlib.suppress(LoadedProgramError):
            self.kill()
            self.wait()
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream:
                stream.close()
        os.close(self._state)
        self._state = -1


Begin = Callable[..., Begun]


def _ends(
    stream: Stream, theirs: contextlib.ExitStack, ours: contextlib.ExitStack, *, is_read: bool = False
) -> tuple[int, int]:
    """Return the run's end of a stream, and ours where it is a pipe, else -1."""
    mine = -1
    if stream == subprocess.PIPE:
        its, mine = os.pipe() if is_read else os.pipe()[::-1]
        ours.callback(os.close, mine)
    elif stream == subprocess.DEVNULL:
        its = os.open(os.devnull, os.O_RDWR)
    else:
        its = os.dup(stream if isinstance(stream, int) else stream.fileno())
    theirs.callback(os.close, its)
    return its, mine


def _line(state: int) -> bytes:
    """Read a line about a process, no byte more: its id, and once it has ended its exit code and processor seconds."""
    with os.fdopen(state, "rb", buffering=0, closefd=False) as lines:
        return lines.readline()


def _gone(arguments: Sequence[str]) -> NoReturn:
    raise LoadedProgramError(f"callbench {' '.join(arguments)}: the loaded program ended before it")


def _load() -> None:
    package = importlib.import_module("callbench")
    for module in pkgutil.walk_packages(package.__path__, "callbench."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in _LATE:
        importlib.import_module(name)
    _make_what_stays_the_same()
    gc.collect()
    gc.freeze()


def _make_what_stays_the_same() -> None:
    """Make what nearly every run makes, and always alike: templates of reports, and manifests."""
    importlib.import_module("callbench.report.export.page").page_template().environment.get_template("parts.html.j2")
    template = importlib.import_module("callbench.report.export.template").template
    template("record.html.j2").environment.get_template("parts.html.j2")
    importlib.import_module("callbench.catalog.catalogue").load()


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
                request, ends, _, _ = socket.recv_fds(control, _LONGEST, 4)
                if not request:
                    os._exit(0)
                *streams, state = ends
                pid = os.fork()
                if pid == 0:
                    _end_with(loading)
                    for mine in (state, *running, *(its for _, its in running.values())):
                        os.close(mine)
                    control.close()
                    _become(json.loads(request), streams)
                    return
                for its in streams:
                    os.close(its)
                os.write(state, f"{pid}\n".encode())
                ended = os.pidfd_open(pid)
                running[ended] = (pid, state)
                waiting.register(ended, selectors.EVENT_READ)


def _end_with(parent: int) -> None:
    """Be killed with the process that has made this one, which ends with the tests, however these end."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _become(request: Mapping[str, Any], streams: Sequence[int]) -> None:
    for place, end in enumerate(streams):
        os.dup2(end, place)
        os.close(end)
    sys.stdout.reconfigure(line_buffering=sys.stdout.isatty())  # type: ignore[union-attr]
    if request["session"]:
        os.setsid()
    for namespace in request["namespaces"]:
        _enter(namespace)
    os.chdir(request["within"])
    os.environ.clear()
    os.environ.update(request["environment"])
    tempfile.tempdir = None  # What was loaded may have looked for it with another TMPDIR.
    sys.argv = ["callbench", *request["arguments"]]


def _enter(namespace: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    held = os.open(namespace, os.O_RDONLY)
    if libc.setns(held, 0):
        raise OSError(ctypes.get_errno(), f"cannot enter {namespace}")
    os.close(held)


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
