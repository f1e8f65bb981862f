"""A study driven by both: its cells that the peer can drive, round by round, each on disk before the next begins."""

import json
import random
import secrets
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from callbench.adapter import placement
from callbench.catalog import select
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.study import Study, given, load, names
from callbench.model.cell import Cell, Stack
from callbench.model.errors import BadInput, CallbenchError
from callbench.runner import environment, launch
from callbench.runner.peer import kept
from callbench.runner.peer.asked import PEER, why_not
from callbench.runner.peer.live import Progress
from callbench.runner.peer.rounds import Pace, driven, ready
from callbench.runner.stopping import marking_the_end
from callbench.store.head import PEER as PEER_RECORD
from callbench.store.head import folder, head, now
from callbench.store.run import Run
from callbench.store.writer import RunWriter

_TRIES = 2
# What a peer's start and a server's take of a round, about.
_STARTS_S = 6.0


@dataclass(frozen=True)
class Wish:
    """What was asked for.

    Attributes:
        study: a name or a path.
        rounds: how often each cell is driven by both; None: 5, or 3 of a quick one.
        seconds: of each side in a round, once all clients have begun; None: 10, or 5.
        warm_up_s: of the peer in a round; None: 10, or 5.
        delay_us: how long each server waits in each call.
        seed: of the order; None: a fresh one, recorded.
        out: the folder; None: `runs/peer-STUDY-TIME`.
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
    out: Path | None = None


def is_study(target: str) -> bool:
    """Whether a target is a study: a file, or the name of one. Stacks and URLs have a slash, and no such ending."""
    return not given.is_given(target) and (target.endswith(".toml") or "/" not in target or target in names())


def begun(wish: Wish, known: Catalogue) -> Path:
    """Makes the folder, with what is to be driven in it. Returns its path.

    Raises:
        BadInput: something asked for is wrong, or there is nothing that both can drive.
        CallbenchError: the peer is not set up, or the folder cannot be made.
    """
    ready()
    selection = select.parse(wish.select)
    study = load(wish.study, wish.settings)
    known = given.added(known, study.part.servers, study.path)
    stacks = {stack.id: stack for stack in known.every}
    cells = selection.apply(study.cells(known.every, wish.quick), stacks)
    chosen, left_out = drivable(cells, stacks)
    if not chosen:
        why = "; ".join(f"{kept.named(whose)}: {why}" for why, whose in left_out.items())
        raise BadInput(f"{wish.study} has no cells that both can drive: {why or 'none was selected'}")
    out = folder(wish.out, f"peer-{study.name}")
    plan = {
        "cells": [{**asdict(cell), "groups": groups} for cell, groups in chosen],
        "left_out": [{"why": why, "cells": whose} for why, whose in left_out.items()],
    }
    files = {
        "study.toml": study.source,
        "plan.json": _json(plan),
        "environment.json": _json(environment.record(placement.placed())),
    }
    with RunWriter.create(out, _info(wish, study), files):
        return out


def drivable(
    cells: Sequence[Cell], stacks: Mapping[str, Stack]
) -> tuple[list[tuple[Cell, list[str]]], dict[str, list[str]]]:
    """The cells that both can drive, with the groups each stands for; and the others, by why not.

    How long a cell is driven is not the study's matter here, so cells that differ in nothing else are one.
    """
    chosen: dict[str, tuple[Cell, list[str]]] = {}
    left_out: dict[str, list[str]] = {}
    for cell in cells:
        why = why_not(cell, stacks[cell.stack])
        if why:
            left_out.setdefault(why, []).append(kept.name_of(cell.group, cell.stack, cell.load.clients))
            continue
        load = cell.load
        alike = [cell.stack, cell.call, cell.arguments, load.clients, load.think_ns, load.ramp_up_ns, cell.options]
        _, groups = chosen.setdefault(json.dumps(alike, sort_keys=True, default=str), (cell, []))
        groups.append(cell.group)
    return list(chosen.values()), left_out


def _info(wish: Wish, study: Study) -> dict[str, Any]:
    """run.json."""
    rounds, seconds, warm_up_s = (3, 5.0, 5.0) if wish.quick else (5, 10.0, 10.0)
    return {
        **head(PEER_RECORD, study.title),
        "study": study.name,
        "seed": secrets.randbits(32) if wish.seed is None else wish.seed,
        "quick": wish.quick,
        "blocks": wish.rounds or rounds,
        "select": list(wish.select),
        "settings": dict(wish.settings),
        "peer": PEER,
        "seconds": wish.seconds or seconds,
        "warm_up_s": warm_up_s if wish.warm_up_s is None else wish.warm_up_s,
        "delay_us": wish.delay_us,
    }


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False, default=str) + "\n").encode()


def to_resume(study: str, out: Path | None) -> Path:
    """The folder to go on with.

    Raises:
        BadInput: none is named, it is no such folder, or the study is another or has changed since.
    """
    path = launch.to_resume(out, study)
    run = kept.opened(path)
    if load(study, run.info["settings"]).source != (run.path / "study.toml").read_bytes():
        raise BadInput(f"{study} has changed since {path} was begun: begin anew with another --out")
    return path


def gone_on(path: Path, study: str, known: Catalogue, *, quiet: bool) -> Run:
    """Does what is left of a folder. Returns it, finished.

    Raises:
        Stopped: a person stopped it; what was driven is kept.
        CallbenchError: it cannot be written.
    """
    ready()
    with RunWriter(path) as run:
        loaded = load(study, run.info["settings"])
        known = given.added(known, loaded.part.servers, loaded.path)
        again = shlex.join(["callbench", "peer", study, "--out", str(path), "--resume"])
        kept_rounds = f"finished rounds are kept. Go on with: {again}"
        with marking_the_end(run, kept_rounds), Progress(run, quiet=quiet) as progress:
            _Rounds(run, known, progress).go()
    return run


class _Rounds:
    """The rounds of a study under way."""

    def __init__(self, run: RunWriter, known: Catalogue, progress: Progress) -> None:
        """Takes up where the journal ends."""
        self._run = run
        self._known = known
        self._progress = progress
        self._cells = kept.cells(run)
        self._done = {(line["round"], line["cell"]) for line in run.lines() if line["kind"] == "round"}
        self._failed = {line["cell"] for line in run.lines() if line["kind"] == "excluded"}
        self._pace = Pace(float(run.info["seconds"]), float(run.info["warm_up_s"]))

    def go(self) -> None:
        """Does every round that is not there yet: all cells in random order, then all again."""
        total = int(self._run.info["blocks"])
        left = [
            (number, cell) for number in range(total) for cell in self._order(number) if self._is_left(number, cell)
        ]
        self._progress.begins(len(left), sum(self._lasts_s(cell) for _, cell in left))
        for number, cell in left:
            if self._is_left(number, cell):
                self._drive(number, cell)

    def _order(self, number: int) -> list[Cell]:
        return self._dice(number).sample(self._cells, len(self._cells))

    def _dice(self, *of: object) -> random.Random:
        return random.Random(f"{self._run.info['seed']} {of}")  # noqa: S311 - an order to be repeated

    def _is_left(self, number: int, cell: Cell) -> bool:
        return cell.id not in self._failed and (number, cell.id) not in self._done

    def _lasts_s(self, cell: Cell) -> float:
        return 2 * self._pace.whole_s(cell) + self._pace.warm_up_s + _STARTS_S

    def _drive(self, number: int, cell: Cell) -> None:
        """Drives one round of one cell; one that fails twice is left out."""
        delay_us = int(self._run.info["delay_us"])
        why = ""
        for attempt in range(_TRIES):
            self._progress.drives(number, cell)
            try:
                dice = self._dice(number, cell.id, attempt)
                stack = self._known.stack(cell.stack)
                options = {"delay_us": delay_us} if delay_us else {}
                found = driven(self._known, stack, cell, self._pace, dice, options)
            except CallbenchError as failure:
                why = str(failure)
                continue
            self._run.append({"kind": "round", "round": number, "cell": cell.id, "ended": now(), **asdict(found)})
            self._progress.driven(number, cell, found)
            return
        self._run.append({"kind": "excluded", "round": number, "cell": cell.id, "why": f"failed twice: {why}"})
        self._failed.add(cell.id)
        self._progress.failed(cell, why)
