"""A search for a knee, as a record has it: of what, along what, and how precisely."""

import math
from dataclasses import dataclass, replace

from callbench.model.cell import Load
from callbench.stats.load.knee import SearchRange

# A step at a low rate may take so many times the cell's own seconds to make the cell's calls.
_MOST_TIMES_LONGER = 10


@dataclass(frozen=True)
class Search:
    """One knee of one stack over one link, as stored in record.json.

    Attributes:
        knee: the id of the knee.
        cell: the cell with the call, clients and connection of the search.
        along: `rate` or `clients`.
        objective: the objective as written.
        arrivals: arrivals of the open loop, if the search is along the rate.
        least: the lowest level to try.
        most: the highest level to try.
        precision: of the level, as a share.
    """

    knee: str
    cell: str
    along: str
    objective: str
    arrivals: str
    least: float
    most: float
    precision: float

    @property
    def span(self) -> SearchRange:
        """The range of the search."""
        return SearchRange(self.least, self.most, self.precision, whole=self.along == "clients")

    def load(self, own: Load, level: float) -> Load:
        """Return the load of a step: the cell's own load with another level."""
        if self.along == "clients":
            return replace(own, clients=int(level), arrivals="closed", rate_per_s=None)
        calls = min(own.calls, math.ceil(level * own.seconds * _MOST_TIMES_LONGER))
        return Load(own.clients, calls, own.seconds, self.arrivals, level)
