"""The rate of a drive: its calls within the window, over the window. Every rate shown or ranked is made here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Window:
    """What lay within the window of a drive, or of several together.

    The window begins at the common start. It ends when the time is over where every call had been begun by then, else,
    where the number of calls bounds the drive, with the last of them. A call in flight at its end counts by the part of
    its own time that lay within: counted whole, or not at all, it would be up to a call of each client too much or too
    little, and counted with the time until its answer, one that takes long would stretch the time of all.

    Attributes:
        calls: answered rightly, those in flight by their part.
        ns: how long it was, nanoseconds.
        in_flight: calls, right or wrong, that were begun within it and ended after it.
    """

    calls: float
    ns: int
    in_flight: int = 0

    @property
    def per_s(self) -> float:
        """Calls a second: 0 if there is no time."""
        return self.calls / (self.ns / 1e9) if self.ns > 0 else 0.0

    def __add__(self, other: "Window") -> "Window":
        """Both together: all calls over all the time."""
        return Window(self.calls + other.calls, self.ns + other.ns, self.in_flight + other.in_flight)


def window_of(done: Mapping[str, Any]) -> Window:
    """Read the window of a drive; of an adapter or a record that does not tell it, it is the whole drive.

    Args:
        done: the contract's `done`.
    """
    if done.get("window_ns") is None:
        return Window(float(done["calls"]), int(done["elapsed_ns"]))
    return Window(done["answered"] + done["in_flight_part"], int(done["window_ns"]), int(done["in_flight"]))


def together(dones: Iterable[Mapping[str, Any]]) -> Window:
    """Add the windows of several drives up."""
    return sum((window_of(done) for done in dones), Window(0.0, 0))
