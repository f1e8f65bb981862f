"""Count the bytes of calls for all wire ledgers of a plan, before anything is timed."""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import cast

from callbench.adapter import own_answers
from callbench.adapter.network.lab_process import LinkFailure
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
from callbench.store.lines.forks import ExcludedLine
from callbench.store.lines.notes import NoteLine
from callbench.store.lines.wire import LedgerHead, LedgerLine, SweepLine

WireLine = LedgerLine | SweepLine | ExcludedLine | NoteLine


def count_ledgers(  # noqa: PLR0913 - all that a run knows
    plan: Plan,
    catalogue: Catalogue,
    placement: Placement,
    known: Collection[str],
    progress: Progress,
    *,
    captures: Path | None,
) -> Iterator[WireLine]:
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

    def lines_of(lab: Lab, cell: Cell) -> list[WireLine]:
        keep = captures / f"{cell.id}.pcap" if captures else None
        return list(_cell_lines(lab, catalogue, stacks[cell.stack], cell, keep))

    try:
        progress.show_ledger(to_count[0].stack, 0, len(to_count))
        for number, (cell, lines) in enumerate(count_in_labs(placement, to_count, lines_of), 1):
            yield from lines
            progress.show_ledger(cell.stack, number, len(to_count))
    except LinkFailure as failure:
        yield NoteLine(kind="note", text=f"nothing was counted on the wire: {failure}")


def _one_per_call(cells: list[Cell]) -> list[Cell]:
    """Keep one of the cells that differ only in their load."""
    seen: dict[str, Cell] = {}
    for cell in cells:
        key = json.dumps([cell.group, cell.stack, cell.call, cell.arguments, cell.options], sort_keys=True, default=str)
        seen.setdefault(key, cell)
    return list(seen.values())


def _cell_lines(lab: Lab, catalogue: Catalogue, stack: Stack, cell: Cell, keep: Path | None) -> Iterator[WireLine]:
    why = why_not_over(stack, PAIR)
    if why and cell.wire:
        yield _left_out(cell, why, failed=False)
        return
    if why and runs_by_itself(stack):
        yield _note(cell, f"its bytes were not counted: {why}")
        return
    try:
        line = _swept(lab, catalogue, stack, cell) if cell.wire else _ledger(lab, catalogue, stack, cell, keep)
    except AdapterFailure as failure:
        why = f"its bytes were not counted: {failure}"
        yield _note(cell, why) if cell.timed else _left_out(cell, why, failed=True)
        return
    lost, trouble = line.get("lost"), line.get("trouble")
    if lost or trouble:
        yield _note(cell, trouble or f"{lost} frames were lost: its wire ledger may be wrong")
    yield line


def _swept(lab: Lab, catalogue: Catalogue, stack: Stack, cell: Cell) -> SweepLine:
    """Count a cell's calls over a setting."""
    counted = run_sweep(lab, catalogue.programs(stack), cell, lambda: None)
    return SweepLine(kind="sweep", cell=cell.id, stack=stack.id, group=cell.group, **counted)


def _ledger(lab: Lab, catalogue: Catalogue, stack: Stack, cell: Cell, keep: Path | None) -> LedgerLine:
    """Count a cell's call. What does not go over a cable has an account without rows."""
    programs = catalogue.programs(stack)
    cell = own_answers.steady(programs.client.service, cell)
    request, answer = payload_of(stack, cell, programs.client.service)
    head = LedgerHead(
        kind="ledger",
        cell=cell.id,
        stack=stack.id,
        group=cell.group,
        request_payload=request,
        answer_payload=answer,
    )
    reachable = not why_not_over(stack, PAIR)
    counted = measure_ledger(lab, programs, cell, keep) if reachable else {"accounts": [], "exact": True}
    return cast("LedgerLine", {**head, **counted})


def _note(cell: Cell, text: str) -> NoteLine:
    return NoteLine(kind="note", text=f"{cell.stack}, {cell.group}: {text}")


def _left_out(cell: Cell, why: str, *, failed: bool) -> ExcludedLine:
    return ExcludedLine(kind="excluded", stack=cell.stack, fork=0, cell=cell.id, why=why, failed=failed)
