"""What was asked of a search for a capacity."""

from dataclasses import dataclass

from callbench.model import objective
from callbench.model.errors import BadInput
from callbench.stats.estimate.digits import given
from callbench.stats.load.knee import SearchRange
from callbench.store.requested.target import RequestedTarget

CLIENTS, RATE = "clients", "rate"
_LOWEST_RATE = 0.5
_PRECISION = 0.05
# A step of the search: so many of them make up the time.
_STEPS = 60
_STEP_S = (0.2, 30.0)
# Fewer calls beyond the percentile say little of it.
_BEYOND = 5.0
_LONGEST = 3.0
# The first calls of a load wait for fewer others. So many times the objective's limit makes them few.
_SETTLED = 10.0
_SETTLED_MEAN = 25.0
# Along the rate, a queue of a rate that is too high by the precision reaches the limit only after limit / precision.
_SETTLED_RATE = 1 / _PRECISION
# Where the time is too short for six crossings of such loads, loads are shorter: so many steps, but never fewer than so
# many limits. What they may show too much is allowed for (`stats.load.settling`), and the last load is no shorter.
_LONG_STEPS = 1.5
_SHORTEST = 4.0
# The last load, which shows that the lower end is held for longer too: a part of the time, and of the lower end.
_PROOF_TIME = 1 / 6
_PROOF_LEVEL = 0.9
_HIGH_SHARE = 0.9


@dataclass(frozen=True)
class CapacityRequest:
    """A search for a capacity.

    Attributes:
        objective: what must be met, as it was typed.
        along: `clients` of a closed loop, or `rate` of an open one.
        most: the highest level to try.
        seconds: how long the search may take.
        clients: along the rate, the most calls in progress at once.
        think_ms: along the clients: how long each waits before it calls again.
        threads: of the load driver.
        need: the level that must be held; None: none.
    """

    objective: str
    along: str = CLIENTS
    most: float = 10_000.0
    seconds: float = 120.0
    clients: int = 1_000
    think_ms: float = 0.0
    threads: int = 1
    need: float | None = None

    def checked(self) -> "CapacityRequest":
        """The same.

        Raises:
            BadInput: it makes no sense.
        """
        try:
            objective.parse(self.objective)
        except ValueError as failure:
            raise BadInput(f"--objective {failure}") from None
        if self.along not in (CLIENTS, RATE):
            raise BadInput(f"--along {self.along}: clients or rate")
        if self.think_ms and self.along == RATE:
            raise BadInput("--think is for clients that wait for their answers: leave it out with --along rate")
        if self.need is not None and self.need > self.most:
            raise BadInput(f"--need {given(self.need)} is above --most {given(self.most)}: loads up to that are tried")
        if self.along == CLIENTS and self.most > 65_536:
            raise BadInput(f"--most {given(self.most)}: at most 65,536 clients")
        return self

    @property
    def span(self) -> SearchRange:
        """Where to look."""
        clients = self.along == CLIENTS
        # What short loads cannot tell apart is not searched for.
        limit_s = objective.parse(self.objective).limit_us / 1e6
        precision = _PRECISION if clients else max(_PRECISION, limit_s / self.load_s(0.0, coarse=False) / 2)
        return SearchRange(1.0 if clients else _LOWEST_RATE, self.most, precision, whole=clients)

    @property
    def step_s(self) -> float:
        """How long a load of a crossing lasts; those of the coarse search last half as long."""
        least, most = _STEP_S
        return min(most, max(least, self.seconds / _STEPS))

    @property
    def proof_s(self) -> float:
        """How long the last load lasts, which shows that what was found is held for longer than a usual load."""
        limit_s = objective.parse(self.objective).limit_us / 1e6 if self.along == RATE else 0.0
        return max(self.seconds * _PROOF_TIME, _SETTLED_RATE * limit_s)

    @property
    def search_s(self) -> float:
        """How long loads are begun before that one."""
        return max(self.seconds - self.proof_s, self.seconds / 2)

    def proof_level(self, low: float) -> float:
        """Return the level of that load: near the lower end of the interval, but not at the edge."""
        level = low * _PROOF_LEVEL
        return float(max(1, int(level))) if self.along == CLIENTS else level

    def load_s(self, rate: float, *, coarse: bool, call_s: float | None = None) -> float:
        """Return how long a load lasts: longer where few calls are made, so that the percentile is one of enough calls.

        Args:
            rate: calls a second that it makes, about; 0: not known.
            coarse: whether it belongs to the coarse search.
            call_s: of a closed loop, how long a call takes at most, as loads of fewer clients say. Its queue is as
                long as that after one turn of all clients, so a load of short calls need not wait for the limit.
        """
        own = self.step_s / 2 if coarse else self.step_s
        aim = objective.parse(self.objective)
        share = aim.share
        # The calls that find no queue yet hardly move a high percentile, but they do move a mean.
        high = share is not None and share >= _HIGH_SHARE
        settled = _SETTLED if high else _SETTLED_MEAN
        settled = max(settled, _SETTLED_RATE) if self.along == RATE else settled
        limit_s = aim.limit_us / 1e6
        turn_s = limit_s if call_s is None else min(limit_s, call_s)
        settled_s = settled * turn_s
        if high and self.along == RATE:
            settled_s = min(settled_s, max(_LONG_STEPS * own, _SHORTEST * limit_s))
        own = max(own, settled_s)
        needed = _BEYOND / (1 - share) if share is not None and share < 1 else _BEYOND
        return min(own * _LONGEST, max(own, needed / rate)) if rate > 0 else own


@dataclass(frozen=True)
class RequestedCapacity(RequestedTarget):
    """The options of a search with its server, as record.json has them."""

    search: CapacityRequest
