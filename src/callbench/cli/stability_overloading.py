"""An overload from what was asked to what is told."""

from dataclasses import asdict
from pathlib import Path

from callbench.adapter.placement import Placement
from callbench.adapter.stack.target import Aim, reached
from callbench.catalog.catalogue import Catalogue
from callbench.cli import resuming
from callbench.model import objective
from callbench.model.errors import BadInput
from callbench.report.stability import overload_told
from callbench.report.stability.told import Told
from callbench.runner.stability import record
from callbench.runner.stability.live import Line
from callbench.runner.stability.overload import Overload, Wish
from callbench.runner.stopping import marking_the_end
from callbench.store.run import Run


def overloaded(  # noqa: PLR0913 - what is asked, and where
    aim: Aim, wish: Wish, known: Catalogue, where: Placement, out: Path | None, *, resume: bool, quiet: bool
) -> Told:
    """Overload a server, or go on with that, and tell what came of it.

    Raises:
        BadInput: what was asked for is wrong, or the folder is another's.
        CallbenchError: the server cannot be started, or holds nothing; the folder cannot be written.
    """
    try:
        objective.parse(wish.objective)
    except ValueError as failure:
        raise BadInput(f"--objective {failure}") from None
    asked = {**asdict(aim), **asdict(wish)}
    with reached(aim, known, where) as target:
        # Who cannot leaves no folder.
        target.must("open", "an overload needs a client with an open loop")
        with (
            record.taken_up("overload", aim.name, asked, out, where, resume=resume) as run,
            Line(quiet=quiet) as line,
        ):
            work = Overload(run, target, wish, run.path / "schedules", line.says)
            kept = f"what was seen is kept in {run.path}: `{resuming.command(run.path)}` goes on with it"
            with marking_the_end(run, kept):
                work.go()
    return overload_told.told(Run(run.path))
