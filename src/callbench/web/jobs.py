"""The commands that were started from the page: each a process of its own, which goes on when the page ends."""

import contextlib
import datetime as dt
import json
import os
import shlex
import signal
import stat
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from callbench.model import machine_limits
from callbench.model.errors import BadInput, NotNow, NotThere
from callbench.model.secrets import SECRETS
from callbench.store import turn
from callbench.store.head import as_file
from callbench.store.record_writer import put
from callbench.store.shelf import Shelf
from callbench.web.forms import SERVE
from callbench.web.program import argv, environment, in_turn

_FOLDER = ".started"
# Those that go on with what was stopped: `--resume`.
_RESUMED = frozenset({"run", "capacity", "soak", "overload", "torture"})
_MASK = "***"
# So many commands of the past are listed.
MOST_KEPT = 200


@dataclass(frozen=True)
class Job:
    """A command that was started.

    Attributes:
        name: of the record that it makes.
        words: the command line after `callbench`; secrets of it are masked.
        log: the file of what it prints.
        pid: its process.
        born: when that process began, in seconds since 1970.
        back: the address of what it was started for; "" if it was started for itself.
    """

    name: str
    words: Sequence[str]
    log: Path
    pid: int
    born: float
    back: str = ""

    @property
    def shell(self) -> str:
        """The command as it is typed."""
        return shlex.join(["callbench", *self.words])

    @property
    def serves(self) -> bool:
        """Whether it serves stacks until it is stopped."""
        return self.words[0] == SERVE

    @property
    def resumable(self) -> bool:
        """Whether it can go on when it was stopped or cut off."""
        return self.words[0] in _RESUMED

    @property
    def status(self) -> Path:
        """The file in which one that serves says what."""
        return self.log.with_suffix(".status")

    @property
    def orders(self) -> Path:
        """The named pipe that is the standard input of one that serves."""
        return self.log.with_suffix(".orders")

    @property
    def running(self) -> bool:
        """Whether its process is alive. Another one may have its number by now."""
        try:
            process = psutil.Process(self.pid)
            return process.create_time() == self.born and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    @property
    def waiting(self) -> bool:
        """Whether it waits until no other command measures: its process is not the command yet."""
        with contextlib.suppress(psutil.Error):
            return self.running and turn.__name__ in psutil.Process(self.pid).cmdline()
        return False


