"""The file `record.json` of every record, whatever was measured: its kind, its state, and what was asked for."""

import datetime as dt
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from callbench.model.version import VERSION

FORMAT = 2
FILE = "record.json"
# The member of a record whose work has ended: length and digest of its journal.
SEAL = "journal"
RUN = "run"
COMPARISON = "comparison"
PEER = "peer"
LOAD = "load"


def head(kind: str, title: str, request: Mapping[str, Any]) -> dict[str, Any]:
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


def folder(out: Path | None, name: str) -> Path:
    """Where a record is kept: the folder that was asked for, or `runs/NAME-TIME` under the current one."""
    return out or Path("runs") / f"{name}-{dt.datetime.now(dt.UTC):%Y%m%d-%H%M%S}"


def as_file(value: Mapping[str, Any]) -> bytes:
    """Return a JSON object as the content of a file of a record."""
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def now() -> str:
    """The time as records have it: UTC, to the millisecond."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
