"""The service of contract/SERVICE.md: it looks answers up and generates none; what it lacks it asks the host for."""

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future  # noqa: TC003 - an alias below has it
from typing import Any

from callbench_python.values import answer_of, plain_of

_ANSWERS = 256
# Asks for the answer of a call.
Ask = Callable[[str, Mapping[str, Any]], "Future[Mapping[str, Any]]"]


class Fault(Exception):  # noqa: N818 - what the service answers
    """The service's own no."""


class Service:
    """Answers calls on a server's event loop, as slowly as told, and counts them."""

    def __init__(self, ask: Ask, delays: Mapping[str, float]) -> None:
        """Answer by what `ask` brings; the delays are those of `serve`, in microseconds."""
        self.ask = ask
        self._held: OrderedDict[object, asyncio.Future[tuple[Any, str | None]]] = OrderedDict()
        self._counts: Counter[str] = Counter()
        self._told: Counter[str] = Counter()
        names = ("delay_us", "stall_us", "stall_every_us", "burn_us")
        self._delay, self._stall, self._every, self._burn = (round(delays.get(name, 0) * 1000) for name in names)
        self._slow = bool(self._delay or self._stall or self._burn)

    def take_counts(self) -> dict[str, int]:
        """What was answered since last asked, by operation."""
        # Only the server's thread writes its counts, so that none is lost between two threads.
        before, self._told = self._told, Counter(self._counts)
        return dict(self._told - before)

    async def answer(self, operation: str, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - any value of the service
        """The answer of an operation that there is, with the parameters that it has.

        Raises:
            Fault: the service refuses.
            TypeError: an argument is of the wrong type.
        """
        # Counted first, so that no client sees an answer that is not counted yet.
        self._counts[operation] += 1
        if self._slow:
            await self._take_time()
        match operation:
            case "Sum":
                return (arguments["a"] + arguments["b"] + (1 << 31)) % (1 << 32) - (1 << 31)
            case "Hello":
                return "Hello World"
            case "EchoString" | "EchoStructure":
                return next(iter(arguments.values()))
            case "GetPersons" | "FindItems" | "GetBinaryData":
                return await self._look_up(operation, arguments)
        return None

    async def _look_up(self, operation: str, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - as above
        key = (operation, *sorted(arguments.items()))
        held = self._held.get(key)
        if held is None:
            # Whoever else wants it meanwhile waits for the same.
            held = self._held[key] = asyncio.ensure_future(self._told_by_host(operation, arguments))
            if len(self._held) > _ANSWERS:
                self._held.popitem(last=False)
        answer, fault = await held
        if fault is not None:
            raise Fault(fault)
        return answer

    async def _told_by_host(self, operation: str, arguments: Mapping[str, Any]) -> tuple[Any, str | None]:
        told = await asyncio.wrap_future(self.ask(operation, plain_of(arguments)))
        return (None, told["fault"]) if "fault" in told else (answer_of(operation, told["value"]), None)

    async def _take_time(self) -> None:
        """Wait and work. A call within a stall waits for its end, as if the server really stood still."""
        now = time.monotonic_ns
        await _until(now() + self._delay)
        if self._stall:
            # By the clock itself, so that all processes of a server stand still together.
            since = now()
            left = self._every - since % self._every
            await _until(since + left if left <= self._stall else 0)
        end = now() + self._burn
        while now() < end:
            pass


async def _until(due: int) -> None:
    while (left := due - time.monotonic_ns()) > 0:  # noqa: ASYNC110 - there is no event but the time
        await asyncio.sleep(left / 1e9)
