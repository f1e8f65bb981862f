"""An adapter as a process: started, spoken to line by line, ended with everything it started."""

import collections
import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from callbench.adapter.contract import LONGEST_LINE
from callbench.model import process_end
from callbench.model.errors import AdapterFailure
from callbench.model.installation import HOME_VARIABLE, engine_remedy, home, keeper, scratch

GRACE_SECONDS = 5.0
_LAST_LINES = 5
_LINE_SHOWN = 160
_CHUNK = 1 << 16
_PR_SET_PDEATHSIG = 1


class AdapterProcess:
    """A running adapter. Close it: nothing of it is then left.

    Attributes:
        who: how sentences name it, for instance `native, the server`.
    """

    def __init__(  # noqa: PLR0913 - where and how
        self,
        who: str,
        program: Sequence[str],
        folder: Path,
        processors: Sequence[int],
        *,
        entered: Sequence[str] = (),
        kept: bool = True,
    ) -> None:
        """Starts `program` in `folder` on `processors` (empty: any).

        Args:
            who: how sentences name it.
            program: argv.
            folder: where it is started.
            processors: those it may use.
            entered: the keeper's options that start it on a host of the network lab.
            kept: behind the keeper where there is one; not so what sees to its own end.

        Raises:
            AdapterFailure: it cannot be started.
        """
        self.who = who
        self._oom_kills = process_end.oom_kills()
        keeping = keeper() if kept else None
        if entered and keeping is None:
            raise AdapterFailure(
                "unsupported", f"{who} cannot be started on another host without the keeper: {engine_remedy()}"
            )
        argv = list(program)
        if keeping is not None:
            pinned = ["--cpus", ",".join(map(str, processors))] if processors else []
            argv = [str(keeping), *pinned, *entered, *belonging(), "--", *argv]
        try:
            self._process = subprocess.Popen(
                argv,
                cwd=folder,
                env={**os.environ, HOME_VARIABLE: str(home())},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                # Without the keeper, all there is to end the adapter with the core; it makes two system calls only.
                preexec_fn=None if keeping else _following(processors),  # noqa: PLW1509
            )
        except (OSError, subprocess.SubprocessError) as failure:
            why = failure.strerror if isinstance(failure, OSError) else str(failure)
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
        # Its own thread: a server logs while only the client is being listened to, and must not block on a full pipe.
        self._listener = threading.Thread(target=self._keep_log, args=(self._process.stderr,), daemon=True)
        self._listener.start()
        self._pidfd = os.pidfd_open(self._process.pid)
        self._broken = self._closed = False

    @property
    def pid(self) -> int:
        """Of the keeper where there is one, else of the adapter."""
        return self._process.pid

    @property
    def broken(self) -> bool:
        """Whether it died or left the contract: nothing more can be asked of it."""
        return self._broken

    @property
    def closed(self) -> bool:
        """Whether `close` has ended it."""
        return self._closed

    def send(self, message: Mapping[str, Any], seconds: float) -> None:
        """Writes one line, within `seconds`.

        Raises:
            AdapterFailure: `died`, or `silent` where it does not read.
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

    def receive(self, deadline: float, awaited: str, since: float | None = None) -> dict[str, Any]:
        """Reads one line as a JSON object, until `deadline` on the monotonic clock.

        Args:
            deadline: in seconds.
            awaited: what it should say, for the sentence where it does not.
            since: from when on it was awaited, on the same clock; None: from now on.

        Raises:
            AdapterFailure: `died`, `silent`, or `garbage` where the line is no JSON object.
        """
        line = self._line(deadline, awaited, time.monotonic() if since is None else since)
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise self.failure(
                "garbage", f"wrote {_shown(line)} to its standard output, which is no line of the contract"
            )
        return message

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
            # What it has said in time counts also where nobody listened before the deadline.
            left = max(0.0, deadline - time.monotonic())
            if not _ready(self._stdout, select.POLLIN, left):
                raise self.failure("silent", f"did not say {awaited} within {round(deadline - since, 1):g} s")
            with contextlib.suppress(BlockingIOError):
                piece = os.read(self._stdout, _CHUNK)
                if not piece:
                    raise self._death()
                self._pending += piece

    def failure(self, kind: str, what: str) -> AdapterFailure:
        """What to raise where it left the contract: nothing more is asked of it."""
        self._broken = True
        return AdapterFailure(kind, f"{self.who} {what}{self.last_words()}")

    def _death(self) -> AdapterFailure:
        code = self.wait(GRACE_SECONDS)
        if code is None:
            return self.failure("died", "closed its standard output and went on running")
        self._listener.join(1)
        how = process_end.ending(code, list(self._log), self._oom_kills, process_end.oom_kills())
        why = "; there was no memory left" if how == "out-of-memory" else ""
        failure = self.failure("died", f"died ({_ending(code)}{why})")
        failure.ending = how
        return failure

    def ended(self, why: str) -> AdapterFailure:
        """What to raise where it said why it ends, which is all that is told: it does so now."""
        self._broken = True
        failure = AdapterFailure("died", f"{self.who} ended: {why}")
        code = self.wait(GRACE_SECONDS)
        if code is not None:
            failure.ending = process_end.ending(code, list(self._log), self._oom_kills, process_end.oom_kills())
        return failure

    def died(self, within_s: float = 0.0) -> AdapterFailure | None:
        """How it ended, if it has or does so in time: what `receive` would raise, without waiting for a line of it."""
        return None if self.wait(within_s) is None else self._death()

    def close_input(self) -> None:
        """Ends its standard input, which means stop."""
        if self._process.stdin and not self._process.stdin.closed:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def signal(self, number: signal.Signals) -> None:
        """Sends it a signal, as a person would: to the one process."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, number)

    def wait(self, seconds: float) -> int | None:
        """Waits for its end. Returns its exit code (128 + n or -n for signal n), or None where it still runs."""
        if not _ready(self._pidfd, select.POLLIN, seconds):
            return None
        # Not reaped yet: until `close` has ended its process group, the group's number must stay taken.
        ended = os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED | os.WNOWAIT)
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    def close(self, *, grace: float = GRACE_SECONDS) -> bool:
        """Ends it: its input ends, and after `grace` seconds it is killed, with its process group.

        Returns:
            Whether it had to be killed.
        """
        if self._closed:
            return False
        self._closed = True
        self.close_input()
        killed = self.wait(grace) is None
        # Also where it ended by itself: what it started may live on in its process group.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._pidfd)
        self._listener.join(1)
        if self._process.stdout:
            self._process.stdout.close()
        # Something that has left the process group can hold the log open; closing it under its reader would hang.
        if self._process.stderr and not self._listener.is_alive():
            self._process.stderr.close()
        return killed

    def _keep_log(self, stream: Any) -> None:  # noqa: ANN401 - subprocess types its pipes so
        # Read in pieces of bounded size: a log without line ends must not fill the memory.
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(_CHUNK):
                text = line.decode(errors="replace").strip()
                if text:
                    self._log.append(text)

    def last_words(self) -> str:
        """The end of a sentence: what it logged last, if anything."""
        if not self._log:
            return ""
        shown = " | ".join(line if len(line) <= _LINE_SHOWN else line[:_LINE_SHOWN] + "..." for line in list(self._log))
        return f"; its log ends with: {shown}"


def belonging() -> list[str]:
    """The keeper's options that tie what it keeps to this process: its end, and a place for temporary files."""
    place = scratch()
    return ["--parent", str(os.getpid()), *(["--scratch", str(place)] if place else [])]


def _following(processors: Sequence[int]) -> Any:  # noqa: ANN401 - what Popen takes
    libc = ctypes.CDLL(None, use_errno=True)

    def prepare() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if processors:
            os.sched_setaffinity(0, processors)

    return prepare


def _ready(descriptor: int, what: int, seconds: float) -> bool:
    """Wait until a descriptor of any number is ready; not `select`, which knows the first 1,024 alone."""
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
