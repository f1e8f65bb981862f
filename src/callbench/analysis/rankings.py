"""The rankings of a run: cells that differ in nothing but their stack. Table and headline are made of the same ones."""

from collections.abc import Sequence
from dataclasses import dataclass

from callbench.analysis.results import Result
from callbench.analysis.subject import Subject
from callbench.stats.interval import CONFIDENCE
from callbench.stats.ranking import RankedItem, standings


@dataclass(frozen=True)
class Ranking:
    """The cells of a group with one number of clients over one link.

    Attributes:
        cells: all that have a closed loop, ranked or not.
        ranked: those whose rate may stand in a ranking.
        standings: of `ranked`, best first; none if there are fewer than two, or one fork alone.
    """

    group: str
    clients: str
    link: str
    cells: Sequence[Result]
    ranked: Sequence[Result]
    standings: Sequence[RankedItem]

    @property
    def where(self) -> str:
        """Its load and link in words: `1 client over loopback`."""
        return f"{self.clients} client{'' if self.clients == '1' else 's'} over {self.link}"


def rankings(subject: Subject) -> list[Ranking]:
    """Rank every group by load and link, in the order of the results.

    A rate that was asked for is no result: cells of an open loop are left to a section of their own.

    Raises:
        BadInput: the run is damaged.
    """
    tables: dict[tuple[str, str, str], list[Result]] = {}
    for one in subject.results.cells:
        if one.open_loop is None and one.rate is not None:
            key = one.attributes["group"], one.attributes["clients"], one.attributes["link"]
            tables.setdefault(key, []).append(one)
    made = []
    for (group, clients, link), cells in tables.items():
        ranked = [one for one in cells if one.ranked]
        enough = len(ranked) > 1 and max(one.forks for one in ranked) > 1
        rates = [one.by_fork["rate_per_s"] for one in ranked]
        found = standings(rates, 1 - CONFIDENCE, subject.results.prior) if enough else ()
        made.append(Ranking(group, clients, link, cells, ranked, found))
    return made
