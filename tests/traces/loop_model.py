"""The load loop of contract/LOOP.md as a program: plain, slow, and the measure of all others.

It simulates one client of a trace, and returns the expected result. Times are nanoseconds.
"""

from collections import Counter
from dataclasses import dataclass, field
from math import ceil, floor
from typing import Any

from scripted import Clock, Plan, Stack, Trace

START_SPIN_NS = 30_000
PIECE_NS = 100_000_000
ERRORS_IN_A_ROW = 100
CALLS_BEFORE_BATCHES = 16
READINGS_OF_A_CALL = 20
BATCH_NS = 100_000
MOST_OF_A_BATCH = 4096
MOST_MADE = 1000
HIGHEST = (1 << 42) - 1


def bucket_of(value: int) -> int:
    """Give the histogram's bucket of a time, as CONTRACT.md numbers them."""
    value = min(value, HIGHEST)
    if value < 128:
        return value
    octave = value.bit_length() - 1
    return 128 * (octave - 6) + (value >> (octave - 7)) - 128


def lower_bound(bucket: int) -> int:
    """Give the least time of a bucket."""
    if bucket < 128:
        return bucket
    octave = 6 + bucket // 128
    return (128 + bucket % 128) << (octave - 7)


@dataclass
class Histogram:
    """Times in buckets, with their exact count, sum, least and greatest."""

    buckets: Counter[int] = field(default_factory=Counter)
    values: list[int] = field(default_factory=list)

    def record(self, value: int) -> None:
        self.buckets[bucket_of(value)] += 1
        self.values.append(value)

    def median(self) -> int | None:
        """Give the lower bound of the bucket that holds the middle value; None of nothing."""
        if not self.values:
            return None
        return lower_bound(bucket_of(sorted(self.values)[ceil(len(self.values) / 2) - 1]))

    def as_json(self) -> dict[str, Any]:
        return {
            "count": len(self.values),
            "sum_ns": str(sum(self.values)),
            "min_ns": min(self.values, default=0),
            "max_ns": max(self.values, default=0),
            "buckets": [list(pair) for pair in sorted(self.buckets.items())],
        }


@dataclass
class Flight:
    """What went beyond a moment: right answers after it, calls in flight at it, and the parts of those before it."""

    after: int = 0
    flying: int = 0
    part: float = 0.0

    def note(self, moment: int, started: int, ended: int, right: int) -> None:
        self.after += right
        if started < moment:
            before = float(right) * float(moment - started) / float(ended - started)
            self.after -= floor(before)
            self.part += before - floor(before)
            self.flying += 1

    def as_json(self) -> dict[str, Any]:
        return {"after": self.after, "flying": self.flying, "part": self.part}


@dataclass
class Pool:
    """The calls still to be made."""

    left: int
    portion: int

    def draw(self, wish: int) -> int:
        drawn = min(self.left, max(wish, self.portion))
        self.left -= drawn
        return drawn


