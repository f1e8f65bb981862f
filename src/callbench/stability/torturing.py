"""A torture from what was asked to what is told."""

from dataclasses import asdict
from pathlib import Path

from callbench.catalogue import Catalogue
from callbench.placement import Placement
from callbench.stability import mischief, overheard, record, torture_told
from callbench.stability.live import Line
from callbench.stability.target import Aim, Target
from callbench.stability.told import Told
from callbench.stability.torture import Torture, Wish
from callbench.store import Run


def tortured(  # noqa: PLR0913 - what is asked, and where
    aim: Aim, wish: Wish, known: Catalogue, where: Placement, out: Path | None, *, quiet: bool
) -> Told:
    """Torture a server, and tell what came of it.

    Raises:
        BadInput: what was asked for is wrong.
        CallbenchError: the server cannot be started, or the folder cannot be written.
    """
    mischief.chosen(wish.tests)
    asked = {**asdict(aim), **asdict(wish), "tests": list(wish.tests)}
    with Target(aim, known, where) as target:
        overheard.address(target.endpoint)
        with record.made("torture", aim.name, asked, out, where) as run, Line(quiet=quiet) as line:
            processors = () if where.shared else where.client
            work = Torture(run, target, wish, processors, line.says)
            record.carried_out(run, work.go, f"callbench report {run.path} shows it")
    return torture_told.told(Run(run.path))
