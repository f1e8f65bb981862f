"""Every account that a plan asks for, before anything is timed: lines for the journal."""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from callbench.adapter.network.pair import LinkFailure
from callbench.adapter.placement import Placement
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.external import is_elsewhere
from callbench.catalog.reach import PAIR, why_not_over
from callbench.model.cell import Cell, Stack
from callbench.model.errors import AdapterFailure
from callbench.runner.plan import Plan
from callbench.runner.progress import Progress
from callbench.runner.wire.lab import Lab
from callbench.runner.wire.payload import payload_of
from callbench.runner.wire.sweeping import explored
from callbench.runner.wire.trial import accounted


def made(  # noqa: PLR0913 - all that a run knows
    plan: Plan,
    catalogue: Catalogue,
    placement: Placement,
    known: Collection[str],
    progress: Progress,
    *,
    captures: Path | None,
) -> Iterator[dict[str, Any]]:
    """Gives the journal's lines, one a cell.

    Args:
        plan: whose cells to account for.
        catalogue: where the adapters are.
        placement: where each side runs.
        known: cells whose lines are there already.
        progress: told of each.
        captures: the folder to keep captures in.
    """
    stacks = {stack.id: stack for stack in plan.stacks}
    there = {stack.id for stack in catalogue.every if stack.available}
    wanted = [cell for cell in plan.cells if cell.wire is not None and cell.id not in known and cell.stack in there]
    wanted = _once(wanted)
    if not wanted:
        return
    if captures is not None:
        captures.mkdir(exist_ok=True)
    try:
        with Lab(placement) as lab:
            for number, cell in enumerate(wanted):
                progress.accounts(cell.stack, number, len(wanted))
                keep = captures / f"{cell.id}.pcap" if captures else None
                yield from _of_cell(lab, catalogue, stacks[cell.stack], cell, keep)
    except LinkFailure as failure:
        yield {"kind": "note", "text": f"nothing was counted on the wire: {failure}"}
    progress.accounts("", len(wanted), len(wanted))


def _once(cells: list[Cell]) -> list[Cell]:
    """One account for the cells of a call that differ only in their load."""
    seen: dict[str, Cell] = {}
    for cell in cells:
        key = json.dumps([cell.group, cell.stack, cell.call, cell.arguments, cell.options], sort_keys=True, default=str)
        seen.setdefault(key, cell)
    return list(seen.values())


def _of_cell(lab: Lab, catalogue: Catalogue, stack: Stack, cell: Cell, keep: Path | None) -> Iterator[dict[str, Any]]:
    sweep = bool(cell.wire)
    line: dict[str, Any] = {
        "kind": "sweep" if sweep else "ledger",
        "cell": cell.id,
        "stack": stack.id,
        "group": cell.group,
    }
    why = why_not_over(stack, PAIR)
    if why and sweep:
        yield {"kind": "excluded", "stack": stack.id, "block": 0, "cell": cell.id, "why": why, "failed": False}
        return
    if why and is_elsewhere(stack):
        yield {"kind": "note", "text": f"{stack.id}, {cell.group}: its bytes were not counted: {why}"}
        return
    if not sweep:
        line["request_payload"], line["answer_payload"] = payload_of(stack, cell)
    if why:
        yield line | {"accounts": [], "exact": True}
        return
    programs = catalogue.programs(stack)
    try:
        found = explored(lab, programs, cell, lambda: None) if sweep else accounted(lab, programs, cell, keep)
    except AdapterFailure as failure:
        why = f"its bytes were not counted: {failure}"
        if cell.timed:
            yield {"kind": "note", "text": f"{stack.id}, {cell.group}: {why}"}
        else:
            yield {"kind": "excluded", "stack": stack.id, "block": 0, "cell": cell.id, "why": why, "failed": True}
        return
    if found["lost"] or found["trouble"]:
        said = found["trouble"] or f"{found['lost']} frames were lost: take its account for wrong"
        yield {"kind": "note", "text": f"{stack.id}, {cell.group}: {said}"}
    yield line | found
