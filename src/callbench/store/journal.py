"""The journal of a run: JSON lines, each on disk before the next thing happens."""

import hashlib
import json
import os
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypedDict

from callbench.model import machine_limits
from callbench.model.errors import BadInput, MachineFailure

_COPY_BYTES = 1 << 20


def complete_bytes(path: Path) -> int:
    """How much of the file is whole lines: a last line without its LF was being written when the machine went."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - _COPY_BYTES)
            file.seek(start)
            line_end = file.read(end - start).rfind(b"\n")
            if line_end >= 0:
                return start + line_end + 1
            end = start
    return 0


def read(path: Path) -> Iterator[dict[str, object]]:
    """Return the whole lines, one after the other.

    Raises:
        BadInput: a line is not a JSON object with a `kind`; the sentence names its number.
    """
    left = complete_bytes(path)
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            left -= len(raw)
            if left < 0:
                return
            yield _parsed(raw, number, path)


def _parsed(raw: bytes, number: int, path: Path) -> dict[str, object]:
    try:
        line = json.loads(raw)
    except ValueError:
        line = None
    if not isinstance(line, dict) or not isinstance(line.get("kind"), str):
        raise BadInput(f"{path} is damaged: line {number} is not a journal line (delete that line to keep the others)")
    return line


class Seal(TypedDict):
    """What tells a journal from one that was cut or altered: its length and its digest."""

    bytes: int
    sha256: str


def seal_of(path: Path) -> Seal:
    """Return what tells a journal from one that was cut or altered: its length and its digest.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {"bytes": file.seek(0, os.SEEK_END), "sha256": digest}


def require_sealed(path: Path, seal: Seal, *, whole: bool = True) -> None:
    """Check that a journal is as it was when its work ended.

    Args:
        path: of the journal.
        seal: what it was then.
        whole: whether its bytes are compared too, and not its length alone.

    Raises:
        BadInput: it was cut or altered.
    """
    length = path.stat().st_size
    remedy = "take it from another copy of the folder, or measure again"
    if length < seal["bytes"]:
        raise BadInput(f"{path} was cut: it has {length:,} of {seal['bytes']:,} bytes; {remedy}")
    if length > seal["bytes"] or (whole and seal_of(path) != seal):
        raise BadInput(f"{path} was altered since its work ended; {remedy}")


class Journal:
    """A journal open for writing. It owns a file descriptor: close it."""

    def __init__(self, path: Path) -> None:
        """Opens or makes the file, and cuts off a half line.

        Raises:
            MachineFailure: it cannot be opened.
        """
        self._path = path
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            self._length = complete_bytes(path)
            os.ftruncate(self._fd, self._length)
        except OSError as failure:
            raise machine_limits.written(f"cannot open {path}", failure) from failure

    def append(self, line: Mapping[str, object]) -> None:
        """Writes one line and waits until the disk has it; a line that does not fit leaves nothing behind.

        Raises:
            MachineFailure: the disk is full or fails.
        """
        raw = json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        # A Ctrl-C between two writes would leave half a line; it is taken after the line instead.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            self._write(raw)
            self._length += len(raw)
        except OSError as failure:
            os.ftruncate(self._fd, self._length)
            kept = "what was measured before is kept"
            raise MachineFailure(
                f"{machine_limits.written(f'cannot write {self._path}', failure)}; {kept}"
            ) from failure
        except BaseException:
            # Of a signal that another thread took. A line that is whole stays: what was measured is finished.
            if os.fstat(self._fd).st_size >= self._length + len(raw):
                self._length += len(raw)
            os.ftruncate(self._fd, self._length)
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _write(self, raw: bytes) -> None:
        view = memoryview(raw)
        while view:
            view = view[os.write(self._fd, view) :]
        os.fsync(self._fd)

    def close(self) -> None:
        """Return the descriptor back."""
        os.close(self._fd)
