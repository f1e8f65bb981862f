"""What stands at the head of every record, whatever was measured: its kind, its title, when it began, how it ended."""

import datetime as dt
from pathlib import Path
from typing import Any

from callbench.model.version import VERSION

FORMAT = 1
# Records of before had no kind: they are runs of a study.
RUN = "run"
COMPARISON = "comparison"
PEER = "peer"


def head(kind: str, title: str) -> dict[str, Any]:
    """Gives the members that `run.json` begins with. A record is under way until it is said to have ended."""
    return {
        "format": FORMAT,
        "kind": kind,
        "callbench": VERSION,
        "title": title,
        "started": now(),
        "finished": None,
        "state": "running",
    }


def folder(out: Path | None, name: str) -> Path:
    """Where a record is kept: the folder that was asked for, or `runs/NAME-TIME` under the current one."""
    return out or Path("runs") / f"{name}-{dt.datetime.now(dt.UTC):%Y%m%d-%H%M%S}"


def now() -> str:
    """The time as records have it: UTC, to the millisecond."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
