"""What was asked for on the command line of `callbench load`, checked."""

from dataclasses import dataclass, field
from pathlib import Path

from callbench.catalog.study.given import Given
from callbench.model.cell import CLOSED, Load
from callbench.model.errors import BadInput
from callbench.runner.load.thresholds import Threshold

# A drive that is asked for a number of calls gives up after so long without being told a time.
LONGEST_S = 3600.0


@dataclass(frozen=True)
class Wish:
    """A load on one server.

    Attributes:
        target: the server, as it was typed.
        clients: those who call; in an open loop, the most calls under way at once.
        seconds: how long; None: until `calls` are made.
        calls: how many at least; None: as many as fit into the time.
        rate: arrivals a second of an open loop; None: a closed one.
        poisson: whether arrivals are at random; else evenly spaced.
        think_ms: of a closed loop: how long a client waits before it calls again.
        warm_up_s: how long calls are made that do not count.
        threads: of the load driver.
        server: how a server of one's own is called.
        out: the file of the record; None: `runs/load-TIME.json`.
        fail_if: what makes the load fail.
        expect_errors: whether failed calls alone do not make it fail.
        url: where the server is, as its clients were told; known once it serves.
        protocol: `http1`, `h2` or `grpc`; of a stack with clients of its own, their name.
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
    server: Given = field(default_factory=Given)
    out: Path | None = None
    fail_if: tuple[Threshold, ...] = ()
    expect_errors: bool = False
    url: str = ""
    protocol: str = ""

    def __post_init__(self) -> None:
        """Refuses what makes no sense together.

        Raises:
            BadInput: in one sentence.
        """
        if self.rate is not None and self.think_ms:
            raise BadInput("--rate and --think exclude each other: arrivals that come by themselves do not wait")
        if self.poisson and self.rate is None:
            raise BadInput("--poisson says how arrivals come: say how many a second with --rate")
        if self.threads > self.clients:
            raise BadInput(f"--threads {self.threads}: there are {self.clients} clients only")

    @property
    def load(self) -> Load:
        """As the rest of the program speaks of it: without a time or a number it is 10 s."""
        seconds = self.seconds if self.seconds is not None else 0.0 if self.calls else 10.0
        arrivals = CLOSED if self.rate is None else "poisson" if self.poisson else "constant"
        return Load(self.clients, self.calls or 1, seconds, arrivals, self.rate, round(self.think_ms * 1e6))

    @property
    def limit_s(self) -> float:
        """When it ends in any case."""
        return self.seconds * 2 + 60 if self.seconds is not None else LONGEST_S
