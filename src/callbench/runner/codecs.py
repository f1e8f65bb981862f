"""The cost of messages alone: once a message and group of cells, on an in-process stack of the message."""

from collections.abc import Collection, Iterator
from typing import Any

from callbench.adapter.placement import Placement
from callbench.adapter.session import Adapter
from callbench.catalog.catalogue import Catalogue
from callbench.model.cell import Cell, Stack
from callbench.model.errors import AdapterFailure
from callbench.runner.plan import Plan

CHANNEL = "inproc"
_SECONDS = 0.05
_QUICK_SECONDS = 0.01


def timed(
    plan: Plan, catalogue: Catalogue, placement: Placement, known: Collection[tuple[str, str]], *, quick: bool
) -> Iterator[dict[str, Any]]:
    """Gives the journal's lines, one a message and group.

    Args:
        plan: whose messages and groups to time.
        catalogue: where the in-process stacks are.
        placement: where the codec runs: as a client does.
        known: stack and group of the lines that are there already.
        quick: less time for each figure.
    """
    wanted: dict[str, list[tuple[Stack, Cell]]] = {}
    for stack, cell in _pairs(plan, catalogue):
        if (stack.id, cell.group) not in known:
            wanted.setdefault(stack.adapter, []).append((stack, cell))
    for name, pairs in wanted.items():
        yield from _of_adapter(catalogue, name, pairs, placement, _QUICK_SECONDS if quick else _SECONDS)


def _pairs(plan: Plan, catalogue: Catalogue) -> Iterator[tuple[Stack, Cell]]:
    """An in-process stack of the same adapter and message, for the first cell of each message and group."""
    inside = {
        (stack.adapter, stack.message): stack
        for stack in catalogue.stacks
        if stack.available and stack.channel == CHANNEL
    }
    stacks = {stack.id: stack for stack in plan.stacks}
    seen: set[tuple[str, str]] = set()
    for cell in (one for one in plan.cells if one.timed):
        of = stacks[cell.stack]
        stack = inside.get((of.adapter, of.message))
        if stack is not None and (stack.id, cell.group) not in seen:
            seen.add((stack.id, cell.group))
            yield stack, cell


def _of_adapter(
    catalogue: Catalogue, name: str, pairs: list[tuple[Stack, Cell]], placement: Placement, seconds: float
) -> Iterator[dict[str, Any]]:
    try:
        with Adapter(catalogue.adapter(name).manifest, "the codec", placement.client) as adapter:
            if "codec" not in adapter.hello["features"]:
                return
            for stack, cell in pairs:
                line: dict[str, Any] = {
                    "kind": "codec",
                    "stack": stack.id,
                    "message": stack.message,
                    "group": cell.group,
                    "cell": cell.id,
                    "call": cell.call,
                    "arguments": cell.arguments,
                }
                try:
                    # Options are those of the cell's own stack: some are its channel's, which the one in process lacks.
                    asked = cell.stack if cell.options else stack.id
                    codec = adapter.codec(asked, cell.call, cell.arguments, seconds, cell.options)
                except AdapterFailure as failure:
                    if adapter.broken:
                        raise
                    yield {"kind": "note", "text": f"{stack.id} has no codec figures for {cell.group}: {failure}"}
                    continue
                yield line | {key: codec[key] for key in ("payloads", "request", "answer")}
    except AdapterFailure as failure:
        yield {"kind": "note", "text": f"{name} has no codec figures: {failure}"}
