"""A record as one file, a ZIP archive, and back. What can be made anew from its journal is left out."""

import os
import re
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from callbench.model import machine_limits
from callbench.model.errors import BadInput
from callbench.store.record import Record
from callbench.store.shelf import Shelf

MOST_BYTES = 4 << 30
MOST_FILES = 10_000
_COPY_BYTES = 1 << 20
# Made anew from the journal, or of no use elsewhere.
_LEFT_OUT = re.compile(r"lock|progress\.json|parquet(/.*)?|report\.\w+|(.*/)?\..*")


def pack(record: Path, to: Path) -> None:
    """Write a record to a file.

    Raises:
        MachineFailure: the file cannot be written.
    """
    try:
        with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(_files(record)):
                archive.write(file, f"{record.name}/{file.relative_to(record).as_posix()}")
    except OSError as failure:
        raise machine_limits.written(f"cannot write {to}", failure) from failure


def unpack(file: IO[bytes], shelf: Shelf) -> str:
    """Bring a packed record into a folder of records. Return the name that it has there.

    Raises:
        BadInput: the file is no packed record, or is damaged.
        MachineFailure: it cannot be written.
    """
    try:
        shelf.folder.mkdir(parents=True, exist_ok=True)
        with (
            tempfile.TemporaryDirectory(dir=shelf.folder, prefix=".importing-") as making,
            zipfile.ZipFile(file) as zipped,
        ):
            members = _members(zipped)
            name = shelf.free_name(next(iter(members)).parts[0])
            made = Path(making) / name
            _extract(zipped, members, made)
            Record(made).require_sealed()
            made.rename(shelf.folder / name)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error) as failure:
        raise BadInput(f"the file is no packed record, or is damaged: {failure}; export the record again") from failure
    except OSError as failure:
        raise machine_limits.written(f"cannot write into {shelf.folder}", failure) from failure
    return name


def _files(record: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(record):
        for name in names:
            file = Path(folder) / name
            inside = file.relative_to(record).as_posix()
            if not _LEFT_OUT.fullmatch(inside) and stat.S_ISREG(file.lstat().st_mode):
                yield file


def _members(zipped: zipfile.ZipFile) -> dict[PurePosixPath, zipfile.ZipInfo]:
    """Return the files of an archive by their paths, which are all below one folder and lead nowhere else."""
    members: dict[PurePosixPath, zipfile.ZipInfo] = {}
    for info in zipped.infolist():
        path = PurePosixPath(info.filename)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if info.is_dir():
            continue
        if path.is_absolute() or ".." in path.parts or len(path.parts) < 2 or "\\" in info.filename:
            raise BadInput(f"the file is no packed record: {info.filename!r} lies in no folder of its own")
        if kind not in {0, stat.S_IFREG}:
            raise BadInput(f"the file is no packed record: {info.filename!r} is no ordinary file")
        members[path] = info
    if len({path.parts[0] for path in members}) != 1:
        raise BadInput("the file is no packed record: it needs one folder with a record.json in it")
    if len(members) > MOST_FILES:
        raise BadInput(f"the file is no packed record: it has more than {MOST_FILES:,} files")
    return members


def _extract(zipped: zipfile.ZipFile, members: dict[PurePosixPath, zipfile.ZipInfo], to: Path) -> None:
    left = MOST_BYTES
    to.mkdir(mode=0o700)
    for path, info in members.items():
        inside = PurePosixPath(*path.parts[1:])
        if _LEFT_OUT.fullmatch(inside.as_posix()):
            continue
        file = to / inside
        file.parent.mkdir(parents=True, exist_ok=True)
        with zipped.open(info) as source, file.open("xb") as out:
            # What an archive says of a file's length need not be true.
            while part := source.read(_COPY_BYTES):
                left -= len(part)
                if left < 0:
                    raise BadInput(f"the file is no packed record: it has more than {MOST_BYTES >> 30} GiB")
                out.write(part)
        file.chmod(0o600)
