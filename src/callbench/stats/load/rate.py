"""The rate of a drive: its calls within the window, over the window. Every rate shown or ranked is made here."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from typing_extensions import ReadOnly


class DriveTimes(TypedDict):
    """A histogram of nanoseconds: log-linear buckets, sparse: [index, count]."""

    count: "ReadOnly[int]"
    sum_ns: "ReadOnly[int | str]"
    min_ns: "ReadOnly[int]"
    max_ns: "ReadOnly[int]"
    buckets: "ReadOnly[Sequence[tuple[int, int]]]"


class Drive(TypedDict):
    """What is read of a drive, as an adapter reports it or a journal keeps it.

    What an echo is not asked for, or a loop does not have, is missing or None. Sums of nanoseconds are texts.
    """

    calls: "ReadOnly[int]"
    errors: "ReadOnly[Mapping[str, int]]"
    elapsed_ns: "ReadOnly[int]"
    window_ns: "ReadOnly[NotRequired[int | None]]"
    answered: "ReadOnly[NotRequired[int | None]]"
    in_flight: "ReadOnly[NotRequired[int | None]]"
    in_flight_part: "ReadOnly[NotRequired[float | None]]"
    latency: "ReadOnly[NotRequired[DriveTimes | None]]"
    service: "ReadOnly[NotRequired[DriveTimes | None]]"
    lateness: "ReadOnly[NotRequired[DriveTimes | None]]"
    in_call_ns: "ReadOnly[NotRequired[str | None]]"
    think_ns: "ReadOnly[NotRequired[str | None]]"
    gap_ns: "ReadOnly[NotRequired[str | None]]"


@dataclass(frozen=True)
class Window:
    """What lay within the window of a drive, or of several together.

    The window begins at the common start. It ends when the time is over where every call had been begun by then, else,
    where the number of calls bounds the drive, with the last of them. That of one client ends with its last call.

    Attributes:
        calls: answered rightly within it, and what was done by its end of calls in flight, see `done_in_flight`.
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


def done_in_flight(answered: int, window_ns: int, part: float, mean_ns: float, least_ns: float) -> float:
    """Compute how many calls' work was done, when a window ended, for calls that were answered after it.

    Clients that begin together are in step, so of answers alone up to one of each client would be missing. But the part
    of their time that lay within the window is work only if they did not wait. A rate x times a time is the calls that
    are within that time (Little's law), so x (mean - least) of them wait on average, and x least do not. A queue that
    grows is twice as long at the end. The waiting ones are taken off the part as if they had waited for all of it, and
    what remains is at most those that do not wait. Of a
    queue nothing remains, and the rate is that of the answers. Of times that vary as much as their mean nothing does
    either, and nothing should: E[N(t)] is t / mean + (cv^2 - 1) / 2 (Cox, "Renewal Theory", 1962, section 4.2).

    Args:
        answered: rightly, within the window.
        window_ns: how long it was.
        part: the sum over calls in flight at its end of the share of their time that lay within.
        mean_ns: mean time of a call from its real start.
        least_ns: the shortest, which waited least.
    """
    if least_ns >= window_ns:
        return 0.0
    # Until the first call was answered, no answer could come.
    rate = answered / (window_ns - least_ns)
    return max(0.0, min(part - 2 * rate * (mean_ns - least_ns), rate * least_ns))


# Clocks are read by turns, so the parts of a client's time add up to the time but for so much.
ADDS_UP = 1.001


def is_one_client(done: Drive) -> bool:
    """Whether a closed loop of one client was driven, which does nothing but calls.

    Its time ends with its last call. So its calls over all of that time are its rate, however much calls differ: where
    n is the first number of calls that take longer than a time, their sum is n times their mean, on average (Wald,
    "On cumulative sums of random variables", 1944). What is cut off at the time itself favours short calls: of one call
    of 1,000 that takes 300 ms, slices of 20 ms see 10 ms.
    """
    in_call_ns = done.get("in_call_ns")
    if in_call_ns is None or done.get("lateness") is not None or int(done.get("think_ns") or 0):
        return False
    spent = int(in_call_ns) + int(done.get("gap_ns") or 0)
    return spent <= ADDS_UP * int(done["elapsed_ns"])


def window_of(done: Drive) -> Window:
    """Read the window of a drive; of an adapter or a record that does not tell it, it is the whole drive.

    Args:
        done: the contract's `done`.
    """
    window_ns, answered, part = done.get("window_ns"), done.get("answered"), done.get("in_flight_part")
    if window_ns is None or answered is None or part is None or is_one_client(done):
        return Window(float(done["calls"]), int(done["elapsed_ns"]))
    in_flight = done.get("in_flight") or 0
    times = done.get("service") or done.get("latency")
    if times and times["count"]:
        mean_ns = int(times["sum_ns"]) / times["count"]
        if times["min_ns"] >= window_ns:
            # No call can be answered within the window, so its rate is that of the whole drive.
            return Window(done["calls"] / done["elapsed_ns"] * window_ns, window_ns, in_flight)
        part = done_in_flight(answered, window_ns, part, mean_ns, times["min_ns"])
    # Without times calls were timed in batches: they are too short to wait for anything.
    return Window(answered + part, window_ns, in_flight)


def uncut(window: Window, clients: int, calls: int, spent_ns: int) -> Window:
    """Return the windows of a closed loop with no more calls than the time of all calls allows (decision 96).

    A window cuts off what a slow call takes beyond it: of 300 ms in slices of 20 ms, 290 on average. Counted whole, its
    time is that of Wald's equation, as for one client. Where clients wait for each other this errs upwards: the first
    calls of a drive find no queue, and its last ones leave none behind.

    Args:
        window: of several drives together.
        clients: of each of them.
        calls: answered rightly in them, also after their windows.
        spent_ns: time of all clients in calls and in thinking, also after the windows.
    """
    if spent_ns <= 0:
        return window
    return replace(window, calls=min(window.calls, clients * calls / spent_ns * window.ns))


def together(dones: Iterable[Drive]) -> Window:
    """Add the windows of several drives up."""
    return sum((window_of(done) for done in dones), Window(0.0, 0))
