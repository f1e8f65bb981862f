"""The rankings of a run: cells that differ in nothing but their stack. Table and headline are made of the same ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from callbench.analysis.cells.results import Result
from callbench.analysis.run.subject import Subject
from callbench.model.card import card_of
from callbench.stats.decide.ranking import RankedItem, standings
from callbench.stats.estimate.interval import CONFIDENCE


@dataclass(frozen=True)
class Ranking:
    """The cells of a group with one number of clients over one link.

    Attributes:
        cells: all that have a closed loop, ranked or not.
        ranked: those whose rate may stand in a ranking.
        standings: of `ranked`, best first; none if there is nothing to compare, or one fork alone. Ties and those ahead
            are places in `contenders`.
    """

    group: str
    clients: str
    link: str
    cells: Sequence[Result]
    ranked: Sequence[Result]
    standings: Sequence[RankedItem]

    @property
    def contenders(self) -> Sequence[Result]:
        """The ranked cells first, then those whose rate is a bound: a lower one can be ahead of any."""
        return [*self.ranked, *(cell for cell in self.cells if cell.at_least or cell.at_most)]

    @property
    def where(self) -> str:
        """Its load and link in words: `1 client over loopback`."""
        return f"{self.clients} client{'' if self.clients == '1' else 's'} over {self.link}"


def rankings(subject: Subject, level: float = 1 - CONFIDENCE) -> list[Ranking]:
    """Rank every group by load and link, in the order of the results.

    A rate that was asked for is no result: cells of an open loop are left to a section of their own.

    Args:
        subject: the run.
        level: of each ranking.

    Raises:
        BadInput: the run is damaged.
    """
    tables: dict[tuple[str, str, str], list[Result]] = {}
    for cell in subject.results.cells:
        if cell.open_loop is None and cell.rate is not None:
            key = cell.attributes["group"], cell.attributes["clients"], cell.attributes["link"]
            tables.setdefault(key, []).append(cell)
    made = []
    for (group, clients, link), cells in tables.items():
        table = Ranking(group, clients, link, cells, [cell for cell in cells if cell.ranked], ())
        made.append(replace(table, standings=_standings(table, subject, level)))
    return made


def in_process(subject: Subject, result: Result) -> bool:
    """Return whether one program plays both sides of a stack's call."""
    return card_of(subject.cards, result.attributes["stack"]).get("roles") == "in-process"


def _standings(table: Ranking, subject: Subject, level: float) -> Sequence[RankedItem]:
    """Rank the cells of a table; a bound has no rank, but a lower one can be ahead of others.

    The fastest is asked for among all, and among those of one process and of two: a page names each of them.
    """
    ranked, contenders = len(table.ranked), table.contenders
    if not ranked or len(contenders) < 2 or max(cell.forks for cell in table.ranked) < 2:
        return ()
    rates = [cell.by_fork["rate_per_s"] for cell in contenders]
    at_least = [place for place, cell in enumerate(contenders) if cell.at_least]
    at_most = [place for place, cell in enumerate(contenders) if cell.at_most]
    inside = [place for place, cell in enumerate(contenders) if in_process(subject, cell)]
    outside = [place for place in range(len(contenders)) if place not in inside]
    fields = [range(len(contenders)), inside, outside] if inside and outside else [range(len(contenders))]
    found = standings(rates, level, subject.results.prior, at_least, at_most, fields=fields)
    return [standing for standing in found if standing.index < ranked]
