"""Journals without a seal, each figure altered in turn: refused in a sentence, or shown; never a mistake of ours.

A run that was killed or goes on has no seal, so that nothing else tells what was altered.
"""

import copy
import io
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from line_documents import RECORDS
from rich.console import Console

from callbench.model.errors import BadInput
from callbench.report import records
from callbench.report.record_kinds import kinds
from callbench.stats.estimate.histogram import TOP, index_of
from callbench.store import journal
from callbench.store.head import COMPARISON, SEAL
from callbench.store.lines.capacity import LoadedRecord
from callbench.store.typed import BUCKETS

HERE = Path(__file__).parent
NAMES = tuple(sorted(file.parent.name for file in HERE.glob("*/record.json")))
# What is not looked into: nothing that is shown of such a record rests on it.
UNSEEN = {"processors", "latency_over_time", "gaps", "processes", "traffic"}
# One of so many is shown as a whole, which takes a hundred times as long as to read it.
SHOWN = 12
# As long is a row whose numbers mean different things.
ROW = 5
# What no journal has, whatever is counted.
IMPOSSIBLE = (nan, inf, -inf, 10**400)

Place = tuple[str | int, ...]
Lines = list[dict[str, Any]]


@dataclass(frozen=True)
class Altered:
    """A line with one member altered."""

    number: int
    line: dict[str, Any]
    place: str
    impossible: bool

    @property
    def is_further(self) -> bool:
        """Whether it is of a load within a capacity's line, which keeps more of it than is read."""
        return ".load." in self.place and self.place.split(".")[2] not in LoadedRecord.__annotations__

    def within(self, lines: Lines) -> Lines:
        """All lines, this one in its place."""
        return [*lines[: self.number - 1], self.line, *lines[self.number :]]


def read_lines(name: str) -> tuple[str, Lines]:
    """The kind of a record, and its lines."""
    kind = json.loads((HERE / name / "record.json").read_text())["kind"]
    return kind, list(journal.read(HERE / name / "journal.jsonl"))


def places(value: Any, so_far: Place = ()) -> Iterator[Place]:
    """Where something stands within a line, itself left out."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*so_far, key)
        yield from places(each, (*so_far, key))


def others_of(value: Any) -> Iterator[tuple[Any, bool]]:
    """What may stand there instead, and whether nothing can be so."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield from ((0, False), (-1, False), *((each, True) for each in IMPOSSIBLE))
    if isinstance(value, list):
        yield from (([], False), (value[:-1], False), ([*value, *value[-1:]], False))
    if isinstance(value, dict | list):
        yield None, False


def altered(lines: Lines) -> Iterator[Altered]:
    """Every line with a member altered or taken out; members of that name on other lines are left."""
    met: set[tuple[object, ...]] = set()
    for number, line in enumerate(lines, start=1):
        for place in places(line):
            name = (line["kind"], *_steps(line, place))
            if place == ("kind",) or name in met or UNSEEN & set(place):
                continue
            met.add(name)
            *outer, last = place
            for other, impossible in (*others_of(_at(line, place)), (_at, False)):
                made = copy.deepcopy(line)
                holder = _at(made, tuple(outer))
                if other is _at:
                    del holder[last]
                else:
                    holder[last] = other
                yield Altered(number, made, ".".join(map(str, name)), impossible)


def _steps(line: Any, place: Place) -> Iterator[str]:
    """Items of a list are alike, and of a short row of numbers each is of its own."""
    for depth, step in enumerate(place):
        row = isinstance(step, int) and not any(isinstance(each, dict | list) for each in _at(line, place[:depth]))
        yield f"#{step if row and len(_at(line, place[:depth])) <= ROW else ''}" if isinstance(step, int) else step


def _at(value: Any, place: Place) -> Any:
    for step in place:
        value = value[step]
    return value


@pytest.mark.parametrize("name", NAMES)
def test_what_nothing_can_be_is_refused_with_its_line(name: str) -> None:
    kind, lines = read_lines(name)
    for change in altered(lines):
        if change.impossible and not change.is_further:
            sentence = rf"the journal is damaged: line {change.number}, of kind {change.line['kind']}: "
            with pytest.raises(BadInput, match=sentence):
                RECORDS[kind].line(change.line, number=change.number)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_read_is_shown(name: str, tmp_path: Path) -> None:
    """Of members that are 0, negative, empty, shorter, longer or missing."""
    kind, lines = read_lines(name)
    folder = Path(shutil.copytree(HERE / name, tmp_path / name))
    head = json.loads((folder / "record.json").read_text())
    (folder / "record.json").write_text(json.dumps({key: value for key, value in head.items() if key != SEAL}))
    possible = [change for change in altered(lines) if not change.impossible]
    taken = [change for change in possible if is_read(kind, change)]
    assert len(taken) < len(possible)
    for change in taken[len(name) % SHOWN :: SHOWN]:
        text = "".join(f"{json.dumps(line)}\n" for line in change.within(lines))
        (folder / "journal.jsonl").write_text(text)
        try:
            records.show(folder, Console(file=io.StringIO(), width=120))
        except BadInput:
            continue
        except Exception as failure:
            failure.add_note(f"{change.place} was altered: {json.dumps(change.line)[:300]}")
            raise


def is_read(kind: str, change: Altered) -> bool:
    """Whether the altered line is of the type of its kind."""
    try:
        RECORDS[kind].line(change.line)
    except BadInput:
        return False
    return True


def test_every_kind_of_record_is_altered() -> None:
    assert {read_lines(name)[0] for name in NAMES} == {*kinds(), COMPARISON}


def test_the_last_bucket_is_that_of_the_longest_time() -> None:
    assert index_of(TOP) == BUCKETS - 1
