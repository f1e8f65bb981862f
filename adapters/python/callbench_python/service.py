"""The service of contract/SERVICE.md: it looks answers up, and requests missing ones from the host."""

import asyncio
import json
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future  # noqa: TC003 - an alias below has it
from functools import partial
from typing import Any

from callbench_python import own
from callbench_python.values import answer_of, arguments_plain

# The most answers that are kept: of the service, and of one of the user's own, whose pairs may be many.
_ANSWERS, _OWN_ANSWERS = 256, 4096
# An answer, or the sentence of a fault.
_Told = tuple[Any, str | None]
# Asks for the answer of a call.
Ask = Callable[[str, Mapping[str, Any]], "Future[Mapping[str, Any]]"]


class Fault(Exception):  # noqa: N818 - what the service answers
    """An error that the service reports."""


class Service:
    """Answers calls on a server's event loop, with the requested delays, and counts them."""

    def __init__(self, ask: Ask, delays: Mapping[str, float]) -> None:
        """Answer by what `ask` brings; the delays are those of `serve`, in microseconds."""
        self.ask = ask
        self._held: OrderedDict[object, asyncio.Future[_Told]] = OrderedDict()
        self._counts: Counter[str] = Counter()
        self._told: Counter[str] = Counter()
        names = ("delay_us", "stall_us", "stall_every_us", "burn_us")
        self._delay, self._stall, self._every, self._burn = (round(delays.get(name, 0) * 1000) for name in names)
        self._slow = bool(self._delay or self._stall or self._burn)

    def take_counts(self) -> dict[str, int]:
        """The answered calls since the last request for counts, by operation."""
        # Only the server's thread writes its counts, so that none is lost between two threads.
        before, self._told = self._told, Counter(self._counts)
        return dict(self._told - before)

    async def answer(self, operation: str, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - any value of the service
        """The answer of an existing operation with valid parameter names.

        Raises:
            Fault: the service refuses.
            TypeError: an argument has the wrong type.
        """
        if operation in own.CALLS:
            # A dict cannot be looked up, but its text can.
            text = json.dumps(arguments["request"], default=bytes.hex)
            return await self.own_answer(
                operation, text, lambda: arguments_plain(operation, arguments), partial(answer_of, operation)
            )
        await self._begin(operation)
        match operation:
            case "Sum":
                return (arguments["a"] + arguments["b"] + (1 << 31)) % (1 << 32) - (1 << 31)
            case "Hello":
                return "Hello World"
            case "EchoString" | "EchoStructure":
                return next(iter(arguments.values()))
            case "GetPersons" | "FindItems" | "GetBinaryData":
                key = (operation, *sorted(arguments.items()))
                return await self._look_up(
                    key,
                    lambda: self._told_by_host(
                        operation, arguments_plain(operation, arguments), partial(answer_of, operation)
                    ),
                    _ANSWERS,
                )
        return None

    async def own_answer(self, call: str, key: object, plain: Callable[[], Any], held: Callable[[Any], Any]) -> Any:  # noqa: ANN401 - as above
        """The answer to a call of the user's own.

        Args:
            call: its name.
            key: the whole request, in a form that can be looked up.
            plain: gives the arguments as the host knows them.
            held: makes the answer of what the host says.

        Raises:
            Fault: the service refuses.
        """
        await self._begin(call)
        return await self._look_up((call, key), lambda: self._told_by_host(call, plain(), held), _OWN_ANSWERS)

    async def _begin(self, operation: str) -> None:
        # Counted first, so that no client sees an answer that is not counted yet.
        self._counts[operation] += 1
        if self._slow:
            await self._take_time()

    async def _look_up(self, key: object, tell: Callable[[], Coroutine[Any, Any, _Told]], most: int) -> Any:  # noqa: ANN401 - as above
        held = self._held.get(key)
        if held is None:
            # Concurrent calls wait for the same answer.
            held = self._held[key] = asyncio.ensure_future(tell())
            if len(self._held) > most:
                self._held.popitem(last=False)
        answer, fault = await held
        if fault is not None:
            raise Fault(fault)
        return answer

    async def _told_by_host(self, operation: str, plain: Mapping[str, Any], held: Callable[[Any], Any]) -> _Told:
        told = await asyncio.wrap_future(self.ask(operation, plain))
        return (None, told["fault"]) if "fault" in told else (held(told["value"]), None)

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
