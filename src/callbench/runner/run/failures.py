"""How failures of stacks and cells are handled: try again, then exclude, and always write it down."""

from collections import Counter

from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell
from callbench.model.errors import AdapterFailure
from callbench.runner.drive.unit import Unit, UnitRequest
from callbench.runner.run.context import Context
from callbench.store.lines.forks import ExcludedLine
from callbench.store.lines.starts import DiedLine

# A process that is killed once may be killed from outside. If it dies twice at the same place, the cause is there.
_TRIES = 2
# Studies can ask for restarts: a server that dies sometimes may survive one of so many tries.
_RESTART_TRIES = 6


class Failures:
    """Counts the failures of a run, over all forks."""

    def __init__(self, context: Context) -> None:
        """Start without failures, except for the exclusions in the journal."""
        self._context = context
        self._starts: Counter[str] = Counter()
        self._cells: Counter[str] = Counter()

    def allows(self, cell: Cell) -> bool:
        """Return whether a cell may still be measured."""
        return cell.id not in self._context.resume_state.cells and cell.stack not in self._context.resume_state.stacks

    def should_restart(self, request: UnitRequest, fork: int, failure: AdapterFailure) -> bool:
        """Count a failed start. Return whether to try again; otherwise its cells are excluded."""
        self._starts[request.name] += 1
        if self._starts[request.name] < _TRIES and failure.kind in ("died", "silent"):
            self._context.note(f"{request.stack.id} is restarted: {failure}")
            return True
        self._exclude_start(request, fork, f"cannot be started: {failure}")
        return False

    def exclude_wrong_answer(self, request: UnitRequest, fork: int, why: str) -> None:
        """Exclude a stack that answered wrongly: nothing of it is timed."""
        self.exclude(request.stack.id, fork, why)

    def exclude_unsupported(self, unit: Unit, fork: int) -> None:
        """Exclude the cells whose call the stack does not support."""
        running = unit.running
        for cell in unit.request.cells:
            if cell.id in running.unsupported and self.allows(cell):
                failed = cell.id not in running.lacks
                self.exclude(cell.stack, fork, running.unsupported[cell.id], cell.id, failed=failed)

    def slice(self, unit: Unit, cell: Cell, fork: int, failure: AdapterFailure) -> None:
        """Count a failed slice or trial. The cell is tried again, and excluded after too many failures."""
        self._cells[cell.id] += 1
        died = failure.ending is not None
        # Figures that cannot be true are no chance event, and a second drive makes the first no truer.
        untrue = failure.kind == "untrue"
        tries = 1 if untrue else _RESTART_TRIES if died and cell.restart else _TRIES
        again = self._cells[cell.id] < tries
        if died:
            self._context.write(
                DiedLine(
                    kind="death",
                    fork=fork,
                    start=None,
                    stack=cell.stack,
                    trial=self._context.plan.number(fork, cell),
                    cell=cell.id,
                    answered=failure.answered,
                    how=failure.ending,
                    since_start=unit.running.sides.client.answered,
                    again=again,
                    why=str(failure),
                )
            )
        if again:
            self._context.note(f"{cell.stack}, {cell.call}, is tried again in fork {fork}: {failure}")
        else:
            why = str(failure) if untrue else f"failed {self._cells[cell.id]} times: {failure}"
            self.exclude(cell.stack, fork, why, cell.id)

    def exclude(self, stack: str, fork: int, why: str, cell: str | None = None, *, failed: bool = True) -> None:
        """Exclude a stack, or one cell of it, and show it."""
        self.note_excluded(stack, fork, why, cell, failed=failed)
        self._context.progress.show_excluded([stack], why)

    def note_excluded(self, stack: str, fork: int, why: str, cell: str | None = None, *, failed: bool) -> None:
        """Write an exclusion. `failed` says whether something went wrong; otherwise it is impossible by its nature."""
        self._context.write(ExcludedLine(kind="excluded", stack=stack, fork=fork, cell=cell, why=why, failed=failed))

    def _exclude_start(self, request: UnitRequest, fork: int, why: str) -> None:
        """Exclude what a start was for. On a link, exclude only its cells: the stack may work on another link."""
        if request.link == LOOPBACK:
            self.exclude(request.stack.id, fork, why)
            return
        for cell in request.cells:
            if self.allows(cell):
                self.exclude(cell.stack, fork, f"over {request.link}: {why}", cell.id)
