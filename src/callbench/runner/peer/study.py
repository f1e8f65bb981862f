"""Drive the cells of a study with both generators, round by round. Each round is on disk before the next begins."""

import json
import random
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import cast

from callbench.adapter import placement
from callbench.analysis.peer import stored
from callbench.analysis.peer.agreement import PEER
from callbench.catalog import select
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.study import Study, load, names, own_servers
from callbench.model.cell import Cell, Stack
from callbench.model.errors import BadInput, CallbenchError
from callbench.model.secrets import SECRETS
from callbench.runner.machine import environment
from callbench.runner.peer.http_load import why_not
from callbench.runner.peer.live import PeerProgress
from callbench.runner.peer.rounds import RoundLength, drive_round
from callbench.runner.run import launch
from callbench.store.head import PEER as PEER_RECORD
from callbench.store.head import as_file, folder, head, now
from callbench.store.lines.peer import PEER_LINES, CellLeftOutLine, PeerRound, PeerRoundLine
from callbench.store.record_writer import RecordWriter
from callbench.store.requested.peer import RequestedPeer

_TRIES = 2
# Seconds for the start of peer and server in a round, about.
_STARTS_S = 6.0


@dataclass(frozen=True)
class PeerRequest:
    """The options of a comparison over a study.

    Attributes:
        study: a name or a path.
        rounds: how often both drive each cell; None: 5, or 3 with `quick`.
        seconds: duration of each side in a round, after all clients have begun; None: 10, or 5 with `quick`.
        warm_up_s: of the peer in a round; None: 10, or 5 with `quick`.
        delay_us: how long each server waits in each call.
        seed: of the random order; None: a new one, which is recorded.
    """

    study: str
    quick: bool = False
    select: Sequence[str] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    rounds: int | None = None
    seconds: float | None = None
    warm_up_s: float | None = None
    delay_us: int = 0
    seed: int | None = None


def is_study(target: str) -> bool:
    """Return whether a target is a study: a file or a name. Stacks and URLs contain a slash and do not end in .toml."""
    return not own_servers.is_server(target) and (target.endswith(".toml") or "/" not in target or target in names())


@dataclass(frozen=True)
class PeerStudy:
    """A study that both can drive.

    Attributes:
        catalogue: all stacks, and the servers of the study.
        chosen: the cells, with the groups that each represents; empty if the folder has them.
        left_out: the other cells, by reason.
    """

    study: Study
    catalogue: Catalogue
    chosen: Sequence[tuple[Cell, list[str]]] = ()
    left_out: Mapping[str, list[str]] = field(default_factory=dict)


def prepare(request: PeerRequest, catalogue: Catalogue) -> PeerStudy:
    """Find the cells that both can drive.

    Raises:
        BadInput: an option is wrong, or both cannot drive any cell.
    """
    selection = select.parse(request.select)
    loaded = _loaded(request.study, request.settings, catalogue)
    stacks = {stack.id: stack for stack in loaded.catalogue.every}
    cells = selection.apply(loaded.study.cells(loaded.catalogue.every, request.quick), stacks)
    chosen, left_out = drivable(cells, stacks)
    if not chosen:
        why = "; ".join(f"{stored.join_names(whose)}: {why}" for why, whose in left_out.items())
        raise BadInput(f"{request.study} has no cells that both can drive: {why or 'none was selected'}")
    return replace(loaded, chosen=chosen, left_out=left_out)


def begun(path: Path, study: str, catalogue: Catalogue) -> PeerStudy:
    """Return the study of a folder that is continued, with its secrets.

    Raises:
        BadInput: a secret is not known any more, or a server of the study is wrong.
    """
    settings = SECRETS.restored(stored.open_record(path).requested(RequestedPeer).settings, str(path))
    return _loaded(study, settings, catalogue)


def _loaded(study: str, settings: Mapping[str, str], catalogue: Catalogue) -> PeerStudy:
    loaded = load(study, settings)
    return PeerStudy(loaded, own_servers.with_servers(catalogue, loaded.part.servers, loaded.path))


def create(request: PeerRequest, prepared: PeerStudy, out: Path | None) -> RecordWriter:
    """Make the folder with the plan; None: `runs/peer-STUDY-TIME`.

    Raises:
        BadInput: there is something already.
        CallbenchError: it cannot be created.
    """
    plan = {
        "cells": [{**asdict(cell), "groups": groups} for cell, groups in prepared.chosen],
        "left_out": [{"why": why, "cells": whose} for why, whose in prepared.left_out.items()],
    }
    files = {
        "study.toml": prepared.study.source,
        "plan.json": as_file(plan),
        "environment.json": as_file(environment.record(placement.choose_placement())),
    }
    info = _info(request, prepared.study)
    return RecordWriter.create(folder(out, f"peer-{prepared.study.name}"), info, files)


