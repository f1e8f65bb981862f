"""The processor time that links add to a call: both sides sleep while it travels, and wake up with cold caches.

It is what is paid for beside the time of a loop without a link. A waking takes about as long whatever the message is,
so it is added, and not multiplied, where messages have another size.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from callbench.analysis.advice.figures import AddedTime, Every, Figures
from callbench.analysis.advice.sleeping import SIDES, times
from callbench.model.situation import Situation
from callbench.stats.estimate.contrast import ByBlock


def with_added_time(every: Every, records: Sequence[Every], situation: Situation) -> Every:
    """Give each stack what the links of a situation add to its processor time, by their shares of the calls.

    Args:
        every: the figures of the record.
        records: all that was measured, with cells over links: they say how much that is.
        situation: with the links.

    Returns:
        The figures; as they are where no cell over one of the links was measured.
    """
    cells = [figures for record in records for figures in record.values()]
    added_by_key = {key: _added(figures, cells, situation) for key, figures in every.items()}
    if any(added is None for added in added_by_key.values()):
        return every
    return {key: replace(figures, added=added_by_key[key]) for key, figures in every.items()}


def _added(figures: Figures, cells: Sequence[Figures], situation: Situation) -> AddedTime | None:
    # Without a link nothing sleeps, and nothing is off.
    far = [link for link in situation.links if link.wire.get("link")]
    factors, reach = dict.fromkeys(SIDES, 0.0), 0.0
    for link in far:
        for side in SIDES:
            by = times(cells, link.name, side, figures.channel)
            if by is None:
                return None
            factors[side] += link.share * (math.exp(by.log) - 1)
            reach = max(reach, by.reach)
    here = figures.here
    return AddedTime(_times(here.server_us, factors["server"]), _times(here.client_us, factors["client"]), reach)


def _times(values: ByBlock, factor: float) -> ByBlock:
    return {fork: value * factor for fork, value in values.items()}
