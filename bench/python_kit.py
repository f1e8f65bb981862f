"""What the Python kit costs a call over two readings of its clock, and how late its open loop is over a bare timer.

`bench/run python_kit`, or with the number of pairs: `.venv/bin/python bench/python_kit.py 501`. Both kinds of clients:
one thread each, and one event loop. On the event loop the empty stack returns an answer that exists already: creating
and awaiting a coroutine is the cost of an asyncio stack, and is shown beside it. Goals: at most 3, and at most 2 for
lateness.
"""

import asyncio
import random
import sys
import time
from array import array
from collections.abc import Callable, Sequence
from itertools import repeat
from pathlib import Path
from statistics import median, quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "adapters" / "python"))

from callbench_python.clock import Clock, LoopClock, reading_ns, sharpen_sleeps
from callbench_python.driving import driven
from callbench_python.loop import Call, Drive, LoopTask

CALLS = 5_000
MOST_COST = 3.0
MOST_LATENESS = 2.0
CLIENTS = 4
SECONDS = 2
ROUNDS = 5
# Duration of a call of the stack whose open loop is measured, asleep: about as long as a call over HTTP.
CALL_S = 0.001


class Stack:
    """Clients of a stack that makes the one call it is given."""

    connections = 0

    def __init__(self, call: Call, *, awaits: bool) -> None:
        """Of either kind."""
        self._call, self.awaits = call, awaits

    def caller(self, _place: int, _operation: str) -> Call:
        """The call."""
        return self._call

    def kind_of(self, error: Exception) -> tuple[str, str]:
        """None is expected."""
        return "internal", repr(error)

    def close(self) -> None:
        """There is nothing to close."""


def nothing(_: object) -> None:
    """An empty stack."""


async def awaited_nothing(_: object) -> None:
    """An empty stack whose call is a coroutine."""


def already(_: object) -> "asyncio.Future[None]":
    """An empty stack whose answer is there."""
    return DONE


def asleep(_: object) -> None:
    """A stack that takes a while."""
    time.sleep(CALL_S)


async def awaited_sleep(_: object) -> None:
    """The same on an event loop."""
    await asyncio.sleep(CALL_S)


DONE = asyncio.new_event_loop().create_future()
DONE.set_result(None)


def main() -> None:
    """Prints both."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 501
    sharpen_sleeps()
    cost("threads", Stack(nothing, awaits=False), pairs)
    cost("event loop", Stack(already, awaits=True), pairs)
    cost("event loop, a coroutine a call", Stack(awaited_nothing, awaits=True), pairs)
    lateness("threads", Stack(asleep, awaits=False), timed_by_thread)
    lateness("event loop", Stack(awaited_sleep, awaits=True), lambda dues: asyncio.run(timed_by_loop(dues)))


def bare() -> float:
    """Nanoseconds of two readings."""
    now = time.monotonic_ns
    began = now()
    for _ in repeat(None, CALLS):
        now()
        now()
    return (now() - began) / CALLS


def drive(stack: Stack, clients: int, calls: int, gaps: Sequence[int] | None = None) -> dict[str, Any]:
    """One drive of the kit, bound by its calls."""
    spin = (LoopClock if stack.awaits else Clock).spin_ns
    asked = Drive(clients, calls, 0, 60 * 10**9, "each", 0, 0, 0, gaps, reading_ns(), spin)
    tasks = [LoopTask(asked, place, stack, "", [({}, None, None)]) for place in range(clients)]
    return driven(asked, tasks, 0, lambda *_: None)


def cost(name: str, stack: Stack, pairs: int) -> None:
    """Prints the medians of slices of two readings against slices of the loop, in pairs whose order is drawn."""
    slices: list[Callable[[], float]] = [bare, lambda: drive(stack, 1, CALLS)["elapsed_ns"] / CALLS]
    taken = []
    for _ in range(pairs):
        found = {place: slices[place]() for place in random.sample((0, 1), 2)}
        taken.append((found[0], found[1]))
    low, middle, high = quantiles((own / two for two, own in taken), n=4)
    two, own = (median(its[side] for its in taken) for side in (0, 1))
    verdict = "within" if middle <= MOST_COST else "beyond"
    print(f"{name}: two readings {two:.1f} ns, load loop {own:.1f} ns a call (medians of {pairs} pairs)")
    fastest = min(own for _, own in taken) / min(two for two, _ in taken)
    shown = f"quartiles {low:.2f} and {high:.2f}; of the fastest slices {fastest:.2f}"
    print(f"  ratio {middle:.2f} ({shown}): {verdict} {MOST_COST:g}")


def lateness(name: str, stack: Stack, timer: Callable[[Sequence[int]], list[int]]) -> None:
    """Prints the p99 of how late calls begin at half of capacity, over that of a bare timer at the same moments."""
    closed = drive(stack, CLIENTS, 1000)
    gap = round(2 * closed["elapsed_ns"] / closed["calls"])
    count = SECONDS * 10**9 // gap
    ratios = []
    for _ in range(ROUNDS):
        done = drive(stack, CLIENTS, count, array("Q", [gap]))
        own = p99(value for index, times in done["lateness"]["buckets"] for value in [lower_bound(index)] * times)
        start = time.monotonic_ns() + 10**6
        other = p99(timer([start + gap * (number + 1) for number in range(count)]))
        ratios.append(own / other)
        print(f"{name}, {1e9 / gap:,.0f} calls/s: late {own / 1e3:.1f} us at p99, a bare timer {other / 1e3:.1f} us")
    verdict = "within" if median(ratios) <= MOST_LATENESS else "beyond"
    print(f"  median ratio {median(ratios):.2f}: {verdict} {MOST_LATENESS:g}")


def timed_by_thread(dues: Sequence[int]) -> list[int]:
    """How late a thread is that sleeps, and then reads the clock, for the same time as the kit."""
    now, late = time.monotonic_ns, []
    for due in dues:
        idle = moment = now()
        while moment < due:
            if moment < due - Clock.spin_ns:
                time.sleep((due - Clock.spin_ns - moment) / 1e9)
            moment = now()
        late.append(moment - max(due, idle))
    return late


async def timed_by_loop(dues: Sequence[int]) -> list[int]:
    """How late a task of asyncio is, whose sleep is all there is."""
    now, late = time.monotonic_ns, []
    for due in dues:
        idle = moment = now()
        while moment < due:
            await asyncio.sleep((due - moment) / 1e9)
            moment = now()
        late.append(moment - max(due, idle))
    return late


def lower_bound(index: int) -> int:
    """The least value of a bucket of the contract."""
    above = max(0, (index >> 7) - 1)
    return (index - (above << 7)) << above


def p99(values: Any) -> int:  # noqa: ANN401 - any iterable of whole numbers
    """The 99th percentile."""
    found: list[int] = sorted(values)
    return max(1, found[len(found) * 99 // 100])


if __name__ == "__main__":
    main()
