"""From the groups of a study to the cells of a run."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from callbench.catalog.mixed import fits, instead
from callbench.catalog.study.loads import Group, LoadPart, QuickPart
from callbench.catalog.study.near import allowed
from callbench.catalog.study.pace import paces
from callbench.model.cell import Cell, Load, Stack
from callbench.model.errors import BadInput

LOOPBACK = "loopback"


def chosen(patterns: Iterable[str], stacks: Sequence[Stack], place: str, optional: Iterable[str] = ()) -> list[Stack]:
    """Choose stacks by globs, in the order of `stacks`; a ! in front takes away.

    Instruments are chosen by their exact name only, mixed stacks by a glob that names both sides: `*:*`.

    Args:
        patterns: globs that must match.
        stacks: what there is.
        place: for sentences.
        optional: more globs, which may match nothing: a study can name stacks of adapters that are not there.

    Raises:
        BadInput: a glob that matches no stack, or nothing is left though nothing was optional.
    """
    may = {one.id for one in stacks for glob in optional if fits(one.id, glob) and not one.instrument}
    kept: set[str] = set()
    for pattern in patterns:
        bare = pattern.removeprefix("!")
        hit = {one.id for one in stacks if one.id == bare or (fits(one.id, bare) and not one.instrument)}
        if not hit:
            half = instead(bare, stacks)
            if half:
                raise BadInput(f'{place} has "{pattern}": {half}')
            names = [one.id for one in stacks]
            raise BadInput(f'{place} has "{pattern}", which matches no stack: {allowed(bare, names)}')
        kept = kept - hit if pattern.startswith("!") else kept | hit
    kept |= may
    if not kept and not list(optional):
        raise BadInput(f"{place} leaves no stack: a glob with a ! in front takes away what stands before it")
    return [one for one in stacks if one.id in kept]


def write_out(
    groups: Sequence[Group], load: LoadPart, quick: QuickPart | None, stacks: Sequence[Stack], file: str
) -> list[Cell]:
    """Write out every cell: group by group as the file has them, then links, clients, rates, stacks as given.

    Args:
        groups: the study's groups.
        load: the study's defaults.
        quick: what replaces calls and seconds of every group, or None.
        stacks: all stacks there are, available or not.
        file: for sentences.
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
        members = chosen(group.stacks, stacks, f"{file}: group {group.group}: stacks", group.optional)
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
                            clients, made, seconds, pace.arrivals, pace.rate_per_s, pace.think_ns, pace.ramp_up_ns
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


def _wire(group: Group, *, quick: bool) -> dict[str, Any] | None:
    """Say what of a group's bytes is counted."""
    if group.sweep is None:
        return {} if group.ledger else None
    sweep = group.sweep
    return {"over": sweep.over, "grid": sweep.grid(quick=quick), "fine": 0 if quick else sweep.fine, "most": sweep.most}
