"""The bodies that a command line or a file of requests names: texts, files, folders, and lines of a file."""

import re
from collections.abc import Sequence
from pathlib import Path

from callbench.model.errors import BadInput
from callbench.model.script import Bodies

# Each line of such a file is a body.
_LINES = (".jsonl", ".ndjson")
# A text that looks like this was meant for a file.
_FILE = re.compile(r"[\w.~/-]*[\w~-]\.(?:json|jsonl|ndjson|xml|txt|bin|csv|ya?ml|html)|[.~]{0,2}/[\w.~/-]+")
_MOST_FILES = 10_000


def found(given: Sequence[str], option: str, folder: Path | None = None) -> list[Bodies]:
    """The bodies of a rotation, in the order in which they are given.

    Args:
        given: each a file, a folder of files, or the text of a body.
        option: what a person typed, for the sentence.
        folder: what paths are relative to; None: the current folder.

    Raises:
        BadInput: a file is named that is not there, or a folder has no files.
    """
    return [body for named in given for body in _of(named, option, folder or Path.cwd())]


def text_of(bodies: Sequence[Bodies]) -> str | None:
    """Return the single given text; None if there are files or several bodies."""
    return bodies[0].text if len(bodies) == 1 else None


def file_of(bodies: Sequence[Bodies]) -> str | None:
    """Return the single given file; None if there are texts or several bodies."""
    return bodies[0].file if len(bodies) == 1 else None


def _of(text: str, option: str, folder: Path) -> list[Bodies]:
    path = _path(folder, text)
    if path is None:
        if _FILE.fullmatch(text):
            raise BadInput(
                f"{option} {text}: there is no such file; a text that looks like a file's name is sent with --body-hex"
            )
        return [Bodies(text=text)]
    if path.is_dir():
        return _in_folder(path, option)
    return [_of_file(path)]


def _path(folder: Path, text: str) -> Path | None:
    """Return the file or folder with this name; None if there is none, or if it cannot be a name."""
    if not text or "\0" in text or "\n" in text:
        return None
    path = folder / text
    try:
        return path.absolute() if path.exists() else None
    except OSError:  # Longer than a name can be.
        return None


def _in_folder(path: Path, option: str) -> list[Bodies]:
    files = sorted(entry for entry in path.iterdir() if entry.is_file() and not entry.name.startswith("."))
    if not files:
        raise BadInput(f"{option} {path}: the folder has no files; each file in it is one body")
    if len(files) > _MOST_FILES:
        raise BadInput(f"{option} {path}: the folder has {len(files):,} files; give at most {_MOST_FILES:,}")
    return [_of_file(file) for file in files]


def _of_file(path: Path) -> Bodies:
    return Bodies(lines=str(path)) if path.suffix in _LINES else Bodies(file=str(path))
