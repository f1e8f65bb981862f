"""How far a command has come that is running: a small file in its record, for those who watch.

It is for looking only: nothing is computed from it, and it goes when its command ends.
"""

import contextlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Generic, TypedDict, TypeVar, cast

from callbench.model.secrets import SECRETS
from callbench.store.head import now
from callbench.store.record import is_written

_Point = TypeVar("_Point")

FILE = "progress.json"
FORMAT = 1
EVERY_S = 1.0
MORE_OF_A_POINT = (
    "p50_us", "p99_us", "objective_us", "memory_bytes", "threads", "level", "holds", "errors", "processors",
    "others_share", "steal_share",
)  # fmt: skip
# A file that is larger was not written by `ProgressFile`.
_MOST_BYTES = 4 << 20


class _FailedCalls(TypedDict):
    """What of a point is counted."""

    failed: int
    errors: Mapping[str, int] | None


class Thinned(Generic[_Point]):
    """A series that stays short: when it is full, of two points one is made, and the last one stays as late as it is.

    Attributes:
        kept: the points, the oldest first.
    """

    def __init__(self, most: int = 240, both: Callable[[_Point, _Point], _Point] = lambda _, later: later) -> None:
        """Keep so many points at most.

        Args:
            most: points.
            both: makes one of two that follow each other; as a rule the later one stands for both.
        """
        self._most, self._both = most, both
        self.kept: list[_Point] = []

    def add(self, point: _Point) -> None:
        """Add the newest point."""
        self.kept.append(point)
        if len(self.kept) > self._most:
            odd = len(self.kept) % 2
            self.kept[odd:] = map(self._both, self.kept[odd::2], self.kept[odd + 1 :: 2])


def progress_point(
    at_s: float, rate_per_s: float | None, failed: int, **more: float | str | bool | Mapping[str, int] | None
) -> dict[str, object]:
    """Return what was seen at one time, as `progress.schema.json` has it.

    Args:
        at_s: seconds since the start.
        rate_per_s: answers a second.
        failed: calls.
        more: members of `MORE_OF_A_POINT`; those that are not given are unknown.
    """
    return {"at_s": at_s, "rate_per_s": rate_per_s, "failed": failed, **dict.fromkeys(MORE_OF_A_POINT), **more}


def both_points(before: Mapping[str, object], later: Mapping[str, object]) -> dict[str, object]:
    """Return one point of two: as the later one, with the failed calls of both."""
    both = [cast("_FailedCalls", point) for point in (before, later)]
    kinds = [Counter(point["errors"]) for point in both if point["errors"] is not None]
    errors = dict(sum(kinds, Counter[str]())) if kinds else None
    return {**later, "failed": sum(point["failed"] for point in both), "errors": errors}


def progress_limit(of: str, value: float, text: str) -> dict[str, object]:
    """Return a value that points are held against, as `progress.schema.json` has it.

    Args:
        of: the member of a point.
        value: in the unit of that member.
        text: the limit as it is read.
    """
    return {"of": of, "value": value, "text": text}


class ProgressFile:
    """Replaces the file, at most once a second. It never waits for the disk."""

    def __init__(self, record: Path, clock: Callable[[], float] = time.monotonic, name: str = FILE) -> None:
        """Keep the progress in the folder of a record.

        Args:
            record: the folder.
            clock: seconds.
            name: of the file.
        """
        self._file = record / name
        self._clock = clock
        self._last_s: float | None = None

    def offer(self, made: Callable[[], Mapping[str, object]]) -> None:
        """Write what is known now, if a second has passed. A disk that cannot take it ends nothing.

        Args:
            made: makes what is written; it is called only then.
        """
        if self._last_s is not None and self._clock() - self._last_s < EVERY_S:
            return
        document = SECRETS.masked({"format": FORMAT, "at": now(), **made()})
        part = self._file.with_name(f".{self._file.name}.part")
        with contextlib.suppress(OSError):
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as out:
                json.dump(document, out, separators=(",", ":"), ensure_ascii=False)
            part.replace(self._file)
        # After the work: it takes no second of the next one.
        self._last_s = self._clock()

    def close(self) -> None:
        """Remove the file: the command ends, and the record says how."""
        with contextlib.suppress(OSError):
            self._file.unlink(missing_ok=True)


def read(record: Path) -> dict[str, object] | None:
    """Return the progress of a record that is being written; None if none is, or its command keeps none."""
    document = document_of(record / FILE)
    return document if document is not None and is_written(record) else None


def document_of(file: Path) -> dict[str, object] | None:
    """Return what a `ProgressFile` wrote; None if it is not there, or something else wrote it."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "rb") as opened:
            document = json.loads(opened.read(_MOST_BYTES))
    except (OSError, ValueError):
        return None
    known = isinstance(document, dict) and document.get("format") == FORMAT
    return document if known else None
