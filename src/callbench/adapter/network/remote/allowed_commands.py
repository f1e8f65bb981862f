"""The start commands of studies that this host runs: those in a file of its own, and no others."""

import json
import os
import re
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from callbench.adapter.network.remote.keys import settings_folder
from callbench.catalog.external import READY_SECONDS
from callbench.model.card import ExternalTable
from callbench.model.errors import AdapterFailure

# A command and its folder there, for instance "./shop --port {port}" = "/opt/shop".
Allowed = Mapping[str, str]
# What a word needs no quotes for.
_PLAIN = re.compile(r"[\w@%+=:,./{}*-]+", re.ASCII)
# What a star stands for: no other folder, and no option.
_STAR = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_OTHERS_WRITE = 0o022


def commands_file() -> Path:
    """The file that allows commands on this host. Its user writes it, and nothing of it comes from a core."""
    return settings_folder() / "commands.toml"


def with_allowed_commands(given: Mapping[str, ExternalTable], host: str) -> dict[str, ExternalTable]:
    """Return the servers of a study as they may be started here; what may not be started says why.

    A command is taken over with its environment, and starts in the folder of the file.

    Args:
        given: the tables `external` of their cards, by stack.
        host: the name of this host.

    Raises:
        AdapterFailure: the file is wrong.
    """
    file = commands_file()
    allowed = _read(file)
    return {stack: _allowed_table(table, allowed, f"{file} of host {host}") for stack, table in given.items()}


def _read(file: Path) -> Allowed:
    try:
        with file.open("rb") as opened:
            if os.fstat(opened.fileno()).st_mode & _OTHERS_WRITE:
                raise AdapterFailure("unsupported", f"{file} can be written by others: run `chmod go-w {file}` there")
            read = tomllib.load(opened)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as failure:
        raise AdapterFailure("unsupported", f"{file} cannot be read ({failure}): correct it there") from failure
    for command, folder in read.items():
        if not (isinstance(folder, str) and Path(folder).is_absolute()):
            raise AdapterFailure(
                "unsupported", f"{file} gives `{command}` no absolute path of the folder it starts in: correct it there"
            )
    return read


def _allowed_table(table: ExternalTable, allowed: Allowed, file: str) -> ExternalTable:
    if "url" in table:
        return ExternalTable(refused="its server runs where its url says")
    words = _words(table)
    for command, folder in allowed.items():
        if _fits(words, _split(command)):
            return ExternalTable(
                start=table["start"],
                environment=table.get("environment") or {},
                path=table.get("path") or "/",
                ready_seconds=float(table.get("ready_seconds") or READY_SECONDS),
                folder=folder,
            )
    line = f"{json.dumps(_text(words), ensure_ascii=False)} = {json.dumps(table['folder'], ensure_ascii=False)}"
    return ExternalTable(
        refused=f"{file} does not allow its command: if that host shall run it, add this line there: {line}"
    )


def _words(table: ExternalTable) -> list[str]:
    """Return a command as words, what is set in its environment first: that can change what runs, too."""
    environment = table.get("environment") or {}
    return [*(f"{name}={environment[name]}" for name in sorted(environment)), *table["start"]]


def _text(words: Sequence[str]) -> str:
    return " ".join(word if _PLAIN.fullmatch(word) else shlex.quote(word) for word in words)


def _split(command: str) -> list[str]:
    """Return the words of an allowed command; none if its quotes are not closed."""
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _fits(words: Sequence[str], allowed: Sequence[str]) -> bool:
    """Return whether words are those of an allowed command, or fit its stars."""
    return len(words) == len(allowed) and all(map(_word_fits, words, allowed))


def _word_fits(word: str, allowed: str) -> bool:
    pattern = _STAR.join(map(re.escape, allowed.split("*")))
    return word == allowed or re.fullmatch(pattern, word) is not None
