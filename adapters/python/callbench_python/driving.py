"""One drive: starts the clients of a stack together, reports their progress, and adds up their statistics."""

import asyncio
import queue
import resource
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from functools import cache
from typing import Any, TypeVar

from callbench_python.clock import LoopClock
from callbench_python.loop import Drive, Flight, LoopTask
from callbench_python.stacks.failures import Refusal

_TICK_NS = 100_000_000
_Result = TypeVar("_Result")


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    """A new event loop on its own thread, for clients that share it."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop


def on_event_loop(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Wait for what runs on the event loop of all clients."""
    return asyncio.run_coroutine_threadsafe(work, _event_loop()).result()


def processor() -> dict[str, str]:
    """What the process has used so far, all its threads together."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {"user_ns": str(round(used.ru_utime * 1e9)), "system_ns": str(round(used.ru_stime * 1e9))}


def finish(client: Coroutine[Any, Any, None]) -> None:
    """Run a client on its own thread to its end. It must not suspend.

    Raises:
        RuntimeError: it suspends.
    """
    try:
        client.send(None)
    except StopIteration:
        return
    raise RuntimeError("a client with a thread of its own awaits something")


def driven(
    drive: Drive, tasks: Sequence[LoopTask], start_at: int, report: Callable[[int, int, int], None]
) -> dict[str, Any]:
    """Drive to the end. Returns the members of `done`.

    Args:
        drive: what is to be done.
        tasks: its clients, all of one kind.
        start_at: the common start, on the clock, or earlier: as soon as all clients are awake.
        report: is told how far the drive is: nanoseconds since the start, calls made, errors.

    Raises:
        Refusal: there are not threads enough.
        OSError: there is no timer for the event loop.
    """
    # An end for each client: None, or why it broke off.
    ends: queue.SimpleQueue[Exception | None] = queue.SimpleQueue()
    opened = threading.Event()
    before: list[dict[str, str]] = []

    def start() -> None:
        before.append(processor())
        drive.open(max(start_at, time.monotonic_ns() + 100_000 + 10_000 * len(tasks)))
        opened.set()

    async def one(task: LoopTask) -> None:
        try:
            await task.run()
            ends.put(None)
        except Exception as failure:  # noqa: BLE001 - who waits for the ends tells
            ends.put(failure)

    def on_thread(task: LoopTask) -> None:
        opened.wait()
        if before:
            finish(one(task))

    async def timed() -> LoopClock:
        return LoopClock()

    async def together(clock: LoopClock) -> None:
        for task in tasks:
            task.clock = clock
        running = [asyncio.create_task(one(task)) for task in tasks]
        start()
        await asyncio.gather(*running)
        clock.close()

    if tasks[0].awaits:
        asyncio.run_coroutine_threadsafe(together(on_event_loop(timed())), _event_loop())
        opened.wait()
    else:
        try:
            _start_threads(on_thread, tasks)
            start()
        finally:
            opened.set()  # those that wait in vain go home
    _watch(drive, tasks, ends, report)
    threads = 1 if tasks[0].awaits else len(tasks)
    return {**added_up(drive, tasks), "processor": {"start": before[0], "end": processor()}, "threads": threads}


def _start_threads(body: Callable[[LoopTask], None], tasks: Sequence[LoopTask]) -> None:
    try:
        for task in tasks:
            threading.Thread(target=body, args=(task,), daemon=True).start()
    except RuntimeError as failure:
        raise Refusal("out-of-resources", f"a thread for each of {len(tasks)} clients: {failure}") from failure


def _watch(
    drive: Drive,
    tasks: Sequence[LoopTask],
    ends: "queue.SimpleQueue[Exception | None]",
    report: Callable[[int, int, int], None],
) -> None:
    """Report until every client has ended, ten times a second and once when the time is over."""
    tick, end = drive.start + _TICK_NS, drive.end
    for _ in tasks:
        while True:
            due = min(tick, end or tick)
            try:
                failure = ends.get(timeout=max(0, due - time.monotonic_ns()) / 1e9)
                break
            except queue.Empty:
                made = sum(before + len(its) for before, its in (task.made for task in tasks))
                report(time.monotonic_ns() - drive.start, made, drive.errors.total())
                tick, end = tick + _TICK_NS * (due == tick), end * (due != end)
        if failure is not None:
            raise failure


def added_up(drive: Drive, tasks: Sequence[LoopTask]) -> dict[str, Any]:
    """The members of `done` that are sums over all clients of a drive or trace."""
    ended, is_open = max(task.ended for task in tasks), drive.gaps is not None
    return {
        "calls": sum(task.calls for task in tasks),
        "errors": drive.errors,
        "error_messages": drive.error_messages,
        "elapsed_ns": max(1, ended - drive.start),
        "batch": max(1, drive.batch),
        "latency": None if drive.batch > 1 else drive.latency.sparse(),
        "service": drive.service.sparse() if is_open else None,
        "lateness": drive.lateness.sparse() if is_open else None,
        "in_call_ns": str(sum(task.in_call for task in tasks)),
        "think_ns": str(sum(task.think - max(0, task.left - ended) for task in tasks)),
        "gap_ns": None if is_open else str(sum(task.gap + max(0, ended - task.left) for task in tasks)),
        "late": {
            "due_later": any(task.due_later for task in tasks),
            "time": _summed([task.late_time for task in tasks]),
            "limit": _summed([task.late_limit for task in tasks]),
        },
        "gave_up": all(task.gave_up for task in tasks),
    }


def _summed(flights: Sequence[Flight]) -> dict[str, float]:
    return {name: sum(getattr(its, name) for its in flights) for name in ("after", "flying", "part")}
