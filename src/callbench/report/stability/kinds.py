"""Which of the three kinds of record is told how."""

from collections.abc import Callable, Mapping
from pathlib import Path

from callbench.report.stability import overload_told, soak_told, torture_told
from callbench.report.stability.told import Told
from callbench.runner.stability import record
from callbench.store.run import Run

TELLERS: Mapping[str, Callable[[Run], Told]] = {
    "soak": soak_told.told,
    "overload": overload_told.told,
    "torture": torture_told.told,
}


def told_of(path: Path) -> Told:
    """Tell a record.

    Raises:
        BadInput: the folder is something else, or damaged.
    """
    run = record.opened(path)
    return TELLERS[run.kind](run)
