"""The checked options of `callbench load`."""

from dataclasses import dataclass, field

from callbench.analysis.load.thresholds import Threshold, share_of
from callbench.catalog.study.own_servers import ServerOverrides
from callbench.model.cell import CLOSED, Load
from callbench.model.errors import BadInput

# Seconds after which a drive with a number of calls but no time gives up.
MAX_SECONDS = 3600.0
# A load without a time takes so many seconds, and at most so many if a percentile of a condition needs more calls.
DEFAULT_SECONDS, MOST_SECONDS = 10.0, 120.0


@dataclass(frozen=True)
class LoadRequest:
    """A load on one server.

    Attributes:
        target: the server as given.
        clients: the number of clients; in an open loop, the most calls in progress at once.
        seconds: the duration; None: until `calls` are made. With both, it ends at whichever comes first.
        calls: the number of calls; None: as many as fit into the time.
        rate: arrivals per second of an open loop; None: a closed loop.
        poisson: whether arrivals are random; otherwise evenly spaced.
        seed: of random arrivals: loads that are to be independent have different ones.
        think_ms: the time between an answer and the client's next call, in a closed loop.
        warm_up_s: seconds of calls that do not count, before the load.
        threads: threads of the load driver.
        server: how to call an external server.
        fail_if: the conditions that make the load fail.
        expect_errors: whether failed calls alone are acceptable.
        url: the URL that the clients use; known once the server serves.
        hosts: names of the hosts of the clients; empty: this machine.
        protocol: `http1`, `h2` or `grpc`; for a stack with clients of its own, their name.
    """

    target: str
    clients: int = 50
    seconds: float | None = None
    calls: int | None = None
    rate: float | None = None
    poisson: bool = False
    think_ms: float = 0.0
    warm_up_s: float = 0.0
    threads: int = 1
    server: ServerOverrides = field(default_factory=ServerOverrides)
    fail_if: tuple[Threshold, ...] = ()
    expect_errors: bool = False
    url: str = ""
    protocol: str = ""
    hosts: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        """Check that the options make sense together.

        Raises:
            BadInput: they do not.
        """
        if self.rate is not None and self.think_ms:
            raise BadInput("--rate and --think exclude each other: arrivals of an open loop do not wait")
        if self.poisson and self.rate is None:
            raise BadInput("--poisson needs --rate: give the arrivals per second")
        if len(self.hosts) > self.clients:
            raise BadInput(f"--hosts names {len(self.hosts)} hosts, and there are only {self.clients} clients")
        if self.threads > self.clients:
            raise BadInput(f"--threads {self.threads}: there are only {self.clients} clients")

    @property
    def load(self) -> Load:
        """The load as a model object. Without a time or a number of calls it takes 10 s.

        A drive lasts for its time and its calls, whichever takes longer. With both, the time is its limit instead. With
        neither, it goes on until a percentile that decides has enough calls, but for `limit_s` at most.
        """
        seconds = 0.0 if self.calls else DEFAULT_SECONDS if self.seconds is None else self.seconds
        calls = self.calls or (self.needed_calls if self.seconds is None else 1)
        arrivals = CLOSED if self.rate is None else "poisson" if self.poisson else "constant"
        return Load(self.clients, calls, seconds, arrivals, self.rate, round(self.think_ms * 1e6))

    @property
    def due(self) -> float:
        """How many calls are due within the time on average, where chance says which; 0 otherwise."""
        load = self.load
        return load.seconds * (load.rate_per_s or 0.0) if self.poisson and load.calls == 1 else 0.0

    @property
    def needed_calls(self) -> int:
        """How many calls the percentiles of its conditions need; 1 if there are none."""
        from callbench.analysis.load.threshold_intervals import CONFIDENCE  # noqa: PLC0415 - numpy is slow to load
        from callbench.stats.estimate.percentile_calls import fewest_calls  # noqa: PLC0415

        shares = [share_of(threshold.metric) for threshold in self.fail_if]
        return max((fewest_calls(share, CONFIDENCE) for share in shares if share is not None), default=1)

    def record(self) -> dict[str, object]:
        """Return the options as JSON values, for record.json."""
        return {
            "target": self.target,
            "clients": self.clients,
            "seconds": self.seconds,
            "calls": self.calls,
            "rate_per_s": self.rate,
            "poisson": self.poisson,
            "think_ms": self.think_ms,
            "warm_up_s": self.warm_up_s,
            "threads": self.threads,
            "hosts": list(self.hosts),
            "server": {
                "path": self.server.path,
                "pid": self.server.pid,
                "request": dict(self.server.request),
                "notes": list(self.server.notes),
            },
            "fail_if": [threshold.text for threshold in self.fail_if],
            "expect_errors": self.expect_errors,
        }

    @property
    def limit_s(self) -> float:
        """Seconds after which the drive ends in any case."""
        if self.seconds is None:
            return MAX_SECONDS if self.calls or self.needed_calls == 1 else MOST_SECONDS
        return self.seconds if self.calls else self.seconds * 2 + 60
