"""The folder that a soak, an overload or a torture is kept in: each line on disk before the next thing happens."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from callbench.adapter.placement import Placement
from callbench.model.errors import BadInput
from callbench.runner import environment
from callbench.store.head import folder, head
from callbench.store.run import Run
from callbench.store.writer import RunWriter

KINDS = ("soak", "overload", "torture")


def made(kind: str, name: str, asked: Mapping[str, Any], out: Path | None, where: Placement) -> RunWriter:
    """Make the folder.

    Args:
        kind: one of `KINDS`.
        name: the stack or URL.
        asked: what was asked for, as `run.json` keeps it under the kind's name.
        out: None: `runs/KIND-TIME`.
        where: which processors each side runs on.

    Raises:
        BadInput: there is something already.
        CallbenchError: it cannot be written.
    """
    info = {**head(kind, f"{kind} of {name}"), "study": "", "seed": 0, "quick": False, "blocks": 0, kind: dict(asked)}
    record = json.dumps(environment.record(where), indent=1, ensure_ascii=False) + "\n"
    return RunWriter.create(folder(out, kind), info, {"environment.json": record.encode()})


def taken_up(  # noqa: PLR0913 - what is asked, and where
    kind: str, name: str, asked: Mapping[str, Any], out: Path | None, where: Placement, *, resume: bool
) -> RunWriter:
    """Make the folder, or go on with one that was begun with the same options.

    Args:
        kind: as of `made`.
        name: likewise.
        asked: likewise.
        out: likewise.
        where: likewise.
        resume: whether to go on.

    Raises:
        BadInput: as `made`; or there is none, or it is another's.
        CallbenchError: it cannot be written.
    """
    if not resume:
        return made(kind, name, asked, out, where)
    if out is None:
        raise BadInput(f"--resume needs --out: the folder of the {kind} to go on with")
    before = opened(out, kind).info[kind]
    wanted = json.loads(json.dumps(dict(asked)))
    other = sorted(key for key in wanted if before.get(key) != wanted[key])
    if other:
        raise BadInput(
            f"{out} is another {kind}: its {', '.join(other)} differ; give the options that it was begun with,"
            f" as {out / 'run.json'} has them"
        )
    run = RunWriter(out)
    if until_s(run.lines()):
        run.note("gone on with after it was stopped or killed")
    return run


def until_s(lines: Iterable[Mapping[str, Any]]) -> float:
    """When the last thing in a journal ended, in seconds since the beginning."""
    return max((float(line.get("at_s", 0.0)) + float(line.get("seconds", 0.0)) for line in lines), default=0.0)


def valid(lines: Iterable[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """The lines of a journal without those of steps that were cut off, and then made again.

    Args:
        lines: the journal.
        key: what names a step in each of its lines; a line of kind `again` says which one is made anew.
    """
    kept: list[dict[str, Any]] = []
    for line in lines:
        if line["kind"] == "again":
            kept = [one for one in kept if one.get(key) != line[key]]
        else:
            kept.append(line)
    return kept


def notes(lines: Iterable[Mapping[str, Any]]) -> list[str]:
    """What a reader should know."""
    return [str(line["text"]) for line in lines if line["kind"] == "note"]


def opened(path: Path, kind: str | None = None) -> Run:
    """Open a folder that one of the three made.

    Raises:
        BadInput: it is something else.
    """
    run = Run(path)
    if run.kind not in KINDS or (kind is not None and run.kind != kind):
        raise BadInput(f"{path} is no record of `callbench {kind or 'soak'}`: run.json says {run.kind}")
    return run
