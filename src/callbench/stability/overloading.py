"""An overload from what was asked to what is told."""

import tempfile
from dataclasses import asdict
from pathlib import Path

from callbench import objective
from callbench.catalogue import Catalogue
from callbench.errors import BadInput
from callbench.placement import Placement
from callbench.stability import overload_told, record
from callbench.stability.live import Line
from callbench.stability.overload import Overload, Wish
from callbench.stability.target import Aim, Target
from callbench.stability.told import Told
from callbench.store import Run


def overloaded(  # noqa: PLR0913 - what is asked, and where
    aim: Aim, wish: Wish, known: Catalogue, where: Placement, out: Path | None, *, quiet: bool
) -> Told:
    """Overload a server, and tell what came of it.

    Raises:
        BadInput: what was asked for is wrong.
        CallbenchError: the server cannot be started, or holds nothing; the folder cannot be written.
    """
    try:
        objective.parse(wish.objective)
    except ValueError as failure:
        raise BadInput(f"--objective {failure}") from None
    asked = {**asdict(aim), **asdict(wish), "factors": list(wish.factors)}
    with (
        Target(aim, known, where) as target,
        tempfile.TemporaryDirectory(prefix="callbench-overload-") as folder,
        record.made("overload", aim.name, asked, out, where) as run,
        Line(quiet=quiet) as line,
    ):
        work = Overload(run, target, wish, Path(folder), line.says)
        record.carried_out(run, work.go, f"callbench report {run.path} shows it")
    return overload_told.told(Run(run.path))
