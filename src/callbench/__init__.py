"""Measures remote calls: message formats over channels, with a verdict and how sure it is."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

    from callbench.report.python_api.opened import Opened

__all__ = ["open"]


def open(path: "str | PathLike[str]") -> "Opened":  # noqa: A001 - callbench.open(RUN), as docs/guide/python-api.md has it
    """Open a stored result: its tables as pandas or Polars, its charts as Altair objects, itself as plain values.

    Args:
        path: the folder of a record, or the file of an advice.

    Raises:
        callbench.model.errors.BadInput: it is none, or damaged.
    """
    from pathlib import Path  # noqa: PLC0415 - the program starts without it

    from callbench.report.python_api.opened import Opened  # noqa: PLC0415 - likewise

    return Opened(Path(path))
