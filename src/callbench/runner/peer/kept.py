"""The folder of a study that a peer drove as well: what was to be driven, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from callbench.analysis.words import some
from callbench.model.cell import Cell, Load
from callbench.model.errors import BadInput
from callbench.runner.peer.agreement import Agreement, Round, Side, agreement
from callbench.runner.peer.asked import PEER
from callbench.stats.decision import Outcome, together
from callbench.store.head import PEER as PEER_RECORD
from callbench.store.run import Run, kind_of


@dataclass(frozen=True)
class Held:
    """A cell and what both sides said of it.

    Attributes:
        groups: those of the study that it stands for.
        agreement: None where no round of it was finished.
        failed: why it was left out on the way, or None.
    """

    cell: Cell
    groups: tuple[str, ...]
    rounds: tuple[Round, ...]
    agreement: Agreement | None
    failed: str | None


@dataclass(frozen=True)
class Found:
    """All of a folder.

    Attributes:
        left_out: why cells cannot be driven by both, with their names.
    """

    run: Run
    held: tuple[Held, ...]
    left_out: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def outcome(self) -> Outcome:
        """What follows of all: failed where a cell differs or could not be driven, undecided where rounds scatter."""
        return together(
            one.agreement.outcome if one.agreement and not one.failed else Outcome.FAILED for one in self.held
        )


def is_kept(path: Path) -> bool:
    """Whether a path is such a folder."""
    return kind_of(path) == PEER_RECORD


def opened(path: Path) -> Run:
    """Opens such a folder.

    Raises:
        BadInput: it is something else.
    """
    run = Run(path)
    if run.kind != PEER_RECORD:
        raise BadInput(f"{path} is no folder of `callbench peer`: run.json says {run.kind}")
    return run


def cells(run: Run) -> list[Cell]:
    """The cells that are to be driven.

    Raises:
        BadInput: plan.json is damaged.
    """
    return [cell for cell, _ in _planned(run)]


def read(run: Run) -> Found:
    """Reckons what finished rounds come to.

    Raises:
        BadInput: the folder is damaged.
    """
    lines = list(run.lines())
    try:
        rounds = [(line["cell"], _round(line)) for line in lines if line["kind"] == "round"]
        failed = {line["cell"]: str(line["why"]) for line in lines if line["kind"] == "excluded"}
    except (KeyError, TypeError) as failure:
        raise BadInput(
            f"{run.path} is damaged: a round in journal.jsonl is not of the form it had: {failure}"
        ) from None
    held = []
    for cell, groups in _planned(run):
        mine = tuple(one for id_, one in rounds if id_ == cell.id)
        judged = agreement(mine, PEER, thinks=cell.load.think_ns > 0) if mine else None
        held.append(Held(cell, groups, mine, judged, failed.get(cell.id)))
    left_out = tuple((str(one["why"]), tuple(one["cells"])) for one in run.plan().get("left_out", ()))
    return Found(run, tuple(held), left_out)


def _planned(run: Run) -> list[tuple[Cell, tuple[str, ...]]]:
    found = []
    try:
        for each in run.plan()["cells"]:
            members: dict[str, Any] = dict(each)
            groups = tuple(members.pop("groups"))
            found.append((Cell(**{**members, "load": Load(**members["load"])}), groups))
    except (KeyError, TypeError) as failure:
        raise BadInput(f"{run.path / 'plan.json'} is damaged: a cell is not of the form it had: {failure}") from None
    return found


def _round(line: dict[str, Any]) -> Round:
    # Rounds of before had no word of how steady they were.
    return Round(Side(**line["ours"]), Side(**line["peers"]), str(line.get("unsteady", "")))


def name_of(group: str, stack: str, clients: int) -> str:
    """A cell's name, for sentences."""
    return f"{group} {stack} at {clients} client{'' if clients == 1 else 's'}"


def named(whose: Sequence[str]) -> str:
    """Some cells' names, for sentences."""
    return some(whose, 2)
