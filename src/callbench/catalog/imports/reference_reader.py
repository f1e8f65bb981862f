"""What a document refers to: other files of its folder, and nothing else unless the user allows it."""

import os
import urllib.parse
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from callbench.catalog.imports.source import LARGEST_DOCUMENT, Options, Source
from callbench.model.errors import BadInput

MOST = 10_000
"""Other documents that one may refer to, directly and through others."""


class ReferenceReader:
    """Reads what a document refers to."""

    def __init__(self, source: Source, options: Options) -> None:
        """The folder of `source` is the one whose files may be read."""
        self._root = source.path.resolve().parent if source.path is not None else None
        self._folder = Path(source.name).parent
        self._options = options
        self._read = 0
        self.base = source.path.resolve().as_uri() if source.path is not None else source.name

    def content(self, address: str, place: str) -> bytes:
        """The bytes of an address: `file:///...`, `https://...`.

        Args:
            address: absolute.
            place: where the reference stands, for errors.

        Raises:
            BadInput: it may not be followed, or cannot be read.
        """
        self._read += 1
        if self._read > MOST:
            raise BadInput(f"{place}: the document refers to more than {MOST:,} others; put them into one")
        parts = urllib.parse.urlsplit(address)
        if parts.scheme in {"http", "https"}:
            if not self._options.network:
                raise BadInput(f"{place} refers to {address}; save it to the folder, or use --allow-network")
            return self._options.fetch(address, "it")
        if parts.scheme != "file":
            raise BadInput(f"{place} refers to {address!r}, which is neither a file nor a web address; mend it")
        return self.file(Path(urllib.request.url2pathname(parts.path)), place).read_bytes()

    def name(self, address: str) -> str:
        """An address as a person reads it: a file as it stands to the document that was named, all else as it is."""
        parts = urllib.parse.urlsplit(address)
        if parts.scheme != "file":
            return address
        path = Path(urllib.request.url2pathname(parts.path))
        if self._root is None or not path.is_relative_to(self._root):
            return str(path)
        return str(self._folder / path.relative_to(self._root))

    def file(self, path: Path, place: str) -> Path:
        """The file, without symbolic links.

        Raises:
            BadInput: it may not be read, does not exist, or is too large.
        """
        try:
            true = Path(os.path.realpath(path))
            known = true.is_file()
        except (OSError, ValueError):
            raise BadInput(f"{place} refers to {str(path)!r:.200}, which is no name of a file; mend it") from None
        allowed = [
            *([self._root] if self._root else []),
            *(Path(os.path.realpath(path)) for path in self._options.files),
        ]
        if not any(true == folder or true.is_relative_to(folder) for folder in allowed):
            outside = "outside its folder" if self._root else "on this machine"
            raise BadInput(f"{place} refers to {path}, {outside}; copy it, or use --allow-files {true.parent}")
        if not known:
            raise BadInput(f"{place} refers to {path}, which does not exist; add the file or mend the reference")
        if true.stat().st_size > LARGEST_DOCUMENT:
            raise BadInput(f"{path} is larger than {LARGEST_DOCUMENT >> 20} MiB; take out what is not needed")
        return true


def beside(folders: Sequence[Path], name: str) -> Path:
    """Where a name is, in the first folder that has it; in the first of all if none has."""
    for folder in folders:
        try:
            if (folder / name).exists():
                return folder / name
        except (OSError, ValueError):
            continue
    return (folders[0] if folders else Path()) / name
