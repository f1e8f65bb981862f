"""Whatever was kept, shown again and written as a report: a run, a comparison, a load, a soak and its like."""

import json
from pathlib import Path
from typing import Any

from rich.console import Console

from callbench.analysis.compare import comparison
from callbench.analysis.compare.comparison import Comparison
from callbench.analysis.subject import subject
from callbench.model.errors import BadInput
from callbench.report import export
from callbench.report import peer as peer_told
from callbench.report.compare import show as comparisons
from callbench.report.export.file import written
from callbench.report.export.show import shown
from callbench.report.load import page
from callbench.report.stability import kinds, told
from callbench.report.stability.told import Told
from callbench.report.terminal import print_cells
from callbench.runner.load import kept
from callbench.runner.peer import kept as peers
from callbench.runner.stability import record
from callbench.store.run import Run, kind_of


def show(path: Path, console: Console) -> None:
    """Print a record.

    Raises:
        BadInput: it is none, or damaged; the sentence says what it is.
    """
    one = _told(path)
    if one is not None:
        told.show(one, console)
        return
    match Run(path).kind:
        case "comparison":
            comparisons.print_comparison(comparison.read(Run(path)), console)
        case "peer":
            peer_told.show_study(peers.read(Run(path)), console)
        case _:
            print_cells(subject(Run(path)), console)


def as_record(path: Path) -> Any:  # noqa: ANN401 - JSON
    """Give a record for programs.

    Raises:
        BadInput: as `show`.
    """
    one = _told(path)
    if one is not None:
        return json.loads(told.as_json(one))
    match Run(path).kind:
        case "comparison":
            return comparisons.record(comparison.read(Run(path)))
        case "peer":
            return peer_told.study_record(peers.read(Run(path)))
        case _:
            return shown(subject(Run(path)))


def write(path: Path, form: str, out: Path | None) -> Path:
    """Write a record's report. Returns its file.

    Raises:
        BadInput: as `show`; there is no such format.
        CallbenchError: the file cannot be written.
    """
    one = _told(path)
    if one is not None:
        return page.write(one, form, out) if path.is_file() else told.write(one, form, out)
    match Run(path).kind:
        case "comparison":
            return written(comparison.read(Run(path)), _COMPARISON, path, form, out)
        case "peer":
            raise BadInput(f"{path} is a study driven by a peer. It has no report: `callbench show {path}` prints it")
        case _:
            return export.write(subject(Run(path)), form, out)


def _told(path: Path) -> Told | None:
    """Tell a record of a load or of stability; None of another."""
    if path.is_file():
        return page.told(kept.read(path))
    return kinds.told_of(path) if kind_of(path) in record.KINDS else None


def _json(found: Comparison) -> str:
    return json.dumps(comparisons.record(found), indent=1, ensure_ascii=False) + "\n"


_COMPARISON = {"md": comparisons.markdown, "json": _json}
