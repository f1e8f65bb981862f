"""What a person says of the place where calls are to be made: how many, over which links, for whom, at which prices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from callbench.model.objective import Objective
from callbench.stats.wire.link import Wire

# A month as clouds bill it: 365 days of 24 hours, divided by 12.
MONTH_S = 365 * 86_400 / 12


class Goal(StrEnum):
    """What is to be as small as possible."""

    TIME = "time"
    """Mean time of a call over the links, by their share of the traffic."""
    MONEY = "money"
    """Money of a month: processor time and bytes out."""
    PROCESSOR = "processor"
    """Processor time of a call, of the sides that are paid for."""
    BYTES = "bytes"
    """Bytes of a call in IP packets, both ways."""


class Callers(StrEnum):
    """Who calls: from those for whom every channel does, to those for whom few do."""

    OWN = "own"
    """Programs of the same owner, who can give both sides any framing."""
    OTHERS = "others"
    """Programs of others, who need a public protocol."""
    BROWSERS = "browsers"
    """Pages in a browser, without a proxy before the server."""


@dataclass(frozen=True, slots=True)
class SituationLink:
    """A link that calls travel over.

    Attributes:
        name: unique in the situation.
        wire: what the network lab is asked to make, as of a link's profile; empty for the loopback of one machine.
        share: of the traffic, from 0 to 1. All shares add up to 1.
    """

    name: str
    wire: Wire
    share: float


@dataclass(frozen=True, slots=True)
class Prices:
    """What is paid.

    Attributes:
        currency: as people write it, `EUR`.
        processor_hour: for one processor for one hour.
        gigabyte_out: for 10^9 bytes that leave the server's side.
        both_sides: whether the client's processor time is paid for too.
    """

    currency: str = "EUR"
    processor_hour: float = 0.0
    gigabyte_out: float = 0.0
    both_sides: bool = False


# A month, in the currency of the prices: about what an hour of the work costs that a move takes.
DEFAULT_WORTH = 50.0


@dataclass(frozen=True, slots=True)
class Situation:
    """All that was said.

    Attributes:
        links: at least one.
        calls_per_s: calls a second, all links and groups together; None: nobody said.
        groups: the shares of a record's groups by name, which add up to 1; empty: all alike.
        today: the stack that runs today; empty: nothing does.
        languages: that must be able to take part.
        callers: who must be able to call.
        tls: whether the calls are encrypted; None: nobody said. Then they are, unless what runs today is not.
        readable: whether people must be able to read the messages.
        objective: a latency that must be met on every link.
        goal: what the choice goes by; None: money where there are prices, time otherwise.
        margin: the difference that does not matter, as a share: 0.05 is 5 %.
        worth: the least that a move has to save a month, in the currency of the prices; only where the goal is money.
        source: the situation as a TOML document's mapping, to be kept beside the result.
    """

    links: Sequence[SituationLink]
    calls_per_s: float | None = None
    groups: Mapping[str, float] | None = None
    today: str = ""
    languages: Sequence[str] = ()
    callers: Callers = Callers.OWN
    tls: bool | None = None
    readable: bool = False
    objective: Objective | None = None
    prices: Prices | None = None
    goal: Goal = Goal.TIME
    margin: float = 0.05
    worth: float = DEFAULT_WORTH
    source: Mapping[str, object] | None = None

    @property
    def browsers(self) -> bool:
        """Whether browsers must be able to call."""
        return self.callers is Callers.BROWSERS

    @property
    def main_link(self) -> SituationLink:
        """The link with the largest share of the traffic, the first of equals."""
        return max(self.links, key=lambda link: link.share)
