"""The load loop of contract/LOOP.md, with the same code for clients on their own threads and on an event loop.

It is a coroutine. For a client with its own thread, it never suspends: its clock sleeps directly, and its calls
return answers, not awaitables. So it runs to its end at the first step.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, count, cycle, islice
from operator import sub
from threading import Lock
from typing import Any, Protocol

from callbench_python.clock import Clock
from callbench_python.histogram import Histogram

Call = Callable[[Any], Any]
# Compares the k-th answer of a client in constant time. None if the answer is compared completely.
Look = Callable[[Any, int], bool]
# Arguments, the right answer, and how it is looked into.
Payload = tuple[Any, Any, Look | None]

_START_SPIN_NS = 30_000
_HANDFUL = 16
_READINGS = 20
_BATCH_NS = 100_000
_MOST_IN_BATCH = 4096
_PIECE_NS = 100_000_000
_HOPELESS = 100
_PORTION = 256
# The number of readings that are kept before they are summed up.
_KEPT = 1024
_FAILED = object()


class Pool(Protocol):
    """Connected clients of a stack.

    Attributes:
        awaits: whether their calls are awaitable, on an event loop that all of them share; else each has a thread.
        connections: how many are open.
    """

    awaits: bool
    connections: int

    def caller(self, place: int, operation: str) -> Call:
        """The function by which the client at a place calls an operation; it takes the arguments."""

    def kind_of(self, error: Exception) -> tuple[str, str]:
        """The kind of a failed call, and a sentence."""

    def close(self) -> Any:  # noqa: ANN401 - an awaitable where the clients are on an event loop
        """Close the connections."""


@dataclass
class Drive:
    """What the clients of a drive share: what is to be done, as LOOP.md has it, and what they measure together.

    Attributes:
        left: the pool of calls still to be made.
        batch: calls a batch; 0 while it is not known, and where each call is timed.
    """

    clients: int
    calls: int
    length_ns: int
    limit_ns: int
    timing: str
    think_ns: int
    ramp_up_ns: int
    burn_ns: int
    gaps: Sequence[int] | None
    reading_ns: float
    spin_ns: int
    batch: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    error_messages: dict[str, str] = field(default_factory=dict)
    latency: Histogram = field(default_factory=Histogram)
    service: Histogram = field(default_factory=Histogram)
    lateness: Histogram = field(default_factory=Histogram)

    def open(self, start: int) -> None:
        """Fix the common start, and fill the pool and the queue of arrivals."""
        self.start, self.limit = start, start + self.limit_ns
        self.end = start + min(self.length_ns, self.limit_ns)
        self.left = self.calls if self.gaps is None else 0
        self.lock = Lock()
        # Iterators of C alone: one thread at a time draws from them.
        self.arrivals: Iterator[tuple[int, int]] = zip(count(), accumulate(cycle(self.gaps or ())))

    def draw(self, wanted: int) -> int:
        """Take a portion of calls: at least `wanted` if there are enough."""
        with self.lock:
            taken = min(self.left, max(wanted, min(_PORTION, self.calls // self.clients // 16)))
            self.left -= taken
            return taken


@dataclass(slots=True)
class Flight:
    """Of calls that ended after a moment: right answers, those in flight at it, and the parts of these before it."""

    after: int = 0
    flying: int = 0
    part: float = 0.0

    def note(self, moment: int, started: int, ended: int, right: int) -> None:
        """Count a call, or a batch of correct ones."""
        self.after += right
        if started < moment:
            before = right * (moment - started) / (ended - started)
            self.after -= int(before)
            self.part += before % 1
            self.flying += 1


class LoopTask:
    """One client of a drive.

    Attributes:
        made: calls that are summed up, and the ends of those that are not yet. A reporter may read them at any time.
        late_time, late_limit: the calls that ended after the time was over, and after the limit.
        readings: the two of each call or batch if they are kept; else None.
    """

    def __init__(self, drive: Drive, place: int, pool: Pool, operation: str, payloads: Sequence[Payload]) -> None:
        """Be ready to call."""
        self.drive, self._place, self._rotation = drive, place, cycle(payloads)
        self._call, self.awaits, self._kind_of = pool.caller(place, operation), pool.awaits, pool.kind_of
        self.clock = Clock()
        self.calls = self.in_call = self.think = self.gap = self.left = self.ended = self._held = self._in_a_row = 0
        self.made: tuple[int, Sequence[int]] = (0, ())
        self.due_later, self.late_time, self.late_limit = False, Flight(), Flight()
        self.readings: list[tuple[int, int]] | None = None

    @property
    def gave_up(self) -> bool:
        """Whether a hundred calls in a row went wrong."""
        return self._in_a_row >= _HOPELESS

    async def run(self) -> None:
        """Call until the drive is over."""
        drive = self.drive
        moment = await self._wait_until(drive.start, _START_SPIN_NS)
        self.left = self.ended = moment
        self.gap = moment - drive.start
        if drive.gaps is None and (drive.ramp_up_ns or drive.think_ns):
            moment = await self._begin(moment)
        each = drive.timing == "each" or bool(drive.think_ns) or drive.gaps is not None
        after = await self._each(moment, _KEPT if each else _HANDFUL)
        if not each and after is not None:
            drive.batch = drive.batch or self._batch()
            if drive.batch > 1:
                await self._batches(after, drive.batch)
                after = None
        while after is not None:
            after = await self._each(after, _KEPT)
        with drive.lock:
            drive.left += self._held

    async def _wait_until(self, moment: int, spin: int) -> int:
        while (now := self.clock.now()) < moment:
            await self.clock.sleep(moment - spin, now)
        return now

    async def _begin(self, moment: int) -> int:
        """Wait for the first call of a client: according to the ramp-up, or in the middle of a think time."""
        drive = self.drive
        if drive.ramp_up_ns:
            first = min(drive.start + drive.ramp_up_ns * self._place // drive.clients, drive.limit)
            begun = self.ended = await self._wait_until(first, drive.spin_ns)
            self.gap += begun - moment
        else:
            first = drive.start + drive.think_ns * (2 * self._place + 1) // (2 * drive.clients)
            first = self._thinks_until(moment, min(first, drive.limit), 0)
            begun = await self._wait_until(first, drive.spin_ns)
            self.think = begun - moment
        self.left = begun
        return begun

    def _thinks_until(self, now: int, moment: int, held: int) -> int:
        """The end of a think time. It is earlier if no call is left."""
        return min(moment, self.drive.limit if held or self.drive.left else max(self.drive.end, now))

    def _batch(self) -> int:
        """How many calls a batch has, by what a typical one took; 1: each is timed."""
        drive, typical = self.drive, self.drive.latency.median_of_few()
        if typical is None or (drive.timing == "auto" and typical >= _READINGS * drive.reading_ns):
            return 1
        return min(_MOST_IN_BATCH, max(1, int(_BATCH_NS / max(1, typical - drive.reading_ns))))

    async def _each(self, moment: int, most: int) -> int | None:  # noqa: C901, PLR0912 - a function more costs a reading
        """Time each of at most `most` calls, the first due at a time. Returns when the next is due; None: done.

        This is most of what the kit costs per call: readings are noted here, and summed up later, all at once in C.
        """
        drive, call, awaits, now, noted = self.drive, self._call, self.awaits, self.clock.now, _Noted()
        burn_ns, think_ns, is_open, in_a_row = drive.burn_ns, drive.think_ns, drive.gaps is not None, self._in_a_row
        starts, ends, before, idle, over = noted.starts, noted.ends, self.made[0], moment, False
        noted.dues = [] if is_open else [moment]
        self.made = (before, ends)
        while len(ends) < most and not over:
            if not self._held and drive.left:
                self._held = drive.draw(1)
            held, base = self._held, len(ends)
            last = drive.limit if held or is_open else drive.end
            over = moment >= last or in_a_row >= _HOPELESS
            size = 0 if over else min(held or _PORTION, most - base)
            for arguments, expected, look in islice(self._rotation, size):
                if is_open:
                    intended = await self._arrival()
                    if intended is None:
                        over = True
                        break
                    noted.dues.append(intended)
                    noted.idles.append(idle)
                started = now()
                try:
                    answer = await call(arguments) if awaits else call(arguments)
                except Exception as error:  # noqa: BLE001 - whatever a library raises is an error of the call
                    answer, failure = _FAILED, error
                if burn_ns:
                    self._burn()
                moment = now()
                starts.append(started)
                ends.append(moment)
                if answer is expected or (answer == expected if look is None else look(answer, before + len(ends) - 1)):
                    in_a_row = 0
                else:
                    in_a_row += 1
                    noted.wrong.append(len(ends) - 1)
                    self._count_error(None if answer is not _FAILED else failure)
                    last = 0 if in_a_row >= _HOPELESS else last
                if is_open:
                    idle = now()
                elif think_ns:
                    until = self._thinks_until(moment, moment + think_ns, held and held - len(ends) + base)
                    moment = await self._wait_until(until, drive.spin_ns)
                    self.think += moment - ends[-1]
                    noted.dues.append(moment)
                if moment >= last:
                    break
            self._held = held and held - len(ends) + base
        self.left, self.made, self._in_a_row = moment, (before + len(ends), ()), in_a_row
        if ends:
            self._sum_up(noted)
        return None if over else (idle if is_open else moment)

    async def _arrival(self) -> int | None:
        """The intended time of the next call, which begins then; None if there is none, or the client stops."""
        drive, now = self.drive, self.clock.now
        number, due = next(drive.arrivals)
        if number >= drive.calls and due >= drive.length_ns:
            return None
        intended, moment = drive.start + due, now()
        while moment < min(intended, drive.limit):
            moment = await self._wait_until(min(intended, moment + _PIECE_NS, drive.limit), drive.spin_ns)
        return intended if moment < drive.limit else None

    def _sum_up(self, noted: "_Noted") -> None:
        """Take in timed calls."""
        drive, dues, starts, ends = self.drive, noted.dues, noted.starts, noted.ends
        began, ended, self.ended = sum(starts), sum(ends), ends[-1]
        self.in_call += ended - began
        # Of a closed loop without think time, the next call is due when one has ended.
        self.gap += began - (sum(dues[: len(ends)]) if len(dues) > 1 else dues[0] + ended - ends[-1])
        if dues[0] >= drive.end and ends[-1] <= drive.limit:
            self.due_later = self.due_later or ends[-1] > drive.end  # all of them were
        elif ends[-1] > drive.end:
            for index, due in enumerate((dues if len(dues) > 1 else dues + ends)[: len(ends)]):
                self._note_late(due, starts[index], ends[index], int(index not in noted.wrong))
        if self.readings is not None:
            self.readings.extend(zip(starts, ends, strict=True))
        for index in reversed(noted.wrong):
            del starts[index], ends[index], dues[index : index + bool(noted.idles)], noted.idles[index : index + 1]
        self.calls += len(ends)
        if drive.gaps is None:
            drive.latency.take(map(sub, ends, starts))
        else:
            drive.latency.take(map(sub, ends, dues))
            drive.service.take(map(sub, ends, starts))
            drive.lateness.take(map(sub, starts, map(max, dues, noted.idles)))

    def _note_late(self, due: int, started: int, ended: int, right: int) -> None:
        """Take in a call or batch for the window of the drive."""
        drive = self.drive
        if due >= drive.end:
            self.due_later = self.due_later or ended > drive.end
        elif ended > drive.end:
            self.late_time.note(drive.end, started, ended, right)
        if ended > drive.limit:
            self.late_limit.note(drive.limit, started, ended, right)

    async def _batches(self, moment: int, size: int) -> None:
        """Time batches until the drive is over."""
        drive, now = self.drive, self.clock.now
        while moment < drive.limit and self._in_a_row < _HOPELESS:
            if not self._held:
                self._held = drive.draw(size)
            if not self._held and moment >= drive.end:
                return
            made, right, due = self.made[0], 0, moment
            started = now()
            for arguments, expected, look in islice(self._rotation, min(self._held or size, size)):
                failure = None
                try:
                    answer = await self._call(arguments) if self.awaits else self._call(arguments)
                except Exception as error:  # noqa: BLE001 - whatever a library raises is an error of the call
                    answer, failure = _FAILED, error
                if drive.burn_ns:
                    self._burn()
                made += 1
                if answer == expected if look is None else look(answer, made - 1):
                    self._in_a_row, right = 0, right + 1
                    continue
                self._in_a_row += 1
                self._count_error(failure)
                if started >= drive.limit or self._in_a_row >= _HOPELESS:
                    break
            moment = self.left = self.ended = now()
            self.gap += started - due
            self.in_call += moment - started
            self.calls += right
            self._held = max(0, self._held - made + self.made[0])
            self.made = (made, ())
            self._note_late(due, started, moment, right)
            if self.readings is not None:
                self.readings.append((started, moment))

    def _burn(self) -> None:
        now = self.clock.now
        stop = now() + self.drive.burn_ns
        while now() < stop:
            pass

    def _count_error(self, failure: Exception | None) -> None:
        kind, sentence = ("wrong-answer", "") if failure is None else self._kind_of(failure)
        with self.drive.lock:
            self.drive.errors[kind] += 1
            if sentence:
                self.drive.error_messages.setdefault(kind, sentence)


@dataclass(slots=True)
class _Noted:
    """Of some calls: when each was due, its client idle (of an open loop), it began and ended; which are wrong."""

    dues: list[int] = field(default_factory=list)
    idles: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    wrong: list[int] = field(default_factory=list)
