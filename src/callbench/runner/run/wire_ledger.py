"""Count the bytes of calls for all wire ledgers of a plan, before anything is timed."""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from callbench.adapter import own_answers
from callbench.adapter.network.pair import LinkFailure
from callbench.adapter.placement import Placement
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.external import runs_by_itself
from callbench.catalog.reach import PAIR, why_not_over
from callbench.model.cell import Cell, Stack
from callbench.model.errors import AdapterFailure
from callbench.runner.live.progress import Progress
from callbench.runner.plan.plan import Plan
from callbench.runner.wire.lab import Lab
from callbench.runner.wire.labs import count_in_labs
from callbench.runner.wire.payload import payload_of
from callbench.runner.wire.sweep import run_sweep
from callbench.runner.wire.trial import measure_ledger


def count_ledgers(  # noqa: PLR0913 - all that a run knows
    plan: Plan,
    catalogue: Catalogue,
    placement: Placement,
    known: Collection[str],
    progress: Progress,
    *,
    captures: Path | None,
) -> Iterator[dict[str, Any]]:
    """Yield the journal lines, one per cell.

    Args:
        plan: its cells are counted.
        catalogue: where the adapters are.
        placement: the processors of each side.
        known: cells whose lines the journal already has.
        progress: shows each cell.
        captures: the folder for packet captures, or None.
    """
    stacks = {stack.id: stack for stack in plan.stacks}
    there = {stack.id for stack in catalogue.every if stack.available}
    to_count = [cell for cell in plan.cells if cell.wire is not None and cell.id not in known and cell.stack in there]
    to_count = _one_per_call(to_count)
    if not to_count:
        return
    if captures is not None:
        captures.mkdir(exist_ok=True)

    def lines_of(lab: Lab, cell: Cell) -> list[dict[str, Any]]:
        keep = captures / f"{cell.id}.pcap" if captures else None
        return list(_cell_lines(lab, catalogue, stacks[cell.stack], cell, keep))

    try:
        progress.show_ledger(to_count[0].stack, 0, len(to_count))
        for number, (cell, lines) in enumerate(count_in_labs(placement, to_count, lines_of), 1):
            yield from lines
            progress.show_ledger(cell.stack, number, len(to_count))
    except LinkFailure as failure:
        yield {"kind": "note", "text": f"nothing was counted on the wire: {failure}"}


def _one_per_call(cells: list[Cell]) -> list[Cell]:
    """Keep one of the cells that differ only in their load."""
    seen: dict[str, Cell] = {}
    for cell in cells:
        key = json.dumps([cell.group, cell.stack, cell.call, cell.arguments, cell.options], sort_keys=True, default=str)
        seen.setdefault(key, cell)
    return list(seen.values())


def _cell_lines(
    lab: Lab, catalogue: Catalogue, stack: Stack, cell: Cell, keep: Path | None
) -> Iterator[dict[str, Any]]:
    sweep = bool(cell.wire)
    line: dict[str, Any] = {
        "kind": "sweep" if sweep else "ledger",
        "cell": cell.id,
        "stack": stack.id,
        "group": cell.group,
    }
    why = why_not_over(stack, PAIR)
    if why and sweep:
        yield {"kind": "excluded", "stack": stack.id, "fork": 0, "cell": cell.id, "why": why, "failed": False}
        return
    if why and runs_by_itself(stack):
        yield {"kind": "note", "text": f"{stack.id}, {cell.group}: its bytes were not counted: {why}"}
        return
    if not sweep:
        service = catalogue.programs(stack).client.service
        cell = own_answers.steady(service, cell)
        line["request_payload"], line["answer_payload"] = payload_of(stack, cell, service)
    if why:
        yield line | {"accounts": [], "exact": True}
        return
    programs = catalogue.programs(stack)
    try:
        counted = run_sweep(lab, programs, cell, lambda: None) if sweep else measure_ledger(lab, programs, cell, keep)
    except AdapterFailure as failure:
        why = f"its bytes were not counted: {failure}"
        if cell.timed:
            yield {"kind": "note", "text": f"{stack.id}, {cell.group}: {why}"}
        else:
            yield {"kind": "excluded", "stack": stack.id, "fork": 0, "cell": cell.id, "why": why, "failed": True}
        return
    if counted["lost"] or counted["trouble"]:
        text = counted["trouble"] or f"{counted['lost']} frames were lost: its wire ledger may be wrong"
        yield {"kind": "note", "text": f"{stack.id}, {cell.group}: {text}"}
    yield line | counted
