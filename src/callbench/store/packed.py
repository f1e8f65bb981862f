"""A record as one file, a ZIP archive, and back. What can be made anew from its journal is left out."""

import io
import lzma
import os
import re
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from callbench.model import machine_limits
from callbench.model.errors import BadInput
from callbench.store import numbers_apart
from callbench.store.record import Record
from callbench.store.shelf import Shelf

MOST_BYTES = 4 << 30
MOST_FILES = 10_000
_COPY_BYTES = 1 << 20
# The numbers of a smaller journal stay where they are: their parts would save less than is beside them.
APART_BYTES = 1 << 20
# So much of a journal is taken apart at a time.
_BLOCK_BYTES = 1 << 24
# Made anew from the journal, or of no use elsewhere.
_LEFT_OUT = re.compile(r"lock|progress\.json|parquet(/.*)?|report\.\w+|(.*/)?\..*")
_METHODS = {False: zipfile.ZIP_DEFLATED, True: zipfile.ZIP_LZMA}
# What comes of an archive that is damaged, or that asks for more memory than there is.
_DAMAGED = (
    zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, MemoryError, zlib.error, lzma.LZMAError,
)  # fmt: skip


def pack(record: Path, to: Path, *, small: bool = False) -> None:
    """Write a record to a file.

    Args:
        record: its folder.
        to: the file.
        small: whether it takes some times as long and has about a third of the bytes: LZMA in place of Deflate, and the
            numbers of a large journal apart.

    Raises:
        MachineFailure: the file cannot be written.
    """
    try:
        with zipfile.ZipFile(to, "w", _METHODS[small]) as archive:
            for name, file, part in _contents(record, small=small):
                if part is None:
                    archive.write(file, name)
                else:
                    archive.writestr(zipfile.ZipInfo.from_file(file, name), part, _METHODS[small])
    except OSError as failure:
        raise machine_limits.written(f"cannot write {to}", failure) from failure


def is_packed(record: Path, file: Path, *, small: bool = False) -> bool:
    """Return whether a file already has what `pack` would write of a record, by each of its bytes.

    Args:
        record: its folder.
        file: the file, which may be missing or something else.
        small: as `pack` has it.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            infos = iter(archive.infolist())
            for name, source, part in _contents(record, small=small):
                info = next(infos, None)
                if info is None or (info.filename, info.compress_type) != (name, _METHODS[small]):
                    return False
                if not _is_same(archive, info, source.open("rb") if part is None else io.BytesIO(part)):
                    return False
            return next(infos, None) is None
    except (OSError, *_DAMAGED):
        return False


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
            _write_journal(made)
            Record(made).require_sealed()
            made.rename(shelf.folder / name)
    except (*_DAMAGED, OSError) as failure:
        # BZIP2's data are damaged by an error of the system that has no number.
        if not isinstance(failure, OSError) or failure.errno is None:
            sentence = f"the file is no packed record, or is damaged: {failure}; export the record again"
            raise BadInput(sentence) from failure
        raise machine_limits.written(f"cannot write into {shelf.folder}", failure) from failure
    return name


def _files(record: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(record):
        for name in names:
            file = Path(folder) / name
            inside = file.relative_to(record).as_posix()
            if not _LEFT_OUT.fullmatch(inside) and stat.S_ISREG(file.lstat().st_mode):
                yield file


def _contents(record: Path, *, small: bool) -> Iterator[tuple[str, Path, bytes | None]]:
    """Yield what an archive of a record has: its name there, its file, and if it is a part of that, the part."""
    for file in sorted(_files(record)):
        name = f"{record.name}/{file.relative_to(record).as_posix()}"
        if not small or file != record / "journal.jsonl" or file.stat().st_size < APART_BYTES:
            yield name, file, None
            continue
        parts = name.removesuffix(".jsonl")
        with file.open("rb") as journal:
            for number, block in enumerate(iter(lambda: journal.read(_BLOCK_BYTES), b"")):
                text, numbers = numbers_apart.apart(block)
                yield f"{parts}/{number:04}.text", file, text
                yield f"{parts}/{number:04}.numbers", file, numbers
        yield f"{parts}/whole.py", Path(numbers_apart.__file__), None


def _is_same(archive: zipfile.ZipFile, info: zipfile.ZipInfo, plain: IO[bytes]) -> bool:
    """Return whether a file of an archive has the same bytes as another, which is closed."""
    with plain, archive.open(info) as packed:
        while part := plain.read(_COPY_BYTES):
            if packed.read(len(part)) != part:
                return False
        return not packed.read(1)


def _write_journal(record: Path) -> None:
    """Write a journal that came in parts."""
    parts = record / "journal"
    if not parts.is_dir():
        return
    if any(part.stat().st_size > 2 * _BLOCK_BYTES for part in parts.iterdir()):
        raise BadInput("the file is no packed record: a part of its journal is larger than one can be")
    try:
        numbers_apart.write_whole(parts, record / "journal.jsonl")
    except (ValueError, FileNotFoundError, FileExistsError) as failure:
        raise BadInput(f"the file is no packed record, or is damaged: {failure}; export the record again") from failure
    (record / "journal.jsonl").chmod(0o600)
    shutil.rmtree(parts)


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
