"""How much too high a rate can seem, because each load on a server begins with an empty queue.

Near the rate that an objective allows, a queue needs long until it is as long as it will be. With one exponential
server, a latency's percentile with the share q is W = ln(1 / (1 - q)) / (mu - rate), so an objective W leaves the part

    slack = ln(1 / (1 - q)) / (W mu)

of the server's rate mu idle. The queue forgets that it began empty in its relaxation time, 1 / (mu (1 - sqrt(rho))^2)
(Morse, "Queues, inventories and maintenance", 1958), which is about 4 / (mu slack^2) where slack is small. A load that
is much shorter ends before the queue is there, and meets the objective at rates up to mu itself. So what it shows may
be too high by the slack. Queues whose times vary less have less slack, and take longer to settle. Those whose times
vary more are longer by a factor, which `alone.Alone.queues` gives: with it, slack grows and the relaxation time falls.

Rates above mu are met too. Of mu (1 + p), the wait of the call that arrives after t is at least p t in the middle of
its distribution, as with a fluid. So a load of the length T has more than the share 1 - q of its calls beyond W as soon
as p q T > W, and what loads of that length seem to hold is at most mu (1 + W / (q T)). A mean of p T / 2 reaches W at
p = 2 W / T. Both hold for any queue that is served in turn, whatever its times; so what loads show is divided by it.
What a short load misses needs no allowance: a queue that begins empty is never longer than one that has settled.
"""

import math

_RELAXATIONS = 24.0
"""From so many relaxation times on, what a load began with hardly counts: queues of `tests/known/queues.py`."""


def slack(rate_per_s: float, limit_s: float, share: float | None, queues: float = 1.0) -> float:
    """Return what part of a server's rate an objective leaves idle, at most 1.

    Args:
        rate_per_s: about the server's.
        limit_s: of the objective.
        share: of its percentile; None: the mean.
        queues: how many times as long they are as those of exponential times.
    """
    if rate_per_s <= 0 or limit_s <= 0 or (share is not None and share >= 1):
        return 1.0
    return min(1.0, queues * (1.0 if share is None else -math.log(1 - share)) / (limit_s * rate_per_s))


def settling_s(rate_per_s: float, limit_s: float, share: float | None, queues: float = 1.0) -> float:
    """Return how long a load has to be, for the queue that it begins without to count no more."""
    idle = slack(rate_per_s, limit_s, share, queues)
    return _RELAXATIONS * 4 * queues / (rate_per_s * idle**2) if rate_per_s > 0 else 0.0


def too_high(rate_per_s: float, load_s: float, limit_s: float, share: float | None, queues: float = 1.0) -> float:
    """Return by what part a rate may be too high that loads of this length seem to hold; 0 if they are long enough."""
    if load_s >= settling_s(rate_per_s, limit_s, share, queues):
        return 0.0
    idle = slack(rate_per_s, limit_s, share, queues)
    return 1 - (1 - idle) / (1 + beyond_all(rate_per_s, load_s, limit_s, share, queues))


def beyond_all(rate_per_s: float, load_s: float, limit_s: float, share: float | None, queues: float = 1.0) -> float:
    """Return by what part a rate that such loads seem to hold may be above all that the server answers; 0 likewise."""
    if load_s >= settling_s(rate_per_s, limit_s, share, queues):
        return 0.0
    return limit_s / load_s * (2.0 if share is None else 1 / share)
