"""A soak from what was asked to what is told: its folder, its target, its end."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from callbench.catalogue import Catalogue
from callbench.errors import BadInput
from callbench.placement import Placement
from callbench.run_writer import RunWriter
from callbench.stability import record, soak_told
from callbench.stability.live import Line
from callbench.stability.soak import Soak, Wish
from callbench.stability.target import Aim, Target
from callbench.stability.told import Told
from callbench.store import Run

_KIND = "soak"


def soaked(  # noqa: PLR0913 - what is asked, and where
    aim: Aim, wish: Wish, known: Catalogue, where: Placement, out: Path | None, *, resume: bool, quiet: bool
) -> Told:
    """Soak a server, or go on with it, and tell what came of it.

    Raises:
        BadInput: what was asked for is wrong, or the folder is another's.
        CallbenchError: the server cannot be started, or the folder cannot be written.
    """
    asked = _asked(aim, wish)
    with (
        # Who is not there leaves no folder.
        Target(aim, known, where) as target,
        _folder(asked, aim, out, where, resume=resume) as run,
        Line(quiet=quiet) as line,
    ):
        again = f"callbench soak {aim.name} ... --resume --out {run.path} goes on with it"
        record.carried_out(run, Soak(run, target, wish, line.tells).go, again)
    return soak_told.told(Run(run.path))


def _asked(aim: Aim, wish: Wish) -> dict[str, Any]:
    return {**asdict(aim), **asdict(wish), "clients": list(wish.clients)}


def _folder(asked: Mapping[str, Any], aim: Aim, out: Path | None, where: Placement, *, resume: bool) -> RunWriter:
    if not resume:
        return record.made(_KIND, aim.name, asked, out, where)
    if out is None:
        raise BadInput("--resume needs --out: the folder of the soak to go on with")
    before = record.opened(out, _KIND).info[_KIND]
    other = sorted(key for key in asked if before.get(key) != asked[key])
    if other:
        raise BadInput(
            f"{out} is another soak: its {', '.join(other)} differ; give the options that it was begun with,"
            f" as {out / 'run.json'} has them"
        )
    return RunWriter(out)
