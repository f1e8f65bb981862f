"""The record of a study that a peer drove too: its plan and its results."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from callbench.analysis.peer.agreement import PEER, Agreement, GeneratorRound, Round, compute_agreement
from callbench.analysis.wording.words import some
from callbench.model.cell import Cell, Load
from callbench.model.errors import BadInput
from callbench.stats.decide.decision import Outcome, together
from callbench.store.head import PEER as PEER_RECORD
from callbench.store.lines.peer import PEER_LINES, PeerRoundLine
from callbench.store.record import Record, kind_of


@dataclass(frozen=True)
class CellAgreement:
    """A cell and the results of both generators.

    Attributes:
        groups: the groups of the study that the cell represents.
        agreement: None if no round of the cell was finished.
        failed: why the cell was excluded later, or None.
    """

    cell: Cell
    groups: tuple[str, ...]
    rounds: tuple[Round, ...]
    agreement: Agreement | None
    failed: str | None


@dataclass(frozen=True)
class PeerResult:
    """All results of a record.

    Attributes:
        left_out: why both cannot drive some cells, with the names of the cells.
    """

    run: Record
    cells: tuple[CellAgreement, ...]
    left_out: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def outcome(self) -> Outcome:
        """The outcome of all cells: failed if one differs or could not be driven, undecided if rounds scatter."""
        return together(
            cell.agreement.outcome if cell.agreement and not cell.failed else Outcome.FAILED for cell in self.cells
        )


def is_peer_record(path: Path) -> bool:
    """Return whether a path is such a record."""
    return kind_of(path) == PEER_RECORD


def open_record(path: Path) -> Record:
    """Open such a record.

    Raises:
        BadInput: it is something else.
    """
    run = Record(path)
    if run.kind != PEER_RECORD:
        raise BadInput(f"{path} is not a record of `callbench peer`: record.json says {run.kind}")
    return run


def planned_cells(run: Record) -> list[Cell]:
    """Return the cells to drive.

    Raises:
        BadInput: plan.json is damaged.
    """
    return [cell for cell, _ in _planned(run)]


def read_result(run: Record) -> PeerResult:
    """Compute the results of the finished rounds.

    Raises:
        BadInput: the folder is damaged.
    """
    lines = list(PEER_LINES.read(run.lines(), run.journal_file))
    rounds = [(line["cell"], _round_of_line(line)) for line in lines if line["kind"] == "round"]
    failed = {line["cell"]: line["why"] for line in lines if line["kind"] == "excluded"}
    cells = []
    for cell, groups in _planned(run):
        own_rounds = tuple(driven for id_, driven in rounds if id_ == cell.id)
        judged = compute_agreement(own_rounds, PEER, think_time=cell.load.think_ns > 0) if own_rounds else None
        cells.append(CellAgreement(cell, groups, own_rounds, judged, failed.get(cell.id)))
    left_out = tuple((str(entry["why"]), tuple(entry["cells"])) for entry in run.plan().get("left_out", ()))
    return PeerResult(run, tuple(cells), left_out)


def _planned(run: Record) -> list[tuple[Cell, tuple[str, ...]]]:
    planned = []
    try:
        for each in run.plan()["cells"]:
            members: dict[str, Any] = dict(each)
            groups = tuple(members.pop("groups"))
            planned.append((Cell(**{**members, "load": Load(**members["load"])}), groups))
    except (KeyError, TypeError) as failure:
        raise BadInput(f"{run.path / 'plan.json'} is damaged: a cell has the wrong form: {failure}") from None
    return planned


def _round_of_line(line: PeerRoundLine) -> Round:
    return Round(GeneratorRound(**line["ours"]), GeneratorRound(**line["peers"]), line["unsteady"])


def cell_name(group: str, stack: str, clients: int) -> str:
    """Return a cell's name for sentences."""
    return f"{group} {stack} at {clients} client{'' if clients == 1 else 's'}"


def join_names(cell_names: Sequence[str]) -> str:
    """Join cell names for sentences."""
    return some(cell_names, 2)
