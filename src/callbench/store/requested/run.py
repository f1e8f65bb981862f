"""What was asked of a run of a study."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from callbench.store.requested.knee_search import Search


@dataclass(frozen=True)
class RunLength:
    """How long a run may take.

    Attributes:
        rounds: of a fork.
        limit_s: seconds that forks may take together; None: no limit.
        exact: whether the number of forks is fixed.
    """

    rounds: int
    limit_s: float | None
    exact: bool


@dataclass(frozen=True)
class RequestedRun:
    """The options of a run, and what its study says beside them.

    Attributes:
        study: its name.
        seed: of the random order.
        forks: the least number of forks of each condition.
        rounds: of a fork.
        limit_s: seconds that forks may take together; None: no limit.
        exact: whether the number of forks is fixed.
        select: what chose the cells; empty: all of the study.
        settings: of the study.
        baselines: whether the raw echo of each channel is measured.
        confirm: whether every cell is slowed down, to see what its rate hangs on.
        idle: conditions of the processors' idle states; the first is that of all reports. Empty: as the machine is.
        knees: the searches.
        until: the half-width of an interval at which a cell is precise enough, as a share; None: the forks decide.
        budget_s: seconds to spend, as asked for; None: no limit of its own.
        pcap: whether the captures of the wire ledger are kept.
        link: of every cell; None: as the study says.
        warm_up_s: seconds after which every warm-up ends; None: the usual limits.
        without: why cells over a link are missing, or None.
        service: the folder of an imported service, or None.
    """

    study: str
    seed: int
    quick: bool
    forks: int
    rounds: int
    limit_s: float | None = None
    exact: bool = False
    select: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    baselines: bool = True
    confirm: bool = False
    idle: tuple[str, ...] = ()
    knees: tuple[Search, ...] = ()
    until: float | None = None
    budget_s: float | None = None
    pcap: bool = False
    link: str | None = None
    warm_up_s: float | None = None
    without: str | None = None
    service: str | None = None

    @property
    def length(self) -> RunLength:
        """How long it may take."""
        return RunLength(self.rounds, self.limit_s, self.exact)
