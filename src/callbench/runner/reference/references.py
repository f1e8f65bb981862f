"""The reference stacks that every batch drives, so that values of different batches can be compared.

Their cards say so, and what they call. One waits for the kernel as most calls do, the other only computes. Different
batches of a fork run at different moments. The reference stacks show how much the machine changed between them, and
their spread is part of every value that is compared across batches.
"""

from callbench.catalog.catalogue import Catalogue
from callbench.model.cell import CALLS_PER_SLICE, REFERENCE, Cell, Load
from callbench.runner.drive.slices import SLICE_SECONDS, Length
from callbench.runner.drive.tasks import SlicePlan, Task
from callbench.runner.measure.trial import journal_form
from callbench.store.lines.rounds import ReferenceRecord, SliceSeen


class Reference(Task):
    """The task of a reference stack."""

    def __init__(self, cell: Cell) -> None:
        """Prepare the task."""
        self.cell = cell
        self.unit = f"reference {cell.stack}"
        self.result: ReferenceRecord | None = None

    def next_slice(self, number: int) -> SlicePlan | None:  # noqa: ARG002 - in every round
        """Return one slice."""
        self.result = None
        return SlicePlan(self.cell, Length(SLICE_SECONDS, CALLS_PER_SLICE))

    def add_slice(self, plan: SlicePlan, result: SliceSeen) -> None:  # noqa: ARG002 - the interface
        """Store the data that its rate needs."""
        done = journal_form(result["done"])
        done["latency"] = None
        self.result = ReferenceRecord(stack=self.cell.stack, call=self.cell.call, done=done)


def references(catalogue: Catalogue) -> list[Reference]:
    """Return the reference stacks that can run here."""
    load = Load(1, CALLS_PER_SLICE, SLICE_SECONDS)
    known = [
        (stack.id, stack.card[REFERENCE]) for stack in catalogue.stacks if stack.available and REFERENCE in stack.card
    ]
    return [
        Reference(Cell("reference", "reference", stack, made["call"], made["arguments"], load)) for stack, made in known
    ]
