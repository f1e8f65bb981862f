"""Which stack has the shortest call, by the payload of a call and the rate of a link: of calls of several sizes."""

import math
from collections import Counter
from collections.abc import Iterator

from callbench.analysis.advice import figures
from callbench.analysis.advice.checks import UNCHECKED
from callbench.analysis.advice.figures import Every
from callbench.analysis.advice.regions import Regions, regions
from callbench.analysis.run.rankings import in_process
from callbench.analysis.run.subject import Subject
from callbench.catalog.reach import HOST, LOOPBACK, REACH
from callbench.catalog.study.report_parts import NO_DIFFERENCE
from callbench.model.card import card_of
from callbench.model.situation import SituationLink
from callbench.report.charts import regions as charts
from callbench.report.charts.chart import chart
from callbench.report.text.section import Section
from callbench.stats.estimate.digits import percent

ABOUT = (
    "A call takes the time that it took here, and that of its bytes over the link, which were counted. Between sizes"
    f" that were measured, both are interpolated. Pale: others lie within {percent(NO_DIFFERENCE)} of the named stack."
    " Grey: undecided. Stacks whose channel stays on one host are left out. An advice adds delays, prices and limits."
)
_SOURCE = "the run's cells, trials and wire, as computed here"


def section(subject: Subject) -> Section | None:
    """Draw a map of each call; None where no call was measured in several sizes with its bytes counted."""
    every = figures.read(subject.results, {}, {}, subject.cards)
    inside = {cell.attributes["stack"] for cell in subject.results.cells if in_process(subject, cell)}
    inside |= {stack for stack in subject.cards if card_of(subject.cards, stack).get(REACH) == HOST}
    drawn = [
        chart(f"winners-{map_.call}", f"Who wins where: {map_.call}", ABOUT, charts.regions(map_), _SOURCE)
        for map_ in maps({key: known for key, known in every.items() if key[0] not in inside})
    ]
    shown = [each for each in drawn if each is not None]
    return Section("winners", "Who wins by size and link rate", "", charts=shown) if shown else None


def maps(every: Every) -> Iterator[Regions]:
    """Compute the map of each call that was measured in several sizes.

    Args:
        every: the figures of a run; of the stacks that can be called over a link.
    """
    bounds = math.log1p(NO_DIFFERENCE), math.log1p(UNCHECKED)
    kept = {key: known for key, known in every.items() if known.account and (not known.doubt or known.at_most)}
    for call in dict.fromkeys(known.call for known in kept.values()):
        # The call with most stacks says whose map it is; of its other sizes, those that all of these have are in it.
        groups = Counter(group for (_, group), known in kept.items() if known.call == call)
        group = groups.most_common(1)[0][0]
        names = [stack for stack, other in kept if other == group]
        found = regions(kept, names, group, SituationLink(LOOPBACK, {}, 1.0), bounds)
        if found is not None and found.x.unit == "bytes":
            yield found
