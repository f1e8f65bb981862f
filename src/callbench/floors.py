"""Floors: beside each visit, raw echoes over the visit's channel, of the sizes that its calls have there."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Self

from callbench import judge
from callbench.catalogue import Catalogue
from callbench.cell import Cell, Stack
from callbench.errors import AdapterFailure
from callbench.placement import Placement
from callbench.plan import Visit
from callbench.sides import Sides
from callbench.stats.ladder import cross
from callbench.study.cells import LOOPBACK

if TYPE_CHECKING:
    from callbench.manifest import Programs

ADAPTER = "floor"
_CALL = "Empty"
# The channels are the native adapter's. What of them is its own invention is no floor for the stacks of others.
_NATIVE = "native"
_PLAIN: Mapping[str, Mapping[str, Any]] = {"tcp": {"acknowledge": False}}
# An echo has no message, so that options of messages are not for it: they are in the sizes.
_OF_MESSAGES = frozenset({"compressor", "level"})
# The least that an echo carries: see engine/native/src/echo.rs.
_LEAST_REQUEST, _LEAST_ANSWER = 5, 1
_RUNGS, _QUICK_RUNGS = 5, 3
_CALLS = 20
# A floor takes a tenth of the time of its stack's trial, within these bounds, in seconds.
SHARE, SHORTEST, LONGEST = 0.1, 0.015, 0.2
_TRIES = 2

Sizes = Mapping[tuple[str, str, str], tuple[int, int]]
Pair = tuple[int, int]


def sizes(lines: Iterable[Mapping[str, Any]], catalogue: Catalogue) -> Sizes:
    """Octets of request and answer on the channel by adapter, message and group: what the codecs came to."""
    adapters = {stack.id: stack.adapter for stack in catalogue.stacks}
    found = {}
    for line in lines:
        if line["kind"] == "codec" and line["stack"] in adapters:
            request, answer = (round(line[side]["bytes"]) for side in ("request", "answer"))
            place = adapters[line["stack"]], line["message"], line["group"]
            found[place] = max(request, _LEAST_REQUEST), max(answer, _LEAST_ANSWER)
    return found


def applies(cell: Cell) -> bool:
    """Whether a floor can be had for the cell: one client that calls again at once, on this machine.

    A queue of several clients is no floor, nor is a processor that went idle between two calls, nor another link.
    """
    load = cell.load
    return load.clients == 1 and not load.open and not load.think_ns and cell.link == LOOPBACK


class Floors(AbstractContextManager["Floors"]):
    """Raw echoes, measured by an adapter that is started anew for each block. Close it."""

    def __init__(
        self,
        catalogue: Catalogue,
        placement: Placement,
        found: Sizes,
        known: Iterable[tuple[int, str, Pair]],
        *,
        quick: bool,
    ) -> None:
        """Prepares; nothing is started before it is needed.

        Args:
            catalogue: where the floor's adapter is.
            placement: its sides run where those of the stacks do.
            found: the sizes of requests and answers.
            known: visit, options and sizes of what is in the journal already.
            quick: fewer rungs.
        """
        self._placement = placement
        self._sizes = found
        self._known = set(known)
        self._rungs = _QUICK_RUNGS if quick else _RUNGS
        self._stacks = {s.channel: s for s in catalogue.stacks if s.adapter == ADAPTER and s.available}
        self._programs: Programs | None = catalogue.adapter(ADAPTER).manifest.both if self._stacks else None
        self._sides: Sides | None = None
        self._block = -1
        self._failures = 0

    def beside(self, visit: Visit, stack: Stack, cells: Sequence[Cell]) -> Iterator[dict[str, Any]]:
        """Measures the floor of a visit's cells, and gives the journal's lines."""
        floor = self._stacks.get(stack.channel)
        wanted = self._wanted(stack, cells)
        if floor is None or self._failures >= _TRIES:
            return
        for options, own in wanted.items():
            left = [
                pair for pair in cross([*own.values()], self._rungs) if (visit.number, options, pair) not in self._known
            ]
            if not left:
                continue
            seconds = min(max(SHARE * min(cell.load.seconds for cell in cells), SHORTEST), LONGEST)
            try:
                for line in self._measure(visit, floor, json.loads(options), left, seconds):
                    yield {**line, "cells": sorted(own)}
            except AdapterFailure as failure:
                self._failures += 1
                self.close(at_once=True)
                yield {"kind": "note", "text": f"{floor.id} beside visit {visit.number} was not measured: {failure}"}

    def _wanted(self, stack: Stack, cells: Sequence[Cell]) -> dict[str, dict[str, Pair]]:
        """The cells' sizes by the options that the floor is to connect with."""
        wanted: dict[str, dict[str, Pair]] = {}
        for cell in cells:
            pair = self._sizes.get((stack.adapter, stack.message, cell.group))
            if pair is not None and applies(cell):
                own = cell.options if stack.adapter == _NATIVE else _PLAIN.get(stack.channel, {})
                own = {name: value for name, value in own.items() if name not in _OF_MESSAGES}
                wanted.setdefault(json.dumps(own, sort_keys=True), {})[cell.id] = pair
        return wanted

    def _measure(
        self, visit: Visit, floor: Stack, options: Mapping[str, Any], pairs: Sequence[Pair], seconds: float
    ) -> Iterator[dict[str, Any]]:
        sides = self._started(visit.block)
        server = sides.client if floor.in_process else sides.server
        endpoint = server.serve(floor.id)
        for request, answer in pairs:
            octets = {"request_bytes": request, "answer_bytes": answer}
            sides.client.connect(floor.id, endpoint, 1, options={**options, **octets})
            sides.client.drive(_CALL, {}, calls=1, seconds=seconds / 4)
            server.counted()
            done = sides.client.drive(_CALL, {}, calls=_CALLS, seconds=seconds)
            if not judge.agree(_CALL, done, server.counted()) or done["errors"]:
                raise AdapterFailure("wrong-answer", f"{floor.id}: echoes of {request} and {answer} octets failed")
            place = {"block": visit.block, "visit": visit.number, "stack": floor.id}
            yield {"kind": "floor", **place, "options": dict(options), **octets, "done": done}
        sides.client.disconnect()
        # What spins while it serves must not spin beside the next stack.
        server.stop_serving()

    def _started(self, block: int) -> Sides:
        """The adapter's two sides, for this block: no start is measured for long."""
        if self._sides is not None and (self._block != block or self._sides.broken):
            self.close()
        if self._sides is None:
            assert self._programs is not None  # noqa: S101 - there is a floor's stack, so there is its adapter
            self._sides = Sides(self._programs, self._placement, in_process=False)
            self._block = block
        return self._sides

    def close(self, *, at_once: bool = False) -> None:
        """Ends the adapter, if it runs."""
        sides, self._sides = self._sides, None
        if sides is not None:
            sides.close(at_once=at_once or sides.broken)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Closes it: at once where something went wrong."""
        self.close(at_once=kind is not None)