def drivable(
    cells: Sequence[Cell], stacks: Mapping[str, Stack]
) -> tuple[list[tuple[Cell, list[str]]], dict[str, list[str]]]:
    """Return the cells that both can drive, with the groups that each represents; and the other cells, by reason.

    The duration comes from the request, so cells that differ only in it are one.
    """
    chosen: dict[str, tuple[Cell, list[str]]] = {}
    left_out: dict[str, list[str]] = {}
    for cell in cells:
        why = why_not(cell, stacks[cell.stack])
        if why:
            left_out.setdefault(why, []).append(stored.cell_name(cell.group, cell.stack, cell.load.clients))
            continue
        asked = cell.load
        alike = [cell.stack, cell.call, cell.arguments, asked.clients, asked.think_ns, asked.ramp_up_ns, cell.options]
        _, groups = chosen.setdefault(json.dumps(alike, sort_keys=True, default=str), (cell, []))
        groups.append(cell.group)
    return list(chosen.values()), left_out


def _info(request: PeerRequest, study: Study) -> dict[str, object]:
    """Return record.json."""
    rounds, seconds, warm_up_s = (3, 5.0, 5.0) if request.quick else (5, 10.0, 10.0)
    requested = RequestedPeer(
        study=study.name,
        seed=secrets.randbits(32) if request.seed is None else request.seed,
        quick=request.quick,
        rounds=request.rounds or rounds,
        select=tuple(request.select),
        settings=request.settings,
        peer=PEER,
        seconds=request.seconds or seconds,
        warm_up_s=warm_up_s if request.warm_up_s is None else request.warm_up_s,
        delay_us=request.delay_us,
    )
    return head(PEER_RECORD, study.title, asdict(requested))


def folder_to_resume(study: str, out: Path | None) -> Path:
    """Return the folder to resume.

    Raises:
        BadInput: no folder is given, it is another kind of folder, or the study differs or has changed.
    """
    if out is not None:
        stored.open_record(out)
    path = launch.folder_to_resume(out, study, RequestedPeer)
    run = stored.open_record(path)
    source = load(study, SECRETS.restored(run.requested(RequestedPeer).settings, str(path))).source
    SECRETS.learn_study(source)
    if SECRETS.masked_text(source.decode()) != (run.path / "study.toml").read_text():
        raise BadInput(f"{study} has changed since {path} was begun: start again with another --out")
    return path


def drive(run: RecordWriter, prepared: PeerStudy, *, quiet: bool) -> None:
    """Drive the rounds that are left of a folder.

    Raises:
        CallbenchError: the folder cannot be written.
    """
    with PeerProgress(run, quiet=quiet) as progress:
        _Rounds(run, prepared.catalogue, progress).run()


class _Rounds:
    """The rounds of a study in progress."""

    def __init__(self, run: RecordWriter, catalogue: Catalogue, progress: PeerProgress) -> None:
        """Continue at the end of the journal."""
        self._run = run
        self._requested = run.requested(RequestedPeer)
        self._catalogue = catalogue
        self._progress = progress
        self._cells = stored.planned_cells(run)
        lines = list(PEER_LINES.read(run.lines(), run.journal_file))
        self._done = {(line["round"], line["cell"]) for line in lines if line["kind"] == "round"}
        self._failed = {line["cell"] for line in lines if line["kind"] == "excluded"}
        self._length = RoundLength(self._requested.seconds, self._requested.warm_up_s)

    def run(self) -> None:
        """Drive the missing rounds: all cells in random order, then all cells again."""
        total = self._requested.rounds
        left = [
            (number, cell) for number in range(total) for cell in self._order(number) if self._is_left(number, cell)
        ]
        self._progress.show_plan(len(left), sum(self._expected_seconds(cell) for _, cell in left))
        for number, cell in left:
            if self._is_left(number, cell):
                self._drive(number, cell)

    def _order(self, number: int) -> list[Cell]:
        return self._rng(number).sample(self._cells, len(self._cells))

    def _rng(self, *of: object) -> random.Random:
        return random.Random(f"{self._requested.seed} {of}")  # noqa: S311 - an order to be repeated

    def _is_left(self, number: int, cell: Cell) -> bool:
        return cell.id not in self._failed and (number, cell.id) not in self._done

    def _expected_seconds(self, cell: Cell) -> float:
        return 2 * self._length.drive_seconds(cell) + self._length.warm_up_s + _STARTS_S

    def _drive(self, number: int, cell: Cell) -> None:
        """Drive one round of one cell. A cell that fails twice is excluded."""
        delay_us = self._requested.delay_us
        why = ""
        for attempt in range(_TRIES):
            self._progress.show_drive(number, cell)
            try:
                rng = self._rng(number, cell.id, attempt)
                stack = self._catalogue.stack(cell.stack)
                options = {"delay_us": delay_us} if delay_us else {}
                result = drive_round(self._catalogue, stack, cell, self._length, rng, options)
            except CallbenchError as failure:
                why = str(failure)
                continue
            both = cast("PeerRound", asdict(result))
            self._run.append(PeerRoundLine(kind="round", round=number, cell=cell.id, ended=now(), **both))
            self._progress.show_round(number, cell, result)
            return
        self._run.append(CellLeftOutLine(kind="excluded", round=number, cell=cell.id, why=f"failed twice: {why}"))
        self._failed.add(cell.id)
        self._progress.show_failure(cell, why)
