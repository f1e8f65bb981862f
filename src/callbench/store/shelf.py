"""A folder of records: what is in it, and what is done with a record as a whole: renamed, tagged, removed."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from callbench.model import machine_limits
from callbench.model.errors import BadInput, NotNow, NotThere
from callbench.store.head import FILE, as_file, commit_of
from callbench.store.record import CUT_OFF, OtherFormat, Record
from callbench.store.record_writer import locked, put

TAGS_FILE = "tags.json"
MOST_TAGS, LONGEST_TAG = 20, 40
DAMAGED, OTHER_FORMAT = "damaged", "of another format"
STATES = ("running", "finished", "stopped", CUT_OFF, DAMAGED, OTHER_FORMAT)
# The kind of a record that cannot be read.
UNKNOWN = "unknown"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}")


@dataclass(frozen=True)
class ShelvedRecord:
    """A record, as a list has it.

    Attributes:
        name: of its folder.
        kind: what was measured; `UNKNOWN` of one that cannot be read.
        study: name of the study; "" where the record names none.
        machine: the processor's model and the system; "" if it is not known.
        started: UTC; "" if it is not known.
        state: one of `STATES`; `CUT_OFF`: its program was killed.
        trouble: why it cannot be read; "" if it can.
        commit: of what was measured; "" if it is not known.
        committed: when that commit was made, UTC; "" likewise.
    """

    name: str
    kind: str
    title: str
    study: str
    machine: str
    started: str
    state: str
    tags: Sequence[str] = ()
    trouble: str = ""
    commit: str = ""
    committed: str = ""

    @property
    def id(self) -> str:
        """What it and its copies are called in links: by its kind, its day, and when and as what it was begun."""
        named = json.dumps([self.kind, self.started, self.title]).encode()
        day = re.sub(r"[^0-9]", "", self.started)[:8].ljust(8, "0")
        return f"{re.sub(r'[^a-z]', '', self.kind) or 'record'}-{day}-{hashlib.sha256(named).hexdigest()[:12]}"

    def holds(self, words: str) -> bool:
        """Return whether each word occurs somewhere in what is known of it, in whatever case."""
        known = (self.name, self.kind, self.title, self.study, self.machine, self.state, self.commit, *self.tags)
        text = " ".join(known).lower()
        return all(word in text for word in words.lower().split())

    def fits(self, q: str, kind: str, state: str, tag: str) -> bool:
        """Return whether it holds the words and has the kind, the state and the tag; "" fits all."""
        return self.holds(q) and kind in {"", self.kind} and state in {"", self.state} and tag in {"", *self.tags}


class Shelf:
    """The records in one folder.

    Attributes:
        folder: the folder, with no link in its path. It need not be there yet.
    """

    def __init__(self, folder: Path) -> None:
        """Look at a folder.

        Raises:
            BadInput: it is a file.
        """
        self.folder = folder.resolve()
        if self.folder.exists() and not self.folder.is_dir():
            raise BadInput(f"{folder} is a file, and no folder of records: name a folder")

    def entries(self) -> list[ShelvedRecord]:
        """Return what is there, newest first. What cannot be read says why."""
        try:
            names = sorted(entry.name for entry in self.folder.iterdir() if not entry.name.startswith("."))
        except OSError:
            return []
        found = [self._entry(name) for name in names if os.path.lexists(self.folder / name / FILE)]
        return sorted(found, key=lambda entry: entry.started, reverse=True)

    def entry(self, name: str) -> ShelvedRecord:
        """Return a record of the list.

        Raises:
            BadInput: there is none of this name, or it leads out of the folder.
        """
        self.path(name)
        return self._entry(name)

    def state_of(self, name: str) -> str:
        """Return the state of a record; "" if there is none of this name."""
        return self._entry(name).state if os.path.lexists(self.folder / name / FILE) else ""

    def path(self, name: str) -> Path:
        """Return the folder of a record.

        Raises:
            BadInput: there is none of this name, or it or a link in it leads elsewhere.
        """
        path = self.folder / name
        if name.startswith(".") or "/" in name or "\0" in name or not os.path.lexists(path / FILE):
            raise NotThere(f"there is no record {name!r} in {self.folder}")
        if any(_links(path)):
            raise BadInput(f"record {name} has a symbolic link in it, which is not followed: replace it by its file")
        return path

    def rename(self, name: str, to: str) -> None:
        """Give a record another name.

        Raises:
            BadInput: the name cannot be used, or a program writes the record.
            MachineFailure: the folder cannot be changed.
        """
        path = self.path(name)
        if to == name:
            return
        with _Held(path):
            free = self._free(to)
            try:
                path.rename(free)
            except OSError as failure:
                raise machine_limits.written(f"cannot rename {path}", failure) from failure

    def tag(self, name: str, tags: Sequence[str]) -> None:
        """Replace a record's tags.

        Raises:
            BadInput: a tag is too long, there are too many, or there is no such record.
            MachineFailure: they cannot be written.
        """
        path = self.path(name)
        wanted = list(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))
        if len(wanted) > MOST_TAGS or any(len(tag) > LONGEST_TAG or not tag.isprintable() for tag in wanted):
            raise BadInput(f"a record has at most {MOST_TAGS} tags, each of at most {LONGEST_TAG} printable characters")
        try:
            put(path / TAGS_FILE, as_file({"tags": wanted}))
        except OSError as failure:
            raise machine_limits.written(f"cannot write {path / TAGS_FILE}", failure) from failure

    def remove(self, name: str) -> None:
        """Remove a record with everything in its folder.

        Raises:
            BadInput: a program writes it, or there is no such record.
            MachineFailure: it cannot be removed.
        """
        path = self.path(name)
        with _Held(path):
            try:
                # What is half removed when the machine goes is no record any more.
                going = path.with_name(f".removed-{name}")
                shutil.rmtree(going, ignore_errors=True)
                path.rename(going)
                shutil.rmtree(going)
            except OSError as failure:
                raise machine_limits.written(f"cannot remove {path}", failure) from failure

    def _free(self, name: str) -> Path:
        path = self.folder / _checked(name)
        if os.path.lexists(path):
            raise NotNow(f"{path} is there already: choose another name")
        return path

    def free_name(self, name: str) -> str:
        """Return a name that nothing has yet: this one, or with a number behind it.

        Raises:
            BadInput: it is no name for a record.
        """
        number, free = 1, _checked(name)
        while os.path.lexists(self.folder / free):
            number += 1
            free = f"{name[:90]}-{number}"
        return free

    def _entry(self, name: str) -> ShelvedRecord:
        path = self.folder / name
        try:
            record = Record(self.path(name))
        except BadInput as failure:
            return ShelvedRecord(
                name=name,
                kind=UNKNOWN,
                title=name,
                study="",
                machine="",
                started="",
                state=OTHER_FORMAT if isinstance(failure, OtherFormat) else DAMAGED,
                trouble=str(failure),
            )
        info, measured, trouble, state = record.info, commit_of(record.info), "", record.state
        request = info["request"] if isinstance(info["request"], dict) else {}
        if state != "running":
            try:
                record.require_sealed(at_a_glance=True)
            except (BadInput, OSError) as failure:
                state, trouble = DAMAGED, str(failure)
        return ShelvedRecord(
            name=name,
            kind=str(info["kind"]),
            title=str(info["title"]),
            study=study if isinstance(study := request.get("study"), str) else "",
            machine=_machine(_object(path / "environment.json"), _list(request.get("hosts"))),
            started=str(info["started"]),
            state=state,
            tags=[str(tag) for tag in _list(_object(path / TAGS_FILE).get("tags"))],
            trouble=trouble,
            commit=measured.name,
            committed=measured.at,
        )


def _checked(name: str) -> str:
    """Return a name for a record as it is, or refuse it."""
    if not _NAME.fullmatch(name):
        raise BadInput(f"{name!r} is no name for a record: letters, digits and . _ + - are, at most 100 of them")
    return name


class _Held:
    """A record that no program writes while this is held."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = -1

    def __enter__(self) -> None:
        try:
            self._lock = locked(self._path)
        except BadInput as failure:
            raise NotNow(f"record {self._path.name} is being written: stop its command first") from failure

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)


def _links(path: Path) -> Iterator[Path]:
    """Find the symbolic links at and below a path."""
    if path.is_symlink():
        yield path
        return
    for folder, folders, files in os.walk(path):
        yield from (inside for name in (*folders, *files) if (inside := Path(folder) / name).is_symlink())


def _object(file: Path) -> dict[str, object]:
    """Read a JSON object; an empty one where there is none."""
    try:
        value = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _machine(environment: dict[str, object], clients: Sequence[Any]) -> str:
    """Return on which machines it was measured; `clients` are the hosts of a load's clients."""
    machine = environment.get("machine")
    model = machine.get("model") if isinstance(machine, dict) else None
    own = ", ".join(str(part) for part in (model, environment.get("system")) if part)
    hosts = environment.get("hosts")
    sides = [
        f"{side} on {about.get('name')} ({about.get('system')}, {len(_list(about.get('processors')))} processors)"
        for side, about in (hosts if isinstance(hosts, dict) else {}).items()
        if isinstance(about, dict)
    ]
    sides += [f"clients on {', '.join(map(str, clients))}"] if clients else []
    return "; ".join([*sides, f"core on {own}"]) if sides else own
