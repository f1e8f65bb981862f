"""What a run is to measure, written down before anything is measured."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from callbench.model.cell import AS_IS, Cell, Load, Stack
from callbench.model.errors import BadInput


@dataclass(frozen=True)
class Plan:
    """Everything that a run will do.

    Attributes:
        forks: how many there are at least of each condition.
        conditions: of the machine's idle states, the first one is the run's own: its values are shown unless said.
        wires: what the network lab makes for each link, so that a run that goes on does so over the same one.
    """

    stacks: tuple[Stack, ...]
    cells: tuple[Cell, ...]
    forks: int
    conditions: tuple[str, ...] = (AS_IS,)
    wires: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def timed(self) -> tuple[Cell, ...]:
        """The cells that are driven; of the others only bytes are counted."""
        return tuple(cell for cell in self.cells if cell.timed)

    def condition_of(self, fork: int) -> str:
        """The condition of a fork: each in turn, and beyond the planned forks the run's own twice as often."""
        planned = self.forks * len(self.conditions)
        if fork < planned or len(self.conditions) == 1:
            return self.conditions[fork % len(self.conditions)]
        turns = (self.conditions[0], *self.conditions)
        return turns[(fork - planned) % len(turns)]

    def cells_under(self, condition: str) -> tuple[Cell, ...]:
        """The cells that are driven under a condition."""
        return tuple(cell for cell in self.timed if cell.idle == condition)

    def number(self, fork: int, cell: Cell) -> int:
        """The number of a cell's trial in a fork: unique in the run."""
        return fork * len(self.cells) + self._places[cell.id]

    @property
    def _places(self) -> dict[str, int]:
        known: dict[str, int] | None = self.__dict__.get("_known_places")
        if known is None:
            known = {cell.id: place for place, cell in enumerate(self.cells)}
            object.__setattr__(self, "_known_places", known)
        return known

    def record(self) -> dict[str, Any]:
        """plan.json."""
        return {
            "stacks": [asdict(stack) for stack in self.stacks],
            "cells": [_flat(cell) for cell in self.cells],
            "links": {name: dict(wire) for name, wire in self.wires.items()},
            "forks": self.forks,
            "conditions": list(self.conditions),
        }


def made(
    cells: Sequence[Cell],
    stacks: Sequence[Stack],
    forks: int,
    conditions: Sequence[str] = (AS_IS,),
    wires: Mapping[str, Mapping[str, Any]] | None = None,
) -> Plan:
    """Plans a run: each timed cell once for every condition. The order is drawn when a round begins.

    Args:
        cells: what to measure.
        stacks: those of the cells; others are left out.
        forks: how many of each condition at least.
        conditions: of the machine's idle states.
        wires: what the network lab makes for each link.
    """
    used = {cell.stack for cell in cells}
    first, *others = conditions
    every = [replace(cell, idle=first) for cell in cells]
    # Bytes do not depend on who sleeps: they are counted once.
    every += [
        replace(cell, id=f"{cell.id}-{condition.replace(' ', '-')}", idle=condition, wire=None)
        for condition in others
        for cell in cells
        if cell.timed
    ]
    mine = tuple(stack for stack in stacks if stack.id in used)
    return Plan(mine, tuple(every), forks, tuple(conditions), dict(wires or {}))


def read(record: Mapping[str, Any]) -> Plan:
    """A plan from its record.

    Raises:
        BadInput: the record is damaged, or of a Callbench that measured in another way.
    """
    if "blocks" in record and "forks" not in record:
        raise BadInput(
            "this run was begun by an older Callbench, which measured in blocks: it can be shown, not gone on with"
        )
    try:
        cells = tuple(_deep(flat) for flat in record["cells"])
        stacks = tuple(Stack(**stack) for stack in record["stacks"])
        return Plan(stacks, cells, int(record["forks"]), tuple(record["conditions"]), dict(record.get("links", {})))
    except (KeyError, TypeError, AttributeError, ValueError) as failure:
        raise BadInput(f"the run's plan.json is damaged: {failure!r} is missing or of the wrong kind") from failure


def _flat(cell: Cell) -> dict[str, Any]:
    flat = asdict(cell)
    load: dict[str, Any] = flat.pop("load")
    return flat | load


def _deep(flat: Mapping[str, Any]) -> Cell:
    pace = {key: flat[key] for key in ("arrivals", "rate_per_s", "think_ns", "ramp_up_ns") if key in flat}
    load = Load(flat["clients"], flat["calls"], flat["seconds"], **pace)
    place = flat["id"], flat["group"], flat["stack"]
    return Cell(
        *place,
        flat["call"],
        flat["arguments"],
        load,
        flat["link"],
        flat["options"],
        flat.get("timed", True),
        flat.get("wire"),
        watch=flat.get("watch", False),
        fresh=flat.get("fresh", False),
        restart=flat.get("restart", False),
        idle=flat.get("idle", AS_IS),
    )
