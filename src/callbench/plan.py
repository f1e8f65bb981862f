"""The order of a run: random, from a seed, and written down before anything is measured."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from callbench.cell import Cell, Load, Stack
from callbench.errors import BadInput
from callbench.links.reach import LOOPBACK


@dataclass(frozen=True)
class Trial:
    """One measurement to make.

    Attributes:
        number: unique in the run, from 0.
        order: its place in its visit.
    """

    number: int
    order: int
    cell: Cell


@dataclass(frozen=True)
class Visit:
    """One start of a stack, for all of its cells over one link.

    Attributes:
        number: unique in the run, from 0.
        link: what lies between its sides.
    """

    number: int
    block: int
    stack: str
    trials: tuple[Trial, ...]
    link: str = LOOPBACK


@dataclass(frozen=True)
class Plan:
    """Everything that a run will do.

    Attributes:
        wires: what the network lab makes for each link, so that a run that goes on does so over the same one.
    """

    stacks: tuple[Stack, ...]
    cells: tuple[Cell, ...]
    blocks: tuple[tuple[Visit, ...], ...]
    wires: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def trials(self) -> int:
        """How many there are."""
        return sum(len(visit.trials) for block in self.blocks for visit in block)

    def record(self) -> dict[str, Any]:
        """plan.json."""
        return {
            "stacks": [asdict(stack) for stack in self.stacks],
            "cells": [_flat(cell) for cell in self.cells],
            "links": {name: dict(wire) for name, wire in self.wires.items()},
            "blocks": [
                [
                    {
                        "visit": visit.number,
                        "stack": visit.stack,
                        "link": visit.link,
                        "cells": [t.cell.id for t in visit.trials],
                    }
                    for visit in block
                ]
                for block in self.blocks
            ],
        }


def made(
    cells: Sequence[Cell],
    stacks: Sequence[Stack],
    blocks: int,
    seed: int,
    wires: Mapping[str, Mapping[str, Any]] | None = None,
) -> Plan:
    """Plans blocks: each holds every stack's visits once, in random order, each visit all of its cells in random order.

    A stack has a visit for each link that cells of it lie over, since a link is made before the stack is started, and
    one for each cell that asks for a fresh one.

    Args:
        cells: what to measure.
        blocks: how many, at least 1.
        seed: decides the order.
        stacks: those of the cells; others are left out.
        wires: what the network lab makes for each link.
    """
    dice = random.Random(seed)  # noqa: S311 - an order to be repeated, not a secret
    order = [ordered(cells, dice) for _ in range(blocks)]
    used = {cell.stack for cell in cells}
    return Plan(tuple(stack for stack in stacks if stack.id in used), tuple(cells), _numbered(order), dict(wires or {}))


def ordered(cells: Sequence[Cell], dice: random.Random) -> list[tuple[str, str, list[Cell]]]:
    """Puts cells into one block's order: visits as stack, link and cells, all of it as the dice fall."""
    together: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in cells:
        if cell.timed:
            together.setdefault((cell.stack, cell.link, cell.id if cell.fresh else ""), []).append(cell)
    visits = [(stack, link, dice.sample(mine, len(mine))) for (stack, link, _), mine in together.items()]
    dice.shuffle(visits)
    return visits


def extended(plan: Plan, visits: Sequence[tuple[str, str, Sequence[str]]]) -> Plan:
    """A plan with one more block: its visits as stack, link and ids of cells. Numbers go on where the plan's end.

    Raises:
        BadInput: a cell that the plan does not have.
    """
    by_id = {cell.id: cell for cell in plan.cells}
    order = [[(one.stack, one.link, [trial.cell for trial in one.trials]) for one in block] for block in plan.blocks]
    try:
        order.append([(stack, link, [by_id[id_] for id_ in cells]) for stack, link, cells in visits])
    except KeyError as failure:
        raise BadInput(
            f"the run's journal is damaged: it adds the cell {failure} that its plan does not have"
        ) from None
    return Plan(plan.stacks, plan.cells, _numbered(order), plan.wires)


def read(record: Mapping[str, Any]) -> Plan:
    """A plan from its record.

    Raises:
        BadInput: the record is damaged.
    """
    try:
        cells = tuple(_deep(flat) for flat in record["cells"])
        by_id = {cell.id: cell for cell in cells}
        order = [
            [(visit["stack"], visit.get("link", LOOPBACK), [by_id[id_] for id_ in visit["cells"]]) for visit in block]
            for block in record["blocks"]
        ]
        wires = dict(record.get("links", {}))
        return Plan(tuple(Stack(**stack) for stack in record["stacks"]), cells, _numbered(order), wires)
    except (KeyError, TypeError, AttributeError) as failure:
        raise BadInput(f"the run's plan.json is damaged: {failure!r} is missing or of the wrong kind") from failure


def _numbered(order: Sequence[Sequence[tuple[str, str, Sequence[Cell]]]]) -> tuple[tuple[Visit, ...], ...]:
    """Gives visits and trials their numbers: their places in the order."""
    blocks: list[tuple[Visit, ...]] = []
    visit_number = trial_number = 0
    for block, visits in enumerate(order):
        numbered: list[Visit] = []
        for stack, link, cells in visits:
            trials = tuple(Trial(trial_number + place, place, cell) for place, cell in enumerate(cells))
            numbered.append(Visit(visit_number, block, stack, trials, link))
            visit_number += 1
            trial_number += len(cells)
        blocks.append(tuple(numbered))
    return tuple(blocks)


def _flat(cell: Cell) -> dict[str, Any]:
    flat = asdict(cell)
    load: dict[str, Any] = flat.pop("load")
    return flat | load


def _deep(flat: Mapping[str, Any]) -> Cell:
    # Runs of before there were open loops say nothing of arrivals.
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
    )
