"""The process of an adapter: start it, exchange lines with it, end it with everything that it started."""

import collections
import contextlib
import ctypes
import json
import math
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from callbench.adapter.contract import LONGEST_LINE, ContractMessage
from callbench.model import machine_limits, process_end
from callbench.model.errors import AdapterFailure, MachineFailure
from callbench.model.installation import HOME_VARIABLE, engine_remedy, home, scratch, supervisor

GRACE_SECONDS = 5.0
_LAST_LINES = 5
_LINE_SHOWN = 160
# A machine that is too busy ends a process late, and reads what it said last later still.
_DEATH_SECONDS = 30.0
_LOG_SECONDS = 10.0
_CHUNK = 1 << 16
_PR_SET_PDEATHSIG = 1


class AdapterProcess:
    """A running adapter. Close it, and nothing of it is left.

    Attributes:
        who: its name in messages, for instance `native, the server`.
    """

    def __init__(  # noqa: PLR0913 - where and how
        self,
        who: str,
        program: Sequence[str],
        folder: Path,
        processors: Sequence[int],
        *,
        host_options: Sequence[str] = (),
        supervised: bool = True,
        speaks: str = "the contract",
    ) -> None:
        """Start `program` in `folder` on `processors` (empty: any).

        Args:
            who: its name in messages.
            program: the command line.
            folder: the working folder.
            processors: the processors that it may use.
            host_options: the supervisor's options that start it on a host of the network lab.
            supervised: whether to start it under the supervisor, if there is one.
            speaks: what its lines belong to, for messages.

        Raises:
            AdapterFailure: it cannot be started.
            MachineFailure: the machine has no room, files, threads or memory for it.
        """
        self.who = who
        self._speaks = speaks
        self._oom_kills = process_end.oom_kills()
        keeping = supervisor() if supervised else None
        if host_options and keeping is None:
            raise AdapterFailure(
                "unsupported", f"{who} cannot be started on another host without the supervisor: {engine_remedy()}"
            )
        argv = list(program)
        if keeping is not None:
            pinned = ["--cpus", ",".join(map(str, processors))] if processors else []
            argv = [str(keeping), *pinned, *host_options, *ownership_options(), "--", *argv]
        try:
            self._process = subprocess.Popen(
                argv,
                cwd=folder,
                env={**os.environ, HOME_VARIABLE: str(home())},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                # Without the supervisor, this ends the adapter with the core. It makes only two system calls.
                preexec_fn=None if keeping else _following(processors),  # noqa: PLW1509
            )
        except (OSError, subprocess.SubprocessError) as failure:
            why = failure.strerror if isinstance(failure, OSError) else str(failure)
            if isinstance(failure, OSError) and failure.errno in machine_limits.SCARCE:
                raise machine_limits.written(f"{who} cannot be started", failure) from failure
            raise AdapterFailure("died", f"{who} cannot be started: {argv[0]}: {why}") from failure
        assert self._process.stdin is not None  # noqa: S101 - the pipes were asked for above
        assert self._process.stdout is not None  # noqa: S101
        assert self._process.stderr is not None  # noqa: S101
        self._stdin = self._process.stdin.fileno()
        self._stdout = self._process.stdout.fileno()
        os.set_blocking(self._stdin, False)
        os.set_blocking(self._stdout, False)
        self._pending = bytearray()
        self._searched = 0
        self._log: collections.deque[str] = collections.deque(maxlen=_LAST_LINES)
        self._remedy: str | None = None
        # A thread of its own: a server may log while only the client is read, and must not block on a full pipe.
        self._listener = threading.Thread(target=self._keep_log, args=(self._process.stderr,), daemon=True)
        self._broken = self._closed = False
        try:
            self._pidfd = os.pidfd_open(self._process.pid)
            self._listener.start()
        except (OSError, RuntimeError) as failure:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()
            raise machine_limits.machine_failure(failure) or failure from failure

    @property
    def pid(self) -> int:
        """The supervisor's process if there is one, else the adapter's."""
        return self._process.pid

    @property
    def broken(self) -> bool:
        """Whether it died or broke the contract. It accepts no more requests then."""
        return self._broken

    @property
    def closed(self) -> bool:
        """Whether `close` has ended it."""
        return self._closed

    def send(self, message: Mapping[str, object], seconds: float) -> None:
        """Write one line within so many seconds.

        Raises:
            AdapterFailure: `died`, or `silent` if it does not read.
        """
        view = memoryview(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        deadline = time.monotonic() + seconds
        while view:
            left = deadline - time.monotonic()
            if left <= 0 or not _ready(self._stdin, select.POLLOUT, left):
                raise self.failure("silent", f"did not read a request within {seconds:g} s")
            try:
                view = view[os.write(self._stdin, view) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self._death() from None

    def receive(self, deadline: float, awaited: str, since: float | None = None) -> ContractMessage:
        """Read one line as a JSON object, until `deadline` on the monotonic clock.

        Args:
            deadline: in seconds.
            awaited: the expected message, for the error text.
            since: the begin of the wait on the same clock; None: now.

        Raises:
            AdapterFailure: `died`, `silent`, or `garbage` if the line is not a JSON object.
        """
        line = self._line(deadline, awaited, time.monotonic() if since is None else since)
        try:
            message = json.loads(line, parse_constant=_refuse_number, parse_float=_finite)
            if b"\\u" in line:
                # Half of a surrogate pair is no text: it could be neither kept nor printed.
                json.dumps(message, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise self.failure(
                "garbage", f"wrote {_shown(line)} to its standard output, which is not a line of {self._speaks}"
            )
        return message

    def says_more(self, within_s: float) -> bool:
        """Return whether there is more to receive, or will be within this time."""
        return bool(self._pending) or _ready(self._stdout, select.POLLIN, within_s)

    def _line(self, deadline: float, awaited: str, since: float) -> bytes:
        while True:
            end = self._pending.find(b"\n", self._searched)
            if end >= 0:
                line = bytes(self._pending[:end])
                del self._pending[: end + 1]
                self._searched = 0
                return line
            self._searched = len(self._pending)
            if self._searched > LONGEST_LINE:
                raise self.failure(
                    "garbage", f"wrote a line longer than {LONGEST_LINE >> 20} MiB: {_shown(self._pending[:99])}"
                )
            # A line that arrived before the deadline counts, even if it is read later.
            left = max(0.0, deadline - time.monotonic())
            if not _ready(self._stdout, select.POLLIN, left):
                raise self.failure("silent", f"did not send {awaited} within {round(deadline - since, 1):g} s")
            with contextlib.suppress(BlockingIOError):
                piece = os.read(self._stdout, _CHUNK)
                if not piece:
                    raise self._death()
                self._pending += piece

    def failure(self, kind: str, what: str) -> AdapterFailure:
        """Return the error for a broken contract. No more requests are sent."""
        self._broken = True
        why = f"{self.who} {what}{self.last_log_lines()}"
        if self._remedy is None:
            return AdapterFailure(kind, why)
        failure = AdapterFailure(kind, f"{why}; {self._remedy}")
        failure.exit_code = MachineFailure.exit_code
        return failure

    def _death(self) -> AdapterFailure:
        code = self.wait(_DEATH_SECONDS)
        if code is None:
            return self.failure("died", "closed its standard output and continued to run")
        how = process_end.ending(code, self._log_so_far(), self._oom_kills, process_end.oom_kills())
        why = "; there was no memory left" if how == "out-of-memory" else ""
        failure = self.failure("died", f"died ({_ending(code)}{why})")
        failure.ending = how
        return failure

    def ended(self, why: str) -> AdapterFailure:
        """Return the error for an adapter that announced why it ends, and wait for its end."""
        self._broken = True
        failure = AdapterFailure("died", f"{self.who} ended: {why}")
        code = self.wait(GRACE_SECONDS)
        if code is not None:
            failure.ending = process_end.ending(code, self._log_so_far(), self._oom_kills, process_end.oom_kills())
        return failure

    def died(self, within_s: float = 0.0) -> AdapterFailure | None:
        """Return the error for its end, if it has ended or ends within this time, without reading a line; else None."""
        return None if self.wait(within_s) is None else self._death()

    def close_input(self) -> None:
        """Close its standard input, which asks it to end."""
        if self._process.stdin and not self._process.stdin.closed:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to this one process."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, number)

    def wait(self, seconds: float) -> int | None:
        """Wait for its end. Return the exit code (128 + n or -n for signal n), or None if it still runs."""
        if not _ready(self._pidfd, select.POLLIN, seconds):
            return None
        # Do not reap it yet: the number of its process group must stay reserved until `close` has ended the group.
        ended = os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED | os.WNOWAIT)
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    def close(self, *, grace: float = GRACE_SECONDS) -> bool:
        """Close its input, and kill its process group after `grace` seconds.

        Returns:
            Whether it was killed.
        """
        if self._closed:
            return False
        self._closed = True
        self.close_input()
        killed = self.wait(grace) is None
        # Kill the group even if it ended by itself, because its children may still live.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._pidfd)
        self._listener.join(1)
        if self._process.stdout:
            self._process.stdout.close()
        # A process outside the group can hold the log open. Closing the log under its reader would hang.
        if self._process.stderr and not self._listener.is_alive():
            self._process.stderr.close()
        return killed

    def _keep_log(self, stream: Any) -> None:  # noqa: ANN401 - subprocess types its pipes so
        # Read in pieces of limited size: a log without line ends must not fill the memory.
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(_CHUNK):
                text = line.decode(errors="replace").strip()
                if text:
                    self._log.append(text)
                    # A trace of calls behind it would push it out of the last lines.
                    self._remedy = self._remedy or machine_limits.remedy_in(text)

    def _log_so_far(self) -> list[str]:
        # What it wrote before its end can still be in the pipe, which has no end if a child of it holds it.
        if not self._closed and self.wait(0) is not None:
            self._listener.join(_LOG_SECONDS)
        return list(self._log)

    def watch(self) -> None:
        """It is on this machine."""
        return

    def last_log_lines(self) -> str:
        """Return its last log lines as the end of a sentence, or ""."""
        lines = self._log_so_far()
        if not lines:
            return ""
        shown = " | ".join(line if len(line) <= _LINE_SHOWN else line[:_LINE_SHOWN] + "..." for line in lines)
        return f"; its log ends with: {shown}"


def _finite(text: str) -> float:
    """Read a number of JSON that a double can have.

    Raises:
        ValueError: it is too large.
    """
    number = float(text)
    return number if math.isfinite(number) else _refuse_number(text)


def _refuse_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def ownership_options() -> list[str]:
    """Return the supervisor's options that tie a process to this one: its end, and a folder for temporary files."""
    folder = scratch()
    return ["--parent", str(os.getpid()), *(["--scratch", str(folder)] if folder else [])]


def _following(processors: Sequence[int]) -> Any:  # noqa: ANN401 - what Popen takes
    libc = ctypes.CDLL(None, use_errno=True)

    def prepare() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if processors:
            os.sched_setaffinity(0, processors)

    return prepare


def _ready(descriptor: int, what: int, seconds: float) -> bool:
    """Wait until a descriptor is ready. `select` supports only the first 1,024 descriptors."""
    poll = select.poll()
    poll.register(descriptor, what)
    return bool(poll.poll(seconds * 1000))


def _ending(code: int) -> str:
    number = -code if code < 0 else code - 128
    if code < 0 or 128 < code < 128 + signal.NSIG:
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(number).name}"
    return f"exit code {code}"


def _shown(line: bytes | bytearray) -> str:
    text = bytes(line[:80]).decode(errors="replace")
    return repr(text) + (" ..." if len(line) > 80 else "")
