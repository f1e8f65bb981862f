"""The file that an advice is kept in, beside its run: the situation, which records it rests on, and the result."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from callbench.analysis.advice.requirements import LeftOutStack
from callbench.catalog.situation.file import situation_of
from callbench.model import machine_limits
from callbench.model.errors import BadInput
from callbench.model.secrets import SECRETS
from callbench.model.situation import Goal, Situation
from callbench.model.version import VERSION
from callbench.store.head import FILE, now
from callbench.store.record import Record

KIND = "advice"
FORMAT = 1
NAME = "advice.json"
# Folders of a run in which cells over the links of a situation were measured.
HELD_BACK = "held-back"
# The folder of a run in which its main call was measured with payloads of several sizes.
SIZES = "sizes"
# The file of a run with the stacks that could not win by their bytes.
NOT_MEASURED = "not-measured.json"


@dataclass(frozen=True)
class Stored:
    """An advice on disk.

    Attributes:
        path: its file.
        record: what it says; the report is computed from the runs again.
    """

    path: Path
    record: Mapping[str, Any]

    @property
    def run(self) -> Record:
        """The record that it rests on.

        Raises:
            BadInput: it is not there any more.
        """
        return Record(self.path.parent)

    @property
    def held_back(self) -> list[Record]:
        """The records of cells over links."""
        return [Record(self.path.parent / name) for name in self.record["held_back"]]

    @property
    def situation(self) -> Situation:
        """The situation, checked."""
        said = dict(self.record["situation"])
        if "prices" not in said or said.get("goal", Goal.MONEY) != Goal.MONEY:
            # Earlier versions took it there, and disregarded it.
            said.pop("worth", None)
        return situation_of(said, str(self.path))

    @property
    def info(self) -> Mapping[str, object]:
        """What stands above a report."""
        return {"title": f"Advice from {self.record['title']}", "started": self.record["started"]}

    def environment(self) -> Mapping[str, object]:
        """The machine that was measured on."""
        return self.run.environment()


def measured(run: Record) -> list[Record]:
    """Give the records of cells over links that were measured for a run, the oldest first."""
    return [Record(path) for path in sorted(run.path.glob(f"{HELD_BACK}-*")) if (path / FILE).is_file()]


def sizes(run: Record) -> Record | None:
    """Give the record of several sizes, if they were measured."""
    path = run.path / SIZES
    return Record(path) if (path / FILE).is_file() else None


def write_not_measured(run: Record, stacks: Sequence[LeftOutStack]) -> None:
    """Keep beside a run which stacks were not measured for it, and why; nothing if there are none.

    Raises:
        MachineFailure: the file cannot be written.
    """
    if not stacks:
        return
    path = run.path / NOT_MEASURED
    try:
        path.write_text(
            json.dumps([{"stack": stack.stack, "why": list(stack.why)} for stack in stacks], indent=1) + "\n"
        )
    except OSError as failure:
        raise machine_limits.written(f"cannot write {path}", failure) from failure


def not_measured(run: Record) -> list[LeftOutStack]:
    """Give the stacks that were not measured for a run because of their bytes.

    Raises:
        BadInput: the file is damaged.
    """
    path = run.path / NOT_MEASURED
    if not path.is_file():
        return []
    try:
        return [
            LeftOutStack(str(entry["stack"]), list(entry["why"]), required=False)
            for entry in json.loads(path.read_bytes())
        ]
    except (OSError, ValueError, TypeError, KeyError) as failure:
        raise BadInput(f"{path} is damaged: remove it, and the advice does not list these stacks") from failure


def as_stored(
    run: Record,
    situation: Situation,
    held_back: Sequence[Record],
    of_sizes: Record | None,
    result: Mapping[str, object],
) -> Stored:
    """Return an advice as it is kept beside its run. Nothing is written yet."""
    record: dict[str, object] = {
        "kind": KIND,
        "format": FORMAT,
        "callbench": VERSION,
        "started": now(),
        "title": run.info["title"],
        "held_back": [held.path.name for held in held_back],
        "sizes": None if of_sizes is None else of_sizes.path.name,
        "situation": dict(situation.source or {}),
        **result,
    }
    return Stored(run.path / NAME, SECRETS.masked(record))


def write(advice: Stored) -> None:
    """Keep an advice beside its run, whole or not at all.

    Raises:
        CallbenchError: the file cannot be written.
    """
    part = advice.path.with_suffix(".part")
    try:
        part.write_text(json.dumps(advice.record, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
        part.replace(advice.path)
    except OSError as failure:
        raise machine_limits.written(f"cannot write {advice.path}", failure) from failure


def is_one(path: Path) -> bool:
    """Whether a file looks like an advice."""
    try:
        return path.name == NAME or json.loads(path.read_bytes()).get("kind") == KIND
    except (OSError, ValueError, AttributeError):
        return False


def read(path: Path) -> Stored:
    """Read an advice.

    Raises:
        BadInput: it is none, is damaged or of a newer version.
    """
    try:
        record = json.loads(path.read_bytes())
    except OSError as failure:
        raise BadInput(f"cannot read {path}: {failure.strerror}") from failure
    except ValueError as failure:
        raise BadInput(
            f"{path} is damaged: it is not JSON; `callbench advise {path.parent}` writes it again"
        ) from failure
    if not isinstance(record, dict) or record.get("kind") != KIND:
        raise BadInput(f"{path} is no advice: `callbench advise {path.parent}` writes one")
    if not isinstance(record.get("format"), int) or record["format"] > FORMAT:
        raise BadInput(f"{path} was written by a newer Callbench: read it with that version")
    missing = [name for name in ("title", "started", "held_back", "situation") if name not in record]
    if missing:
        raise BadInput(
            f"{path} is damaged: it has no {', '.join(missing)}; `callbench advise {path.parent}` writes it again"
        )
    return Stored(path, record)
