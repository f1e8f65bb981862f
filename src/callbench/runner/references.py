"""The two stacks that every batch drives beside its own, so that ratios across batches chain.

One waits for the kernel as most calls do, the other only computes. What is measured in different batches of a fork met
different moments of the machine; both say how far these lay apart, and their own spread is in every chained value.
"""

from collections.abc import Mapping
from typing import Any

from callbench.catalog.catalogue import Catalogue
from callbench.model.cell import Cell, Load
from callbench.runner.slices import HANDFUL, SLICE_SECONDS, Length, lean
from callbench.runner.tasks import Task, Turn

_BOTH: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("native/bin+tcp", "Sum", {"a": 1, "b": 2}),
    ("native/json+inproc", "GetPersons", {"n": 250}),
)


class Reference(Task):
    """A reference stack in its turn."""

    def __init__(self, cell: Cell) -> None:
        """Prepares."""
        self.cell = cell
        self.unit = f"reference {cell.stack}"
        self.made: dict[str, Any] | None = None

    def turn(self, number: int) -> Turn | None:  # noqa: ARG002 - in every round
        """One slice."""
        self.made = None
        return Turn(self.cell, Length(SLICE_SECONDS, HANDFUL))

    def took(self, turn: Turn, made: Mapping[str, Any]) -> None:  # noqa: ARG002 - the interface
        """Keeps what its rate follows from."""
        self.made = {"stack": self.cell.stack, "call": self.cell.call, "done": lean(made["done"]) | {"latency": None}}


def references(catalogue: Catalogue) -> list[Reference]:
    """Those that can run here."""
    there = {stack.id for stack in catalogue.stacks if stack.available}
    load = Load(1, HANDFUL, SLICE_SECONDS)
    return [
        Reference(Cell("reference", "reference", stack, call, arguments, load))
        for stack, call, arguments in _BOTH
        if stack in there
    ]
