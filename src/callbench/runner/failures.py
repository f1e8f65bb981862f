"""What becomes of a stack or a cell that fails: tried again, then left out, and always written down."""

from collections import Counter
from typing import Any

from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell
from callbench.model.errors import AdapterFailure
from callbench.runner.context import Context
from callbench.runner.unit import Unit, Wanted

# Who is killed once was killed by somebody; who dies twice at the same place dies of it.
_TRIES = 2
# Where a study asks for it: who dies now and then may live through one of so many.
_TRIES_RESTARTED = 6


class Failures:
    """Counts failures over all forks of a run."""

    def __init__(self, of: Context) -> None:
        """Nothing has failed yet, but for what the journal has left out."""
        self._of = of
        self._starts: Counter[str] = Counter()
        self._cells: Counter[str] = Counter()

    def allows(self, cell: Cell) -> bool:
        """Whether a cell may still be measured."""
        return cell.id not in self._of.past.cells and cell.stack not in self._of.past.stacks

    def may_start_again(self, wanted: Wanted, fork: int, failure: AdapterFailure) -> bool:
        """A start failed. Gives whether to try again; else what it was for is left out."""
        self._starts[wanted.name] += 1
        if self._starts[wanted.name] < _TRIES and failure.kind in ("died", "silent"):
            self._of.note(f"{wanted.stack.id} is started again: {failure}")
            return True
        self._out(wanted, fork, f"cannot be started: {failure}")
        return False

    def wrong(self, wanted: Wanted, fork: int, why: str) -> None:
        """A stack answered wrongly: nothing of it is timed."""
        self.exclude(wanted.stack.id, fork, why)

    def link(self, wanted: Wanted, fork: int, why: str) -> None:
        """A link cannot be made."""
        self._out(wanted, fork, f"the link {wanted.link} cannot be had: {why}")

    def cannot(self, unit: Unit, fork: int) -> None:
        """Leaves out what a stack said it cannot carry."""
        opened = unit.opened
        for cell in unit.wanted.cells:
            if cell.id in opened.cannot and self.allows(cell):
                failed = cell.id not in opened.lacks
                self.exclude(cell.stack, fork, opened.cannot[cell.id], cell.id, failed=failed)

    def slice(self, unit: Unit, cell: Cell, fork: int, failure: AdapterFailure) -> None:
        """A slice, or a whole trial, failed: the cell is tried again, and then left out."""
        self._cells[cell.id] += 1
        died = failure.ending is not None
        tries = _TRIES_RESTARTED if died and cell.restart else _TRIES
        again = self._cells[cell.id] < tries
        if died:
            of = {"trial": self._of.plan.number(fork, cell), "cell": cell.id, "answered": failure.answered}
            since = unit.opened.sides.client.answered
            how = {"how": failure.ending, "since_start": since, "again": again, "why": str(failure)}
            self._of.write({"kind": "death", "block": fork, "visit": None, "stack": cell.stack, **of, **how})
        if again:
            self._of.note(f"{cell.stack}, {cell.call}, is tried again in fork {fork}: {failure}")
        else:
            self.exclude(cell.stack, fork, f"failed {self._cells[cell.id]} times: {failure}", cell.id)

    def exclude(self, stack: str, fork: int, why: str, cell: str | None = None, *, failed: bool = True) -> None:
        """Leaves out a stack, or one cell of it, and says so."""
        self.note_excluded(stack, fork, why, cell, failed=failed)
        self._of.progress.excluded([stack], why)

    def note_excluded(self, stack: str, fork: int, why: str, cell: str | None = None, *, failed: bool) -> None:
        """Keeps what is left out; `failed`: because it went wrong, not because it cannot be had here by its nature."""
        line: dict[str, Any] = {"kind": "excluded", "stack": stack, "block": fork, "cell": cell, "why": why}
        self._of.write(line | {"failed": failed})

    def _out(self, wanted: Wanted, fork: int, why: str) -> None:
        """Leaves out what a start was for; over a link only its cells: the stack may do over another."""
        if wanted.link == LOOPBACK:
            self.exclude(wanted.stack.id, fork, why)
            return
        for cell in wanted.cells:
            if self.allows(cell):
                self.exclude(cell.stack, fork, f"over {wanted.link}: {why}", cell.id)
