"""A soak from what was asked to what is told: its folder, its target, its end."""

from dataclasses import asdict
from pathlib import Path

from callbench.adapter.placement import Placement
from callbench.adapter.stack.target import Aim, reached
from callbench.catalog.catalogue import Catalogue
from callbench.cli import resuming
from callbench.report.stability import soak_told
from callbench.report.stability.told import Told
from callbench.runner.stability import record
from callbench.runner.stability.live import Line
from callbench.runner.stability.soak import Soak, Wish
from callbench.runner.stopping import marking_the_end
from callbench.store.run import Run


def soaked(  # noqa: PLR0913 - what is asked, and where
    aim: Aim, wish: Wish, known: Catalogue, where: Placement, out: Path | None, *, resume: bool, quiet: bool
) -> Told:
    """Soak a server, or go on with it, and tell what came of it.

    Raises:
        BadInput: what was asked for is wrong, or the folder is another's.
        CallbenchError: the server cannot be started, or the folder cannot be written.
    """
    asked = {**asdict(aim), **asdict(wish)}
    # Who is not there, or cannot, leaves no folder.
    with reached(aim, known, where) as target:
        if wish.think_ms:
            target.must("think", "--think asks for a client with think time")
        with (
            record.taken_up("soak", aim.name, asked, out, where, resume=resume) as run,
            Line(quiet=quiet) as line,
        ):
            kept = f"what was seen is kept in {run.path}: `{resuming.command(run.path)}` goes on with it"
            with marking_the_end(run, kept):
                Soak(run, target, wish, line.tells).go()
    return soak_told.told(Run(run.path))
