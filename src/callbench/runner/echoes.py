"""The echo: a raw round trip over each channel, of the sizes that calls have there, driven in every round.

It is the yardstick: what a call takes beside an echo of its own round carries over from hour to hour. And it alone
decides whether a round is made once more.
"""

import json
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from callbench.catalog.catalogue import Catalogue
from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell, Load, Stack
from callbench.runner.slices import HANDFUL, SLICE_SECONDS, Length
from callbench.runner.tasks import Task, Turn
from callbench.stats.ladder import cross
from callbench.stats.rate import window_of

ADAPTER = "floor"
CALL = "Empty"
# The channels are the native adapter's. What of them is its own invention is no echo for the stacks of others.
_NATIVE = "native"
_PLAIN: Mapping[str, Mapping[str, Any]] = {"tcp": {"acknowledge": False}}
# An echo has no message, so that options of messages are not for it: they are in the sizes.
_OF_MESSAGES = frozenset({"compressor", "level"})
# A call that waits until a port comes back has no floor: its echo would wait as well.
_WAITS = "ports"
# The least that an echo carries: see engine/native/src/echo.rs.
_LEAST_REQUEST, _LEAST_ANSWER = 5, 1
_RUNGS, _QUICK_RUNGS = 5, 3
# An echo is short: a slice of half the length has hundreds.
ECHO_SECONDS = SLICE_SECONDS / 2
# The yardstick of what has no echo of its own: a small one over TCP, in every round of every run.
YARDSTICK = "tcp"
YARDSTICK_OCTETS = 16
# The machine was somewhere else where its echoes are further than this from their median, up or down, as a factor.
ELSEWHERE = 1.3
# So many rounds are to be known before one can be called out of place.
KNOWN_ROUNDS = 4
# And of all rounds no more than one in so many is made once more.
REPEATS_IN = 5

Sizes = Mapping[tuple[str, str, str], tuple[int, int]]
Pair = tuple[int, int]


@dataclass(frozen=True)
class Echo:
    """One echo to drive.

    Attributes:
        stack: of the instrument, `floor/echo+CHANNEL`.
        options: that it connects with, but for the sizes.
        cells: those that it is the echo of; empty: the yardstick.
    """

    stack: str
    options: Mapping[str, Any]
    request_bytes: int
    answer_bytes: int
    cells: tuple[str, ...]

    @property
    def key(self) -> str:
        """What is the same in every round."""
        return f"{self.stack} {json.dumps(self.options, sort_keys=True)} {self.request_bytes} {self.answer_bytes}"

    @property
    def cell(self) -> Cell:
        """What the client is told to drive."""
        octets = {"request_bytes": self.request_bytes, "answer_bytes": self.answer_bytes}
        load = Load(1, HANDFUL, ECHO_SECONDS)
        return Cell("echo", "echo", self.stack, CALL, {}, load, options={**self.options, **octets})


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
    """Whether an echo of its own can be had for the cell: one client that calls again at once, on this machine.

    A queue of several clients is no floor, nor is a processor that went idle between two calls, nor another link.
    """
    load = cell.load
    alone = load.clients == 1 and not load.open and not load.think_ns
    return alone and cell.link == LOOPBACK and _WAITS not in cell.options


def there(catalogue: Catalogue) -> dict[str, Stack]:
    """The echo's stacks that can run here, by channel."""
    return {one.channel: one for one in catalogue.stacks if one.adapter == ADAPTER and one.available}


