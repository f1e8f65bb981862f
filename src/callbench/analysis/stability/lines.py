"""The lines of a journal that a soak, an overload, a torture test or a search for a capacity wrote."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from callbench.store.record import Record

Line = TypeVar("Line", bound=Mapping[str, object])


def until_s(lines: Iterable[Mapping[str, object]]) -> float:
    """Return when the last event in a journal ended, in seconds since the beginning."""
    return max((_seconds(line, "at_s") + _seconds(line, "seconds") for line in lines), default=0.0)


def _seconds(line: Mapping[str, object], name: str) -> float:
    value = line.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


def valid_lines(lines: Iterable[Line], key: str) -> list[Line]:
    """Return the lines of a journal without those of interrupted and repeated steps.

    Args:
        lines: the journal.
        key: the member that names a step; a line of kind `again` names a repeated step.
    """
    kept: list[Line] = []
    for line in lines:
        if line["kind"] == "again":
            kept = [earlier for earlier in kept if earlier.get(key) != line[key]]
        else:
            kept.append(line)
    return kept


def notes(run: Record, lines: Iterable[Mapping[str, object]]) -> list[str]:
    """Return the notes for the reader: what a log has that is not sent, and what the test noted."""
    logged = (run.request.get("server") or {}).get("notes") or ()
    return [*map(str, logged), *(str(line["text"]) for line in lines if line["kind"] == "note")]
