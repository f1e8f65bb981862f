"""Write out the cells of a study's groups."""

import itertools
from collections.abc import Iterable, Sequence

from callbench.catalog.mixed import fits, suggestion_for_half
from callbench.catalog.study.loads import Group, LoadPart, QuickPart
from callbench.catalog.study.pace import paces
from callbench.model.card import SweepOfCell
from callbench.model.cell import Cell, Load, Stack
from callbench.model.errors import BadInput
from callbench.model.suggestions import allowed_names

LOOPBACK = "loopback"


def choose_stacks(
    patterns: Iterable[str], stacks: Sequence[Stack], place: str, optional: Iterable[str] = ()
) -> list[Stack]:
    """Choose stacks by globs, in the order of `stacks`; a leading ! removes stacks.

    Instruments need their exact name, mixed stacks a glob with both sides: `*:*`.

    Args:
        patterns: globs that must match.
        stacks: all stacks.
        place: for messages.
        optional: further globs that may match nothing, for stacks of adapters that may be missing. A leading ! removes
            those before it.

    Raises:
        BadInput: a glob matches no stack, or nothing is left.
    """
    may: set[str] = set()
    for glob in optional:
        fitting = {stack.id for stack in stacks if fits(stack.id, glob.removeprefix("!")) and not stack.instrument}
        may = may - fitting if glob.startswith("!") else may | fitting
    remaining: set[str] = set()
    for pattern in patterns:
        bare = pattern.removeprefix("!")
        hit = {stack.id for stack in stacks if stack.id == bare or (fits(stack.id, bare) and not stack.instrument)}
        if not hit:
            half = suggestion_for_half(bare, stacks)
            if half:
                raise BadInput(f'{place} has "{pattern}": {half}')
            names = [stack.id for stack in stacks]
            raise BadInput(f'{place} has "{pattern}", which matches no stack: {allowed_names(bare, names)}')
        remaining = remaining - hit if pattern.startswith("!") else remaining | hit
    remaining |= may
    if not remaining and not list(optional):
        raise BadInput(f"{place} leaves no stack: a glob with a ! in front takes away what stands before it")
    return [stack for stack in stacks if stack.id in remaining]


def write_out(
    groups: Sequence[Group], load: LoadPart, quick: QuickPart | None, stacks: Sequence[Stack], file: str
) -> list[Cell]:
    """Return all cells: group by group as in the file, then by link, clients, rate and stack.

    Args:
        groups: of the study.
        load: the defaults of the study.
        quick: calls and seconds of every group in a quick run, or None.
        stacks: all stacks, available or not.
        file: for messages.
    """
    found: list[Cell] = []
    for group in groups:
        own = group.quick if quick else None
        if own and own.skip:
            continue
        calls = (own and own.calls) or (quick.calls if quick else group.calls or load.calls)
        slow_calls = (quick and quick.slow_calls) or load.slow_calls or calls
        seconds = (own and own.seconds) or (quick.seconds if quick else group.seconds or load.seconds)
        links = (own and own.link) or group.link or [load.link]
        numbers = (own and own.clients) or group.clients or load.clients
        members = choose_stacks(group.stacks, stacks, f"{file}: group {group.group}: stacks", group.optional)
        steps = itertools.product(links, numbers, paces(group, load, quick))
        for link, clients, pace in steps:
            for stack in members:
                made = min(calls, slow_calls) if stack.card.get("slow") else calls
                found.append(
                    Cell(
                        id=f"c{len(found) + 1:03d}",
                        group=group.group,
                        stack=stack.id,
                        call=group.call,
                        arguments=dict(group.arguments),
                        load=Load(
                            clients=clients,
                            calls=made,
                            seconds=seconds,
                            arrivals=pace.arrivals,
                            rate_per_s=pace.rate_per_s,
                            think_ns=pace.think_ns,
                            ramp_up_ns=pace.ramp_up_ns,
                            slice_calls=load.slice_calls,
                        ),
                        link=link,
                        options=dict(group.options),
                        timed=group.sweep is None,
                        wire=_wire(group, quick=quick is not None),
                        watch=load.watch if group.watch is None else group.watch,
                        fresh=load.fresh if group.fresh is None else group.fresh,
                        restart=load.restart if group.restart is None else group.restart,
                    )
                )
    return found


def _wire(group: Group, *, quick: bool) -> SweepOfCell | None:
    """Return what bytes of a group are counted."""
    if group.sweep is None:
        return {} if group.ledger else None
    sweep = group.sweep
    return {"over": sweep.over, "grid": sweep.grid(quick=quick), "fine": 0 if quick else sweep.fine, "most": sweep.most}
