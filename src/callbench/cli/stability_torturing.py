"""A torture from what was asked to what is told."""

from dataclasses import asdict, replace
from pathlib import Path

from callbench.adapter.placement import Placement
from callbench.adapter.stack.target import Aim, Target, reached
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.reach import LOOPBACK
from callbench.cli import resuming
from callbench.report.stability import torture_told
from callbench.report.stability.told import Told
from callbench.runner.stability import mischief, overheard, record
from callbench.runner.stability.live import Line
from callbench.runner.stability.mischief import Known
from callbench.runner.stability.torture import Torture, Wish
from callbench.runner.stopping import marking_the_end
from callbench.store.run import Run


def tortured(  # noqa: PLR0913 - what is asked, and where
    aim: Aim, wish: Wish, known: Catalogue, where: Placement, out: Path | None, *, resume: bool, quiet: bool
) -> Told:
    """Torture a server, or go on with that, and tell what came of it.

    Raises:
        BadInput: what was asked for is wrong, or the folder is another's.
        CallbenchError: the server cannot be started, or the folder cannot be written.
    """
    mischief.chosen(wish.tests)
    asked = {**asdict(aim), **asdict(wish)}
    with reached(aim, known, where) as target:
        # Where there is no address, nothing can be done, and no folder is made.
        overheard.address(target.endpoint)
        request = _overheard(target, known, where)
        with (
            record.taken_up("torture", aim.name, asked, out, where, resume=resume) as run,
            Line(quiet=quiet) as line,
        ):
            work = Torture(run, target, wish, request, () if where.shared else where.client, line.says)
            kept = f"what was seen is kept in {run.path}: `{resuming.command(run.path)}` goes on with it"
            with marking_the_end(run, kept):
                work.go()
    return torture_told.told(Run(run.path))


def _overheard(target: Target, known: Catalogue, where: Placement) -> Known:
    """What a request looks like: over a link as over loopback, where alone there is somebody in between to listen."""
    if target.aim.link == LOOPBACK:
        return overheard.known_of(target)
    with Target(replace(target.aim, link=LOOPBACK), known, where) as near:
        return overheard.known_of(near)