class Loop:
    """One client."""

    def __init__(self, plan: Plan, clock: Clock, stack: Stack) -> None:
        """Make a loop that has not begun."""
        self.plan, self.clock, self.stack = plan, clock, stack
        self.limit = plan.start + plan.limit_ns
        self.end = plan.start + min(plan.length_ns, plan.limit_ns)
        self.pool = Pool(plan.calls, max(1, min(256, plan.calls // plan.clients // 16)))
        self.held = self.errors_in_a_row = 0
        self.batch = 1
        self.calls = self.in_call = self.think = self.gap = 0
        self.left = self.ended = 0
        self.errors: Counter[str] = Counter()
        self.latency, self.service, self.lateness = Histogram(), Histogram(), Histogram()
        self.due_later, self.late_for_time, self.late_for_limit = False, Flight(), Flight()
        self.made: list[list[int]] = []

    def run(self) -> None:
        """Play the client from before the common start to its end."""
        t = self.wait_until(self.plan.start, START_SPIN_NS)
        self.gap += t - self.plan.start
        self.left = self.ended = t
        if self.plan.gaps is not None:
            self.open_loop(t, self.plan.gaps)
        else:
            self.closed_loop(self.begin(t))

    def wait_until(self, moment: int, spin: int) -> int:
        while (n := self.clock.now()) < moment:
            if n < moment - spin:
                self.clock.sleep_until(moment - spin)
        return n

    def burn(self) -> None:
        if self.plan.burn_ns > 0:
            stop = self.clock.now() + self.plan.burn_ns
            while self.clock.now() < stop:
                pass

    def leaves(self, n: int) -> bool:
        return n >= self.limit or self.errors_in_a_row >= ERRORS_IN_A_ROW

    def admit(self, n: int, wish: int) -> int:
        """Give how many calls may begin; 0: the client is done."""
        if self.held == 0:
            self.held = self.pool.draw(wish)
        if self.held == 0:
            return wish if n < self.end and not self.leaves(n) else 0
        if self.leaves(n):
            return 0
        admitted = min(self.held, wish)
        self.held -= admitted
        return admitted

    def thinks_until(self, n: int, moment: int) -> int:
        no_call_is_left = self.held == 0 and self.pool.left == 0
        return min(moment, max(self.end, n) if no_call_is_left else self.limit)

    def begin(self, t: int) -> int:
        """Let the client begin at its place among the others; gives when it does."""
        plan = self.plan
        if plan.ramp_up_ns > 0:
            first = min(plan.start + plan.ramp_up_ns * plan.place // plan.clients, self.limit)
            begun = self.wait_until(first, plan.spin_ns)
            self.gap += begun - t
            self.left = self.ended = begun
        elif plan.think_ns > 0:
            first = min(plan.start + plan.think_ns * (2 * plan.place + 1) // (2 * plan.clients), self.limit)
            begun = self.wait_until(self.thinks_until(t, first), plan.spin_ns)
            self.think += begun - t
            self.left = begun
        else:
            begun = t
        return begun

    def closed_loop(self, t: int) -> None:
        plan = self.plan
        if plan.timing == "each" or plan.think_ns > 0:
            self.each(t, None)
            return
        if not self.each(t, CALLS_BEFORE_BATCHES):
            return
        self.batch = self.batch_size()
        if self.batch == 1:
            self.each(self.ended, None)
        else:
            self.batches(self.ended)

    def batch_size(self) -> int:
        m, reading = self.latency.median(), self.plan.reading_ns
        if m is None or (self.plan.timing == "auto" and m >= READINGS_OF_A_CALL * reading):
            return 1
        return min(max(floor(BATCH_NS / max(1, m - reading)), 1), MOST_OF_A_BATCH)

    def each(self, t: int, most: int | None) -> bool:
        """Make at most so many calls, each timed. Return whether the drive continues."""
        made = 0
        while most is None or made < most:
            if self.admit(t, 1) == 0:
                return False
            made += 1
            started = self.clock.now()
            answer = self.stack.call()
            self.burn()
            self.gap += started - t
            due = t
            t = self.call_ended(started)
            self.left = t
            right = self.judge(answer)
            if right:
                self.latency.record(t - started)
            if t > self.end:
                self.late(due, started, t, int(right))
            if self.plan.think_ns > 0:
                thought = self.wait_until(self.thinks_until(t, t + self.plan.think_ns), self.plan.spin_ns)
                self.think += thought - t
                self.left = t = thought
        return True

    def batches(self, t: int) -> None:
        while (k := self.admit(t, self.batch)) > 0:
            started = self.clock.now()
            before = self.calls
            for _ in range(k):
                answer = self.stack.call()
                self.burn()
                if not self.judge(answer) and self.leaves(started):
                    break
            self.gap += started - t
            due = t
            t = self.call_ended(started)
            self.left = t
            if t > self.end:
                self.late(due, started, t, self.calls - before)

    def open_loop(self, idle_since: int, gaps: tuple[int, ...]) -> None:
        plan = self.plan
        number, due = 0, 0
        while True:
            due += gaps[number % len(gaps)]
            if number >= plan.calls and due >= plan.length_ns:
                return
            number += 1
            intended = plan.start + due
            n = self.clock.now()
            while n < intended and not self.leaves(n):
                n = self.wait_until(min(intended, n + PIECE_NS, self.limit), plan.spin_ns)
            if self.leaves(n):
                return
            started = self.clock.now()
            answer = self.stack.call()
            self.burn()
            t = self.call_ended(started)
            right = self.judge(answer)
            if t > self.end:
                self.late(intended, started, t, int(right))
            if right:
                self.latency.record(t - intended)
                self.service.record(t - started)
                self.lateness.record(started - max(intended, idle_since))
            idle_since = self.clock.now()

    def call_ended(self, started: int) -> int:
        """Read the clock after a call or a batch."""
        self.ended = self.clock.now()
        self.in_call += self.ended - started
        self.made.append([started, self.ended])
        return self.ended

    def judge(self, answer: str) -> bool:
        """Check and count one answer; whether it is right."""
        if answer == "right":
            self.calls += 1
            self.errors_in_a_row = 0
            return True
        self.errors["wrong-answer" if answer == "wrong" else answer] += 1
        self.errors_in_a_row += 1
        return False

    def late(self, due: int, started: int, ended: int, right: int) -> None:
        if due >= self.end:
            self.due_later = True
        else:
            self.late_for_time.note(self.end, started, ended, right)
        if ended > self.limit:
            self.late_for_limit.note(self.limit, started, ended, right)

    def gave_up(self) -> bool:
        return self.errors_in_a_row >= ERRORS_IN_A_ROW

    def window(self) -> tuple[int, Flight]:
        """Give how long the window is, and what went beyond it."""
        elapsed = self.elapsed()
        length = self.end - self.plan.start
        if self.due_later:
            return max(1, min(elapsed, self.plan.limit_ns)), self.late_for_limit
        if self.gave_up():
            return max(1, min(elapsed, length)), self.late_for_time
        return max(1, length), self.late_for_time

    def elapsed(self) -> int:
        return max(1, self.ended - self.plan.start)


def played(trace: Trace) -> dict[str, Any]:
    """Play a trace; gives its `expect`."""
    clock = Clock(trace.script)
    loop = Loop(trace.plan, clock, Stack(trace.script, clock))
    loop.run()
    is_open = trace.plan.gaps is not None
    window_ns, flight = loop.window()
    done = {
        "calls": loop.calls,
        "errors": dict(sorted(loop.errors.items())),
        "elapsed_ns": loop.elapsed(),
        "window_ns": window_ns,
        "answered": loop.calls - flight.after,
        "in_flight": flight.flying,
        "in_flight_part": flight.part,
        "timed": "each" if loop.batch == 1 else "batch",
        "batch": loop.batch,
        "latency": loop.latency.as_json() if loop.batch == 1 else None,
        "service": loop.service.as_json() if is_open else None,
        "lateness": loop.lateness.as_json() if is_open else None,
        "in_call_ns": str(loop.in_call),
        "think_ns": str(loop.think - max(0, loop.left - loop.ended)),
        "gap_ns": None if is_open else str(loop.gap + max(0, loop.ended - loop.left)),
    }
    late = {"due_later": loop.due_later, "time": loop.late_for_time.as_json(), "limit": loop.late_for_limit.as_json()}
    return {"done": done, "late": late, "gave_up": loop.gave_up(), "made": loop.made[:MOST_MADE]}
