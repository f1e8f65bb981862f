"""What a golden trace gives a load loop: its plan, a scripted clock and a scripted stack. Times are nanoseconds."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Plan:
    """What a loop is given, under the names of contract/LOOP.md."""

    place: int = 0
    clients: int = 1
    start: int = 1_000_000_000
    length_ns: int = 0
    limit_ns: int = 60_000_000_000
    calls: int = 0
    think_ns: int = 0
    ramp_up_ns: int = 0
    gaps: tuple[int, ...] | None = None
    timing: str = "each"
    burn_ns: int = 0
    reading_ns: float = 20
    spin_ns: int = 5_000


@dataclass(frozen=True)
class Call:
    """How one call goes: how long it takes, and `right`, `wrong` or the name of an error kind."""

    takes_ns: int
    answer: str = "right"


@dataclass(frozen=True)
class Script:
    """How clock and stack behave."""

    calls: tuple[Call, ...]
    clock_start_ns: int = 999_989_993
    reading_takes_ns: int = 20
    oversleeps_ns: int = 0


@dataclass(frozen=True)
class Trace:
    """A trace before it is played."""

    about: str
    plan: Plan
    script: Script

    def as_json(self) -> dict[str, Any]:
        """Give the members of the file but for `expect`."""
        whole = asdict(self)
        if self.plan.gaps is not None:
            whole["plan"]["gaps"] = list(self.plan.gaps)
        whole["script"]["calls"] = list(whole["script"]["calls"])
        return whole


class Clock:
    """Gives the time, and each reading takes a while."""

    def __init__(self, script: Script) -> None:
        """Stand where the script begins."""
        self.script, self.time = script, script.clock_start_ns

    def now(self) -> int:
        reading = self.time
        self.time += self.script.reading_takes_ns
        return reading

    def sleep_until(self, moment: int) -> None:
        self.time = max(self.time, moment + self.script.oversleeps_ns)


@dataclass
class Stack:
    """Answers by the script, in a circle; a call moves the clock and reads it not."""

    script: Script
    clock: Clock
    made: int = 0

    def call(self) -> str:
        entry = self.script.calls[self.made % len(self.script.calls)]
        self.made += 1
        self.clock.time += entry.takes_ns
        return entry.answer
