"""The echo: a raw round trip over each channel with the sizes of the calls, driven in every round.

The ratio of a call's time to the echo of the same round stays the same for hours. Only the echo decides whether a round
is repeated.
"""

import json
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from callbench.catalog.catalogue import Catalogue
from callbench.catalog.reach import LOOPBACK
from callbench.model.card import StackCard
from callbench.model.cell import CALLS_PER_SLICE, MESSAGE_OPTIONS, NO_ECHO_WITH, Cell, Load, Stack
from callbench.runner.drive.slices import SLICE_SECONDS, Length
from callbench.runner.drive.tasks import SlicePlan, Task
from callbench.stats.load.rate import window_of
from callbench.stats.wire.ladder import cross
from callbench.store.lines.driven import Driven, StoredHistogram
from callbench.store.lines.of_kind import of_kind
from callbench.store.lines.rounds import EchoRecord, SliceSeen
from callbench.store.lines.run import CodecLine

ADAPTER = "baseline"
CALL = "Empty"
# The channels are the native adapter's, and so are their options.
_NATIVE = "native"
# The smallest sizes of an echo: see engine/native/src/echo.rs.
_LEAST_REQUEST, _LEAST_ANSWER = 5, 1
_RUNGS, _QUICK_RUNGS = 5, 3
# As long as a slice of a cell: the multiple of an echo is known no better than the echo, and many cells share one.
ECHO_SECONDS = SLICE_SECONDS
# A slice of an echo varies by a third more than one of a cell, from round to round. So many, spread over a round, vary
# less. Together they take no more of a round than the cells that they serve.
MOST_SLICES = 3
# The reference echo of cells without an echo of their own: a small one over TCP, in every round of every run.
REFERENCE_CHANNEL = "tcp"
REFERENCE_BYTES = 16
# A round is an outlier if its echoes differ from their median by more than this factor, up or down.
OUTLIER_FACTOR = 1.3
# So many rounds must be known before one can be an outlier.
KNOWN_ROUNDS = 4
# At most one round in so many is repeated.
ROUNDS_PER_REPEAT = 5

Sizes = Mapping[tuple[str, str, str], tuple[int, int]]
Pair = tuple[int, int]


@dataclass(frozen=True)
class Echo:
    """One echo to drive.

    Attributes:
        stack: an instrument's stack, `baseline/echo+CHANNEL`.
        options: its connection options, without the sizes.
        cells: ids of the cells that it serves; empty for the reference echo.
        slices: how often it is driven in a round.
    """

    stack: str
    options: Mapping[str, object]
    request_bytes: int
    answer_bytes: int
    cells: tuple[str, ...]
    slices: int = 1

    @property
    def key(self) -> str:
        """A text that identifies the echo in every round."""
        return f"{self.stack} {json.dumps(self.options, sort_keys=True)} {self.request_bytes} {self.answer_bytes}"

    @property
    def cell(self) -> Cell:
        """The cell that the client drives."""
        of_message = {"request_bytes": self.request_bytes, "answer_bytes": self.answer_bytes}
        load = Load(1, CALLS_PER_SLICE, ECHO_SECONDS)
        return Cell("echo", "echo", self.stack, CALL, {}, load, options={**self.options, **of_message})


def sizes(lines: Iterable[Mapping[str, object]], catalogue: Catalogue) -> Sizes:
    """Return bytes of request and answer by adapter, message and group, from the codec lines of the journal."""
    adapters = {stack.id: stack.adapter for stack in catalogue.stacks}
    found = {}
    for line in of_kind(lines, CodecLine):
        if line["stack"] in adapters:
            request, answer = round(line["request"]["bytes"]), round(line["answer"]["bytes"])
            key = adapters[line["stack"]], line["message"], line["group"]
            found[key] = max(request, _LEAST_REQUEST), max(answer, _LEAST_ANSWER)
    return found


def has_own_echo(cell: Cell, card: StackCard) -> bool:
    """Return whether a cell can have an echo of its own: one client that calls again at once, on this machine.

    Several clients queue, a thinking client lets its processor sleep, and a link adds its delay. None of these has a
    comparable echo. Neither has a call with an option that makes it wait for something else, as for a free port.

    Args:
        cell: its load, link and options.
        card: of its stack.
    """
    load = cell.load
    alone = load.clients == 1 and not load.open and not load.think_ns
    return alone and cell.link == LOOPBACK and not cell.options.keys() & {*card.get(NO_ECHO_WITH, ())}


def available_echoes(catalogue: Catalogue) -> dict[str, Stack]:
    """Return the echo stacks that can run here, by channel."""
    return {stack.channel: stack for stack in catalogue.stacks if stack.adapter == ADAPTER and stack.available}


