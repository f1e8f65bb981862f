"""The file that a load is kept in: written once, read again by `show` and `report`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from callbench.adapter import placement
from callbench.model.errors import BadInput, CallbenchError
from callbench.model.version import VERSION
from callbench.runner import environment
from callbench.store.head import now

KIND = "load"
FORMAT = 1
# What is read here of each; whatever else there is stays for programs.
_NEEDED = ("url", "clients", "seconds", "calls", "rate_per_s", "latency_us", "errors", "said", "verdict", "intervals")


class Kept:
    """A load that was kept.

    Attributes:
        path: its file.
        record: what it says.
    """

    def __init__(self, path: Path, record: Mapping[str, Any]) -> None:
        """Takes what was read."""
        self.path = path
        self.record = record

    @property
    def info(self) -> Mapping[str, Any]:
        """What stands above a report: title and start."""
        return {"title": f"load of {self.record['url']}", "started": self.record.get("started", "")}

    def environment(self) -> Mapping[str, Any]:
        """The machine that it was made on; nothing where an earlier version kept it."""
        found: Mapping[str, Any] = self.record.get("environment") or {}
        return found


def write(path: Path, said: Mapping[str, Any]) -> None:
    """Keep a load, whole or not at all.

    Raises:
        CallbenchError: the file cannot be written.
    """
    about = {"kind": KIND, "format": FORMAT, "callbench": VERSION, "started": now()}
    record = {**about, **said, "file": str(path), "environment": environment.record(placement.placed())}
    part = path.with_suffix(path.suffix + ".part")
    try:
        part.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
        part.replace(path)
    except OSError as failure:
        raise CallbenchError(f"cannot write {path}: {failure.strerror}") from failure


def read(path: Path) -> Kept:
    """Read a file that a load was kept in.

    Raises:
        BadInput: it is something else, damaged, or of a newer version.
    """
    try:
        record = json.loads(path.read_bytes())
    except OSError as failure:
        raise BadInput(f"cannot read {path}: {failure.strerror}") from failure
    except ValueError as failure:
        raise BadInput(f"{path} is not a run folder, nor a file of `load`: it is not JSON") from failure
    if not isinstance(record, dict) or record.get("kind", KIND) != KIND or "url" not in record:
        raise BadInput(f"{path} is JSON, but no record of a load; name a run's folder or what `load --out` wrote")
    if int(record.get("format", FORMAT)) > FORMAT:
        raise BadInput(f"{path} was written by a newer Callbench: read it with that version")
    missing = [name for name in _NEEDED if name not in record]
    if missing:
        raise BadInput(f"{path} is damaged: it has no {', '.join(missing)}")
    return Kept(path, record)
