"""Little's law as a check of a closed loop's own values."""

from dataclasses import dataclass

from callbench.stats.estimate.digits import percent

LEAST = 0.02


@dataclass(frozen=True)
class LoopTimes:
    """What a closed loop says of its time, summed over trials: nanoseconds.

    Attributes:
        clients: how many there were.
        elapsed_ns: from the common start to the last end.
        in_call_ns: within calls, over all clients.
        think_ns: thinking, over all clients.
        gap_ns: the loop itself, counted by the loop and not what is left of the others; None if it cannot tell.
        calls: answered, right or wrong.
        mean_ns: mean latency by the histogram, which is another account of the same calls; None if there is none,
            or where errors make the two differ.
    """

    clients: int
    elapsed_ns: int
    in_call_ns: int
    think_ns: int
    gap_ns: int | None
    calls: int
    mean_ns: float | None = None


def in_flight(account: LoopTimes) -> float:
    """Compute the clients that the loop's account explains: calls a second x (latency + think time + gap).

    L = lambda W (Little, "A proof for the queuing formula L = lambda W", Operations Research 9, 1961). In a closed loop
    every client is in a call, thinking, or in the loop, so L is the number of clients whatever the distributions.
    """
    in_call = account.in_call_ns if account.mean_ns is None else account.mean_ns * account.calls
    return (in_call + account.think_ns + (account.gap_ns or 0)) / account.elapsed_ns


def broken(account: LoopTimes, half_width: float | None = None) -> str:
    """Describe how a closed loop's values break the law, or nothing if they keep it.

    The two must agree within 2 % or the rate's interval, whichever is larger. Where the loop does not count its own gap
    only an excess breaks it: clients cannot be in more calls than there are clients.

    Args:
        account: what the loop says.
        half_width: half of the rate's interval as a share of it, if there is one.
    """
    if account.elapsed_ns <= 0 or not account.calls:
        return ""
    allowed = max(LEAST, half_width or 0.0)
    explained = in_flight(account)
    off = explained / account.clients - 1
    if off > allowed or (account.gap_ns is not None and off < -allowed):
        had = f"{account.clients} client" + ("" if account.clients == 1 else "s")
        return (
            f"Little's law does not hold: the times reported explain {explained:.3g} calls in flight, and there were"
            f" {had} ({percent(off, 1, sign=True)}, allowed {percent(allowed, 1)})"
        )
    return ""
