"""Which of the three kinds of record is told how."""

from collections.abc import Callable, Mapping
from pathlib import Path

from callbench.stability import overload_told, record, soak_told, torture_told
from callbench.stability.told import Told
from callbench.store import Run

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
    return TELLERS[str(run.info["kind"])](run)