def echoes(
    cells: Sequence[Cell], stacks: Mapping[str, Stack], known: Sizes, baselines: Mapping[str, Stack], *, quick: bool
) -> list[Echo]:
    """Return the echoes for a fork's cells; the reference echo comes first, if there is one.

    Args:
        cells: the cells of the fork.
        stacks: their stacks, by name.
        known: sizes of requests and answers; if empty, only the reference echo is returned.
        baselines: the echo stacks by channel.
        quick: whether to use fewer sizes per channel.
    """
    found: list[Echo] = []
    if REFERENCE_CHANNEL in baselines:
        found.append(
            Echo(baselines[REFERENCE_CHANNEL].id, {}, REFERENCE_BYTES, REFERENCE_BYTES, (), slices_each(len(cells), 1))
        )
    requested: dict[tuple[str, str], dict[str, Pair]] = {}
    for cell in cells:
        stack = stacks[cell.stack]
        pair = known.get((stack.adapter, stack.message, cell.group))
        if pair is not None and has_own_echo(cell, stack.card) and stack.channel in baselines:
            own = cell.options if stack.adapter == _NATIVE else {}
            # An echo has no message, so options of the message do not apply; they only change its sizes.
            of_message = stack.card.get(MESSAGE_OPTIONS, ())
            own = {name: value for name, value in own.items() if name not in of_message}
            requested.setdefault((stack.channel, json.dumps(own, sort_keys=True)), {})[cell.id] = pair
    for (channel, options), mine in requested.items():
        ladder = cross([*mine.values()], _QUICK_RUNGS if quick else _RUNGS)
        slices = slices_each(len(mine), len(ladder))
        found += [
            Echo(baselines[channel].id, json.loads(options), *pair, tuple(sorted(mine)), slices) for pair in ladder
        ]
    return found


def slices_each(cells: int, echoes_: int) -> int:
    """Return how often each of the echoes is driven in a round beside the cells that they serve."""
    return max(1, min(MOST_SLICES, cells // max(1, echoes_)))


class EchoTask(Task):
    """The task of one echo in each round."""

    def __init__(self, echo: Echo) -> None:
        """Prepare the task."""
        self.echo = echo
        self.unit = echo.stack
        self.result: EchoRecord | None = None

    def next_slice(self, number: int) -> SlicePlan | None:  # noqa: ARG002 - in every round
        """Return one slice."""
        self.result = None
        return SlicePlan(self.echo.cell, Length(ECHO_SECONDS, CALLS_PER_SLICE))

    def add_slice(self, plan: SlicePlan, result: SliceSeen) -> None:  # noqa: ARG002 - the interface
        """Store the slice as a journal record, with two percentiles instead of the histogram."""
        done = {key: value for key, value in result["done"].items() if key not in ("latency", "service", "lateness")}
        latency = result["done"].get("latency")
        self.result = EchoRecord(
            stack=self.echo.stack,
            options=dict(self.echo.options),
            request_bytes=self.echo.request_bytes,
            answer_bytes=self.echo.answer_bytes,
            cells=list(self.echo.cells),
            started=result["started"],
            done=cast("Driven", done),
            p50_ns=_quantile(latency, 0.5),
            p99_ns=_quantile(latency, 0.99),
        )

    @property
    def rate(self) -> float | None:
        """Echoes per second of this round; None if there was none."""
        return window_of(self.result["done"]).per_s or None if self.result is not None else None


class MachineState:
    """Detects, from echoes alone, rounds in which the machine ran at another speed. One object for each condition."""

    def __init__(self) -> None:
        """Start without any known rounds."""
        self._logs: dict[str, list[float]] = {}
        self._rounds = self._repeats = 0

    def is_outlier(self, rates: Mapping[str, float]) -> bool:
        """Return whether a round is an outlier and may be repeated.

        Args:
            rates: echoes per second, by echo.
        """
        deviations = [
            math.log(rate) - statistics.median(self._logs[key])
            for key, rate in rates.items()
            if len(self._logs.get(key, ())) >= KNOWN_ROUNDS
        ]
        if not deviations or self._repeats * ROUNDS_PER_REPEAT >= self._rounds:
            return False
        return abs(statistics.median(deviations)) > math.log(OUTLIER_FACTOR)

    def add_repeat(self) -> None:
        """Count a repeated round."""
        self._repeats += 1

    def add_round(self, rates: Mapping[str, float]) -> None:
        """Add a round that counts."""
        self._rounds += 1
        for key, rate in rates.items():
            self._logs.setdefault(key, []).append(math.log(rate))


def _quantile(latency: StoredHistogram | None, share: float) -> int | None:
    """Return the lower bound of the bucket with this share of an echo's times, in nanoseconds."""
    if latency is None:
        return None
    left = share * latency["count"]
    for index, count in latency["buckets"]:
        left -= count
        if left <= 0:
            octave, step = divmod(int(index), 128)
            return int(index) if index < 128 else (128 + step) << (octave - 1)
    return None
