"""The file `record.json` of every record, whatever was measured: its kind, its state, and what was asked for."""

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NotRequired, TypedDict

from callbench.model.version import VERSION
from callbench.store.journal import Seal

FORMAT = 2
FILE = "record.json"
# The member of a record whose work has ended: length and digest of its journal.
SEAL = "journal"
RUN = "run"
COMPARISON = "comparison"
PEER = "peer"
LOAD = "load"


class RecordHead(TypedDict):
    """What every record says of itself. The types of requests say what is in them."""

    kind: str
    title: str
    started: str
    state: str
    request: Mapping[str, object]
    finished: NotRequired[str | None]
    secrets: NotRequired[str]
    command: NotRequired[str]
    journal: NotRequired[Seal]
    lost_hosts: NotRequired[dict[str, int]]


@dataclass(frozen=True)
class MeasuredCommit:
    """The commit of the software that a record measured, or another name of a version.

    Attributes:
        name: of a commit that git knows here: the first digits of its hash, with `-dirty` if files have changed since.
        at: when the commit was made, UTC to the second; "" where that is not known.
    """

    name: str
    at: str = ""


def head(kind: str, title: str, request: Mapping[str, object]) -> dict[str, object]:
    """Return the members of `record.json` for a record that begins now.

    Args:
        kind: what was measured: `run`, `comparison`, `load`, `soak` ...
        title: one line for readers.
        request: the options of the command, as JSON values.
    """
    return {
        "format": FORMAT,
        "kind": kind,
        "callbench": VERSION,
        "title": title,
        "started": now(),
        "finished": None,
        "state": "running",
        "request": dict(request),
    }


def with_commit(info: Mapping[str, object], commit: MeasuredCommit | None) -> dict[str, object]:
    """Return the members of `record.json` with the commit of what is measured, if it is known."""
    return {**info, **({"commit": asdict(commit)} if commit else {})}


def commit_of(info: Mapping[str, object]) -> MeasuredCommit:
    """Return the commit of what was measured; without a name where `record.json` has none."""
    commit = info.get("commit")
    known = commit if isinstance(commit, Mapping) else {}
    return MeasuredCommit(*(text if isinstance(text := known.get(name), str) else "" for name in ("name", "at")))


def folder(out: Path | None, name: str) -> Path:
    """Where a record is kept: the folder that was asked for, or `runs/NAME-TIME` under the current one."""
    return out or Path("runs") / f"{name}-{dt.datetime.now(dt.UTC):%Y%m%d-%H%M%S}"


def as_file(value: Mapping[str, object]) -> bytes:
    """Return a JSON object as the content of a file of a record."""
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def now() -> str:
    """The time as records have it: UTC, to the millisecond."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
