"""A golden trace of contract/LOOP.md: the loop with a scripted clock and a scripted stack."""

from collections.abc import Iterator, Mapping
from itertools import cycle
from typing import Any

from callbench_python.clock import Clock
from callbench_python.driving import added_up, finish
from callbench_python.loop import Call, Drive, LoopTask

_MOST = 1000


class _Script(Clock):
    """Clock and clients: each reading takes a while, a sleep ends late, a call answers as it is written."""

    connections = 1

    def __init__(self, script: Mapping[str, Any], *, awaits: bool) -> None:
        self._time: int = script["clock_start_ns"]
        self._reading: int = script["reading_takes_ns"]
        self._oversleep: int = script["oversleeps_ns"]
        self._calls: Iterator[dict[str, Any]] = cycle(script["calls"])
        self.awaits, self.now = awaits, self._read

    def _read(self) -> int:
        self._time += self._reading
        return self._time - self._reading

    async def sleep(self, until: int, now: int) -> None:
        if until > now:
            self._time = max(self._time, until + self._oversleep)

    def caller(self, _place: int, _operation: str) -> Call:
        return self._awaited if self.awaits else self._call

    def _call(self, _: object) -> bool:
        call = next(self._calls)
        self._time += call["takes_ns"]
        if call["answer"] not in ("right", "wrong"):
            raise ValueError(call["answer"])
        return bool(call["answer"] == "right")

    async def _awaited(self, arguments: object) -> bool:
        return self._call(arguments)

    def kind_of(self, error: Exception) -> tuple[str, str]:
        return str(error), ""

    def close(self) -> None:
        pass


def traced(plan: dict[str, Any], script: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a trace, replayed as a client with its own thread and as one on an event loop.

    Raises:
        RuntimeError: the two differ.
    """
    threads, awaiting = (_played(dict(plan), _Script(script, awaits=awaits)) for awaits in (False, True))
    if threads != awaiting:
        raise RuntimeError(f"on an event loop the loop gives {awaiting}, with a thread {threads}")
    return threads


def _played(plan: dict[str, Any], script: _Script) -> dict[str, Any]:
    place, start = plan.pop("place"), plan.pop("start")
    drive = Drive(**plan)
    drive.open(start)
    task = LoopTask(drive, place, script, "", [(None, True, None)])
    task.clock, task.readings = script, []
    finish(task.run())
    return {"done": added_up(drive, [task]), "made": task.readings[:_MOST]}