class Jobs:
    """What was started in a folder of records. Its file and its log stay there, for the next page."""

    def __init__(self, shelf: Shelf) -> None:
        """Start commands whose records lie in a folder."""
        self._shelf = shelf
        self._children: list[subprocess.Popen[bytes]] = []
        self._one = threading.Lock()

    @property
    def folder(self) -> Path:
        """Where the records lie."""
        return self._shelf.folder

    @property
    def _folder(self) -> Path:
        return self.folder / _FOLDER

    def start(self, words: Sequence[str], *, records: bool = True, back: str = "") -> Job:
        """Start a command. Return it.

        Args:
            words: of its command line, behind `callbench`.
            records: whether it leaves a record.
            back: the address that leads back from it.

        Raises:
            MachineFailure, OSError: it cannot be started, or its files cannot be written.
        """
        with self._one:
            name = self._shelf.free_name(f"{words[0]}-{dt.datetime.now(dt.UTC):%Y%m%d-%H%M%S}")
            while not self._claimed(name):
                name = f"{name}-again"
            self._forget_old()
            if words[0] == SERVE:
                more = [f"--status={self._folder / f'{name}.status'}"]
            else:
                more = [f"--out={self._shelf.folder / name}"] if records else []
            return self._start(name, [*words, *more], back)

    def resume(self, name: str) -> Job:
        """Go on with what was stopped or cut off.

        Raises:
            BadInput: it runs, cannot go on, or needs secrets that are not kept.
            MachineFailure: it cannot be started.
        """
        with self._one:
            job = self.job(name)
            if job.running:
                raise NotNow(f"{name} is running: stop it first")
            if not job.resumable:
                raise BadInput(f"a {job.words[0]} does not go on: start it anew")
            if any(_MASK in word for word in job.words):
                out = self._shelf.folder / name
                raise BadInput(
                    f"the secrets of {name} are not kept: give them in a terminal, with --resume --out={out}"
                )
            # The commit stands in the record.
            kept = [word for word in job.words if word != "--resume" and not word.startswith("--commit=")]
            return self._start(name, [*kept, "--resume"])

    def stop(self, name: str) -> None:
        """Ask a command to end as Ctrl-C does: what it has so far is kept.

        Raises:
            BadInput: there is no such command.
        """
        job = self.job(name)
        if job.running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(job.pid, signal.SIGINT)

    def tell(self, name: str, line: str) -> None:
        """Give a line to the standard input of a command that serves.

        Raises:
            BadInput: there is no such command, it has ended, or it serves nothing.
            MachineFailure: it does not read.
        """
        job = self.job(name)
        if not (job.serves and job.running):
            raise NotNow(f"{name} serves nothing{'' if job.running else ' any more'}")
        try:
            descriptor = os.open(job.orders, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
            with contextlib.closing(os.fdopen(descriptor, "wb", buffering=0)) as orders:
                if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                    raise BadInput(f"{job.orders} is no pipe: stop {name}, and start it anew")
                orders.write(f"{line}\n".encode())
        except OSError as failure:
            raise machine_limits.written(f"{name} cannot be told anything", failure) from failure

    def job(self, name: str) -> Job:
        """Return a command that was started.

        Raises:
            BadInput: there is none of this name.
        """
        self._reap()
        file = self._folder / f"{name}.json"
        if name.startswith(".") or "/" in name or "\0" in name or file.is_symlink() or not file.is_file():
            raise NotThere(f"nothing named {name!r} was started from the page in {self._shelf.folder}")
        try:
            kept = json.loads(file.read_bytes())
            words, back = list(map(str, kept["words"])), str(kept.get("back", ""))
            return Job(name, words, file.with_suffix(".log"), kept["pid"], kept["born"], back)
        except (OSError, ValueError, KeyError, TypeError) as failure:
            raise BadInput(f"{file} is damaged: remove it") from failure

    def jobs(self) -> list[Job]:
        """Return what was started, newest first."""
        found = []
        for file in self._files():
            with contextlib.suppress(BadInput):
                found.append(self.job(file.stem))
        return found

    def _claimed(self, name: str) -> bool:
        """Make the log of a command, if nothing has its name yet: another page may start one in the same second."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            (self._folder / f"{name}.log").touch(0o600, exist_ok=False)
        except FileExistsError:
            return False
        return True

    def _start(self, name: str, words: Sequence[str], back: str = "") -> Job:
        log = self._folder / f"{name}.log"
        shown = SECRETS.masked(list(words))
        try:
            with contextlib.ExitStack() as opened:
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
                said = _opened(opened, log, flags)
                serves = words[0] == SERVE
                child = subprocess.Popen(
                    # What serves measures nothing, and others measure it.
                    argv(words) if serves else in_turn(shlex.join(["callbench", *shown]), words),
                    env=environment(),
                    stdin=_pipe(opened, log.with_suffix(".orders")) if serves else subprocess.DEVNULL,
                    stdout=said,
                    stderr=said,
                    start_new_session=True,
                )
            self._children.append(child)
            job = Job(name, shown, log, child.pid, psutil.Process(child.pid).create_time(), back)
            try:
                kept = {"words": shown, "pid": job.pid, "born": job.born, "back": back}
                put(self._folder / f"{name}.json", as_file(kept))
            except OSError:
                child.kill()  # nobody could find it any more
                raise
        except OSError as failure:
            raise machine_limits.written(f"cannot start a command in {self._folder}", failure) from failure
        return job

    def _forget_old(self) -> None:
        """Remove the files of commands that have ended, but for the newest. Their records stay."""
        for file in self._files()[MOST_KEPT:]:
            with contextlib.suppress(BadInput):
                if self.job(file.stem).running:
                    continue
            for each in (file, *(file.with_suffix(ending) for ending in (".log", ".status", ".orders"))):
                with contextlib.suppress(OSError):
                    each.unlink()

    def _files(self) -> list[Path]:
        """The files of commands, newest first."""
        found = []
        for file in self._folder.glob("*.json"):
            with contextlib.suppress(OSError):
                found.append((file.lstat().st_mtime_ns, file))
        return [file for _, file in sorted(found, reverse=True)]

    def _reap(self) -> None:
        self._children = [child for child in self._children if child.poll() is None]


def _opened(opened: contextlib.ExitStack, path: Path, flags: int) -> int:
    descriptor = os.open(path, flags, 0o600)
    opened.callback(os.close, descriptor)
    return descriptor


def _pipe(opened: contextlib.ExitStack, path: Path) -> int:
    """Return a new named pipe, open for reading and writing: so its reader sees no end of it when a page ends."""
    path.unlink(missing_ok=True)
    os.mkfifo(path, 0o600)
    return _opened(opened, path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