def echoes(
    cells: Sequence[Cell], stacks: Mapping[str, Stack], known: Sizes, floors: Mapping[str, Stack], *, quick: bool
) -> list[Echo]:
    """The echoes of a fork's cells, and the yardstick first where there is one.

    Args:
        cells: of the fork.
        stacks: theirs, by name.
        known: the sizes of requests and answers; empty: the yardstick alone.
        floors: the echo's stacks by channel.
        quick: fewer sizes on a channel.
    """
    found: list[Echo] = []
    if YARDSTICK in floors:
        found.append(Echo(floors[YARDSTICK].id, {}, YARDSTICK_OCTETS, YARDSTICK_OCTETS, ()))
    wanted: dict[tuple[str, str], dict[str, Pair]] = {}
    for cell in cells:
        stack = stacks[cell.stack]
        pair = known.get((stack.adapter, stack.message, cell.group))
        if pair is not None and applies(cell) and stack.channel in floors:
            own = cell.options if stack.adapter == _NATIVE else _PLAIN.get(stack.channel, {})
            own = {name: value for name, value in own.items() if name not in _OF_MESSAGES}
            wanted.setdefault((stack.channel, json.dumps(own, sort_keys=True)), {})[cell.id] = pair
    for (channel, options), mine in wanted.items():
        ladder = cross([*mine.values()], _QUICK_RUNGS if quick else _RUNGS)
        found += [Echo(floors[channel].id, json.loads(options), *pair, tuple(sorted(mine))) for pair in ladder]
    return found


class EchoTask(Task):
    """An echo in its turn; keeps what the round made of it."""

    def __init__(self, echo: Echo) -> None:
        """Prepares."""
        self.echo = echo
        self.unit = echo.stack
        self.made: dict[str, Any] | None = None

    def turn(self, number: int) -> Turn | None:  # noqa: ARG002 - in every round
        """One slice."""
        self.made = None
        return Turn(self.echo.cell, Length(ECHO_SECONDS, HANDFUL))

    def took(self, turn: Turn, made: Mapping[str, Any]) -> None:  # noqa: ARG002 - the interface
        """Keeps it as the journal has it, but for the histogram, which nobody reads."""
        done = {key: value for key, value in made["done"].items() if key not in ("latency", "service", "lateness")}
        latency = made["done"].get("latency") or {}
        extra = {"p50_ns": _quantile(latency, 0.5), "p99_ns": _quantile(latency, 0.99)}
        sizes_ = {"request_bytes": self.echo.request_bytes, "answer_bytes": self.echo.answer_bytes}
        place = {"stack": self.echo.stack, "options": dict(self.echo.options), **sizes_}
        self.made = {**place, "cells": list(self.echo.cells), "started": made["started"], "done": done, **extra}

    @property
    def rate(self) -> float | None:
        """Echoes a second of this round; None where there was none."""
        return window_of(self.made["done"]).per_s or None if self.made is not None else None


class Machine:
    """Whether the machine is where it was, by its echoes alone. One for each condition of a run."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._logs: dict[str, list[float]] = {}
        self._rounds = self._repeats = 0

    def elsewhere(self, rates: Mapping[str, float]) -> bool:
        """Whether a round was somewhere else and may be made once more.

        Args:
            rates: echoes a second, by echo.
        """
        off = [
            math.log(rate) - statistics.median(self._logs[key])
            for key, rate in rates.items()
            if len(self._logs.get(key, ())) >= KNOWN_ROUNDS
        ]
        if not off or self._repeats * REPEATS_IN >= self._rounds:
            return False
        return abs(statistics.median(off)) > math.log(ELSEWHERE)

    def repeats(self) -> None:
        """A round is made once more."""
        self._repeats += 1

    def counts(self, rates: Mapping[str, float]) -> None:
        """A round counts."""
        self._rounds += 1
        for key, rate in rates.items():
            self._logs.setdefault(key, []).append(math.log(rate))


def _quantile(latency: Mapping[str, Any], share: float) -> int | None:
    """The lower bound of the bucket that holds a share of an echo's times, in nanoseconds."""
    left = share * int(latency.get("count") or 0)
    for index, count in latency.get("buckets") or ():
        left -= count
        if left <= 0:
            octave, place = divmod(int(index), 128)
            return int(index) if index < 128 else (128 + place) << (octave - 1)
    return None
