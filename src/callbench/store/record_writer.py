"""A record on disk, for the one program that writes it."""

import fcntl
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from callbench.model import machine_limits
from callbench.model.errors import BadInput
from callbench.model.secrets import SECRETS
from callbench.store.head import FILE, SEAL, MeasuredCommit, as_file, now, with_commit
from callbench.store.journal import Journal, seal_of
from callbench.store.lines.notes import NoteLine
from callbench.store.record import Record

_TRIES, _BETWEEN_TRIES_S = 5, 0.02


def check_free(path: Path) -> None:
    """Check that a folder can become a record: nothing is there, or an empty folder.

    Raises:
        BadInput: there is something already, or a file where a folder has to be.
        MachineFailure: it cannot be looked at.
    """
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            hint = (
                "give --resume to go on with it, or another --out" if (path / FILE).exists() else "give another --out"
            )
            raise BadInput(f"{path} is there already: {hint}")
        above = next((parent for parent in path.absolute().parents if parent.exists()), None)
    except OSError as failure:
        raise machine_limits.written(f"cannot make the folder {path}", failure) from failure
    if above is not None and not above.is_dir():
        raise BadInput(f"cannot make the folder {path}: {above} is no folder; give another --out")


class RecordWriter(Record):
    """A run in progress. It holds the folder's lock and its journal until it is closed."""

    def __init__(self, path: Path) -> None:
        """Takes over a run folder that is there: its state becomes `running`.

        Raises:
            BadInput: it is not a record, or another program writes it.
            MachineFailure: it cannot be written.
        """
        super().__init__(path)
        self.require_sealed()
        self._lock = locked(path)
        try:
            # It grows from now on.
            self.info.pop(SEAL, None)
            self._journal = Journal(self.journal_file)
            self._change(state="running", finished=None)
        except BaseException:
            os.close(self._lock)
            raise

    @classmethod
    def create(cls, path: Path, info: Mapping[str, object], files: Mapping[str, bytes]) -> Self:
        """Make the folder of a record.

        Args:
            path: the folder.
            info: record.json, from `callbench.store.head.head`.
            files: the other files, by name.

        Raises:
            BadInput: there is something at `path` already.
            MachineFailure: it cannot be written.
        """
        check_free(path)
        kept = {**info, "secrets": "kept" if SECRETS.keep else "masked"}
        SECRETS.learn(info)
        try:
            path.mkdir(parents=True, exist_ok=True)
            # What was sent and answered is nobody else's.
            path.chmod(0o700)
            for name, content in files.items():
                put(path / name, _without_secrets(name, content))
            put(path / "journal.jsonl", b"")
            put(path / FILE, as_file(SECRETS.masked(kept)))
        except OSError as failure:
            raise machine_limits.written(f"cannot make the folder {path}", failure) from failure
        return cls(path)

    def append(self, line: Mapping[str, object]) -> None:
        """Writes one journal line; it is on disk when this returns.

        Raises:
            MachineFailure: the disk is full or fails.
        """
        if SEAL in self.info:
            del self.info[SEAL]
            self._change()
        self._journal.append(SECRETS.masked(line))

    def note(self, text: str) -> None:
        """Writes what a reader should know.

        Raises:
            MachineFailure: the disk is full or fails.
        """
        self.append(NoteLine(kind="note", at=now(), text=text))

    def count_loss(self, host: str) -> None:
        """Counts that a host was lost. It is on disk when the end is marked."""
        losses = self.info.setdefault("lost_hosts", {})
        losses[host] = losses.get(host, 0) + 1

    def name_commit(self, commit: MeasuredCommit) -> None:
        """Says which commit is measured.

        Raises:
            MachineFailure: the disk is full or fails.
        """
        self.info = with_commit(self.info, commit)
        self._change()

    def name_command(self, command: str) -> None:
        """Says by which command it is measured, and measured again. One with a secret is not kept, not even masked.

        Raises:
            MachineFailure: the disk is full or fails.
        """
        if not SECRETS.met:
            self.info["command"] = command
            self._change()

    def change_request(self, request: Mapping[str, object]) -> None:
        """Replaces what was asked for, where more is asked of the same record.

        Raises:
            MachineFailure: the disk is full or fails.
        """
        self.request = self.info["request"] = dict(request)
        self._change()

    def end(self, state: str) -> None:
        """Marks the run `finished` or `stopped`, and notes what its journal is then.

        Raises:
            MachineFailure: the disk is full or fails.
        """
        self.info[SEAL] = seal_of(self.journal_file)
        self._change(state=state, finished=now())

    def close(self) -> None:
        """Lets go of the journal and the lock."""
        self._journal.close()
        os.close(self._lock)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes it."""
        self.close()

    def _change(self, **members: str | None) -> None:
        self.info.update(members)
        try:
            put(self.path / FILE, as_file(SECRETS.masked(self.info)))
        except OSError as failure:
            raise machine_limits.written(f"cannot write {self.path / FILE}", failure) from failure


def locked(path: Path) -> int:
    """Lock the folder of a record for the one program that writes it. Return what is to be closed at the end.

    Raises:
        BadInput: another program writes it.
        MachineFailure: the lock cannot be opened.
    """
    try:
        fd = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as failure:
        raise machine_limits.written(f"cannot open {path / 'lock'}", failure) from failure
    for left in reversed(range(_TRIES)):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as failure:
            if left:
                # One who only looks whether it is written has it for a moment.
                time.sleep(_BETWEEN_TRIES_S)
                continue
            os.close(fd)
            raise BadInput(f"another callbench is writing {path}: wait for it, or give another --out") from failure
        break
    return fd


def _without_secrets(name: str, content: bytes) -> bytes:
    """Return the content of a file with masks for its secrets."""
    if name.endswith(".json"):
        return as_file(SECRETS.masked(json.loads(content)))
    if name.endswith(".toml"):
        SECRETS.learn_study(content)
    return SECRETS.masked_text(content.decode()).encode()


def _private(path: str, flags: int) -> int:
    """Open a file that only its owner reads, whatever the umask is."""
    descriptor = os.open(path, flags, 0o600)
    os.fchmod(descriptor, 0o600)
    return descriptor


def put(file: Path, content: bytes) -> None:
    """Writes a file whole or not at all, and waits for the disk.

    Raises:
        OSError: it cannot be written.
    """
    part = file.with_name(f".{file.name}.part")
    try:
        with open(part, "wb", opener=_private) as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        part.replace(file)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
