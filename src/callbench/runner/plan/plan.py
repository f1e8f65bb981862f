"""The plan of a run, written down before anything is measured."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, cast

from callbench.model.card import PlannedCell, PlannedStack, PlanRecord
from callbench.model.cell import AS_IS, Cell, Load, Stack
from callbench.model.errors import BadInput
from callbench.stats.wire.link import Wires

_PACE = ("arrivals", "rate_per_s", "think_ns", "ramp_up_ns", "slice_calls", "fork_calls")


@dataclass(frozen=True)
class Plan:
    """Everything that a run will do.

    Attributes:
        forks: the least number of forks of each condition.
        conditions: of the processors' idle states. The first one is the default of all reports.
        wires: the definition of each link, so that a resumed run uses the same links.
    """

    stacks: tuple[Stack, ...]
    cells: tuple[Cell, ...]
    forks: int
    conditions: tuple[str, ...] = (AS_IS,)
    wires: Wires = field(default_factory=dict)

    @property
    def timed(self) -> tuple[Cell, ...]:
        """The cells that are driven. Of the other cells only bytes are counted."""
        return tuple(cell for cell in self.cells if cell.timed)

    def condition_of(self, fork: int) -> str:
        """Return the condition of a fork.

        Conditions alternate; beyond the planned forks the first one is twice as frequent.
        """
        planned = self.forks * len(self.conditions)
        if fork < planned or len(self.conditions) == 1:
            return self.conditions[fork % len(self.conditions)]
        turns = (self.conditions[0], *self.conditions)
        return turns[(fork - planned) % len(turns)]

    def cells_under(self, condition: str) -> tuple[Cell, ...]:
        """Return the cells that are driven under a condition."""
        return tuple(cell for cell in self.timed if cell.idle == condition)

    def number(self, fork: int, cell: Cell) -> int:
        """Return the number of a cell's trial in a fork, unique in the run."""
        return fork * len(self.cells) + self._places[cell.id]

    @property
    def _places(self) -> dict[str, int]:
        known: dict[str, int] | None = self.__dict__.get("_known_places")
        if known is None:
            known = {cell.id: place for place, cell in enumerate(self.cells)}
            object.__setattr__(self, "_known_places", known)
        return known

    def record(self) -> PlanRecord:
        """Return the content of plan.json."""
        return {
            "stacks": [cast("PlannedStack", asdict(stack)) for stack in self.stacks],
            "cells": [_flat(cell) for cell in self.cells],
            "links": {name: {**wire} for name, wire in self.wires.items()},
            "forks": self.forks,
            "conditions": list(self.conditions),
        }


def make_plan(
    cells: Sequence[Cell],
    stacks: Sequence[Stack],
    forks: int,
    conditions: Sequence[str] = (AS_IS,),
    wires: Wires | None = None,
) -> Plan:
    """Plan a run: each timed cell once for every condition. The order is random and chosen at each round.

    Args:
        cells: the cells to measure.
        stacks: all stacks; those without a cell are left out.
        forks: the least number of forks of each condition.
        conditions: of the processors' idle states.
        wires: the definition of each link.
    """
    used = {cell.stack for cell in cells}
    first, *others = conditions
    every = [replace(cell, idle=first) for cell in cells]
    # Bytes do not depend on idle states, so they are counted once.
    every += [
        replace(cell, id=f"{cell.id}-{condition.replace(' ', '-')}", idle=condition, wire=None)
        for condition in others
        for cell in cells
        if cell.timed
    ]
    mine = tuple(stack for stack in stacks if stack.id in used)
    return Plan(mine, tuple(every), forks, tuple(conditions), dict(wires or {}))


def read(record: PlanRecord) -> Plan:
    """Read a plan from its record.

    Raises:
        BadInput: the record is damaged.
    """
    try:
        cells = tuple(_deep(flat) for flat in record["cells"])
        stacks = tuple(Stack(**stack) for stack in record["stacks"])
        return Plan(stacks, cells, int(record["forks"]), tuple(record["conditions"]), dict(record.get("links", {})))
    except (KeyError, TypeError, AttributeError, ValueError) as failure:
        raise BadInput(f"the run's plan.json is damaged: {failure!r} is missing or of the wrong kind") from failure


def _flat(cell: Cell) -> PlannedCell:
    flat = asdict(cell)
    return cast("PlannedCell", flat | flat.pop("load"))


def _deep(flat: PlannedCell) -> Cell:
    pace = cast("dict[str, Any]", {key: value for key, value in flat.items() if key in _PACE})
    load = Load(flat["clients"], flat["calls"], flat["seconds"], **pace)
    return Cell(
        id=flat["id"],
        group=flat["group"],
        stack=flat["stack"],
        call=flat["call"],
        arguments=flat["arguments"],
        load=load,
        link=flat["link"],
        options=flat["options"],
        timed=flat.get("timed", True),
        wire=flat.get("wire"),
        watch=flat.get("watch", False),
        fresh=flat.get("fresh", False),
        restart=flat.get("restart", False),
        idle=flat.get("idle", AS_IS),
    )
