"""What the journal of a run already contains, so that the run resumes after its last finished round."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from callbench.store.lines.forks import ForkLine, ForkOverLine
from callbench.store.lines.rounds import RoundLine
from callbench.store.lines.run import RUN_LINES, RunLine


@dataclass
class ResumeState:
    """The finished parts of a run.

    Attributes:
        forks: the line of each fork that was begun.
        over: the line of each complete fork.
        batches: by fork and batch, the units of each batch that was begun.
        rounds: by fork and batch, the number of complete rounds.
        ended: the batches, by fork, with all rounds and searches done.
        whole: by fork, the finished cells that are driven in one piece.
        cells: cells that are excluded on their own.
        stacks: stacks that are excluded.
    """

    forks: dict[int, ForkLine] = field(default_factory=dict)
    over: dict[int, ForkOverLine] = field(default_factory=dict)
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

    def add_line(self, line: RunLine) -> None:
        """Add a line of the journal."""
        if line["kind"] == "fork":
            self.forks[line["fork"]] = line
        elif line["kind"] == "fork over":
            self.over[line["fork"]] = line
            self.fork_seconds += line["seconds"]
        elif line["kind"] == "batch":
            self.batches[line["fork"], line["batch"]] = list(line["units"])
        elif line["kind"] == "batch over":
            self.ended.add((line["fork"], line["batch"]))
        elif line["kind"] == "round":
            self._round(line)
        else:
            self._other_line(line)

    def _round(self, line: RoundLine) -> None:
        fork, batch = line["fork"], line["batch"]
        if batch is None:
            self.whole.setdefault(fork, set()).update(driven["cell"] for driven in line["slices"])
        else:
            self.rounds[fork, batch] = max(self.rounds.get((fork, batch), 0), line["round"] + 1)

    def _other_line(self, line: RunLine) -> None:
        if line["kind"] == "excluded":
            if line["cell"] is None:
                self.stacks.add(line["stack"])
            else:
                self.cells.add(line["cell"])
        elif line["kind"] == "ledger" or line["kind"] == "sweep":
            self.accounts.add(line["cell"])
        elif line["kind"] == "codec":
            self.codecs.add((line["stack"], line["group"]))
        elif line["kind"] == "slowdown":
            self.slowed.add(line["cell"])


def read_resume_state(lines: Iterable[Mapping[str, object]]) -> ResumeState:
    """Return the state that the lines of a journal describe.

    Raises:
        BadInput: a line has not the form of its kind.
    """
    state = ResumeState()
    for line in RUN_LINES.read(lines):
        state.add_line(line)
    return state
