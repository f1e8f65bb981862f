"""Times of encoding and decoding without a channel, once for each message and group, on an in-process stack."""

from collections.abc import Collection, Iterator

from callbench.adapter.placement import Placement
from callbench.adapter.session import Adapter
from callbench.catalog.catalogue import Catalogue
from callbench.model.cell import TIMES_CODEC, Cell, Stack
from callbench.model.errors import AdapterFailure
from callbench.runner.plan.plan import Plan
from callbench.store.lines.notes import NoteLine
from callbench.store.lines.run import CodecLine

_SECONDS = 0.05
_QUICK_SECONDS = 0.01


def time_codecs(
    plan: Plan, catalogue: Catalogue, placement: Placement, known: Collection[tuple[str, str]], *, quick: bool
) -> Iterator[CodecLine | NoteLine]:
    """Yield the journal lines, one for each message and group.

    Args:
        plan: its messages and groups are timed.
        catalogue: where the in-process stacks are.
        placement: the codec runs on the client's processors.
        known: stack and group of the lines that the journal already has.
        quick: whether to spend less time on each value.
    """
    requested: dict[str, list[tuple[Stack, Cell]]] = {}
    for stack, cell in _stacks_and_cells(plan, catalogue):
        if (stack.id, cell.group) not in known:
            requested.setdefault(stack.adapter, []).append((stack, cell))
    for name, pairs in requested.items():
        yield from _adapter_lines(catalogue, name, pairs, placement, _QUICK_SECONDS if quick else _SECONDS)


def _stacks_and_cells(plan: Plan, catalogue: Catalogue) -> Iterator[tuple[Stack, Cell]]:
    """Yield an in-process stack of the same adapter and message for the first cell of each message and group."""
    inside = {
        (stack.adapter, stack.message): stack
        for stack in catalogue.stacks
        if stack.available and stack.card.get(TIMES_CODEC)
    }
    stacks = {stack.id: stack for stack in plan.stacks}
    seen: set[tuple[str, str]] = set()
    for cell in (planned for planned in plan.cells if planned.timed):
        of = stacks[cell.stack]
        stack = inside.get((of.adapter, of.message))
        if stack is not None and (stack.id, cell.group) not in seen:
            seen.add((stack.id, cell.group))
            yield stack, cell


def _adapter_lines(
    catalogue: Catalogue, name: str, pairs: list[tuple[Stack, Cell]], placement: Placement, seconds: float
) -> Iterator[CodecLine | NoteLine]:
    try:
        with Adapter(catalogue.adapter(name).manifest, "the codec", placement.client) as adapter:
            if "codec" not in adapter.hello["features"]:
                return
            for stack, cell in pairs:
                try:
                    # The options belong to the cell's own stack; some of them are options of its channel.
                    requested = cell.stack if cell.options else stack.id
                    codec = adapter.codec(requested, cell.call, cell.arguments, seconds, cell.options)
                except AdapterFailure as failure:
                    if adapter.broken:
                        raise
                    yield NoteLine(kind="note", text=f"{stack.id} has no codec times for {cell.group}: {failure}")
                    continue
                yield CodecLine(
                    kind="codec",
                    stack=stack.id,
                    message=stack.message,
                    group=cell.group,
                    cell=cell.id,
                    call=cell.call,
                    arguments=cell.arguments,
                    payloads=codec["payloads"],
                    request=codec["request"],
                    answer=codec["answer"],
                )
    except AdapterFailure as failure:
        yield NoteLine(kind="note", text=f"{name} has no codec times: {failure}")
