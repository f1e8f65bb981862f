"""What the journal of a run already contains, so that the run resumes after its last finished round."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from callbench.model.errors import BadInput


@dataclass
class ResumeState:
    """The finished parts of a run.

    Attributes:
        forks: the line of each fork that was begun.
        over: the complete forks.
        batches: by fork and batch, the units of each batch that was begun.
        rounds: by fork and batch, the number of complete rounds.
        ended: the batches, by fork, with all rounds and searches done.
        whole: by fork, the finished cells that are driven in one piece.
        cells: cells that are excluded on their own.
        stacks: stacks that are excluded.
    """

    forks: dict[int, dict[str, Any]] = field(default_factory=dict)
    over: set[int] = field(default_factory=set)
    batches: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    rounds: dict[tuple[int, int], int] = field(default_factory=dict)
    ended: set[tuple[int, int]] = field(default_factory=set)
    whole: dict[int, set[str]] = field(default_factory=dict)
    cells: set[str] = field(default_factory=set)
    stacks: set[str] = field(default_factory=set)
    codecs: set[tuple[str, str]] = field(default_factory=set)
    accounts: set[str] = field(default_factory=set)
    slowed: set[str] = field(default_factory=set)
    fork_seconds: float = 0.0

    def add_line(self, line: Mapping[str, Any]) -> None:
        """Add a line of the journal."""
        match line["kind"]:
            case "fork":
                self.forks[int(line["fork"])] = dict(line)
            case "fork over":
                self.over.add(int(line["fork"]))
                self.fork_seconds += float(line["seconds"])
            case "batch":
                self.batches[int(line["fork"]), int(line["batch"])] = list(line["units"])
            case "batch over":
                self.ended.add((int(line["fork"]), int(line["batch"])))
            case "round":
                self._round(line)
            case _:
                self._other_line(line)

    def _round(self, line: Mapping[str, Any]) -> None:
        fork = int(line["fork"])
        if line.get("whole"):
            self.whole.setdefault(fork, set()).update(str(one["cell"]) for one in line["slices"])
            return
        place = fork, int(line["batch"])
        self.rounds[place] = max(self.rounds.get(place, 0), int(line["round"]) + 1)

    def _other_line(self, line: Mapping[str, Any]) -> None:
        match line["kind"]:
            case "excluded" if line["cell"] is None:
                self.stacks.add(str(line["stack"]))
            case "excluded":
                self.cells.add(str(line["cell"]))
            case "ledger" | "sweep":
                self.accounts.add(str(line["cell"]))
            case "codec":
                self.codecs.add((str(line["stack"]), str(line["group"])))
            case "slowdown":
                self.slowed.add(str(line["cell"]))
            case _:
                pass


def read_resume_state(lines: Iterable[Mapping[str, Any]]) -> ResumeState:
    """Return the state that the lines of a journal describe.

    Raises:
        BadInput: a line is damaged.
    """
    found = ResumeState()
    for line in lines:
        try:
            found.add_line(line)
        except (KeyError, ValueError, TypeError) as failure:
            raise BadInput(f"the run's journal is damaged: a line of kind {line['kind']} has no {failure}") from failure
    return found
