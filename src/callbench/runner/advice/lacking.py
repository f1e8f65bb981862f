"""What an advice lacks, as a study: cells over the links of the situation, held back to test predictions with."""

import re
from collections.abc import Sequence

from callbench.analysis.advice.advice import Advice
from callbench.analysis.cells.results import Result, Results
from callbench.catalog.external import OF_STUDY
from callbench.catalog.links.profile import part_of
from callbench.catalog.reach import LOOPBACK
from callbench.catalog.study.loads import Group, LoadPart
from callbench.catalog.study.model import StudyPart
from callbench.model.cell import CALLS_PER_SLICE
from callbench.model.situation import SituationLink
from callbench.stats.wire.link import round_trip_ns

TITLE = "Cells over links, held back to test predictions with"
_ABOUT = "The same calls without a link and over each link of the situation."
# How many stacks are tested besides the best one and today's.
NEXT = 2
ROUNDS = 4
FORKS = 5
# A slice over a link: at 25 ms, its start adds 15 % to the client's processor time in 4 calls, and 5 % in 12.
SLICE_S, MOST_CALLS = 0.3, 12


def stacks(advice: Advice) -> list[str]:
    """Choose the stacks that are worth a test: the best, the next two, and what runs today.

    Two others say what a sleep costs the third one: so its processor time is predicted by what it is not.
    """
    others = advice.choice.comparison.others if advice.choice.comparison else ()
    wanted = [advice.choice.best, *(rival.name for rival in others[:NEXT]), advice.situation.today]
    return [name for name in dict.fromkeys(wanted) if name in advice.goals and not name.startswith(f"{OF_STUDY}/")]


def links(advice: Advice) -> list[SituationLink]:
    """Choose the links over which one of these stacks was not measured."""
    group, wanted = _main(advice), stacks(advice)
    measured = {(check.stack, check.link) for check in advice.checks if check.group == group}
    return [
        link
        for link in advice.situation.links
        if link.wire.get("link") and any((name, link.name) not in measured for name in wanted)
    ]


def study(advice: Advice, results: Results, minutes: float) -> StudyPart | None:
    """Return the study that measures what is lacking; None where nothing is.

    Args:
        advice: as far as it goes without.
        results: of its record, for arguments and options of the calls.
        minutes: the time for all of it.
    """
    far, names = links(advice), stacks(advice)
    group = _main(advice)
    cell = _cell(results, names, group)
    if not far or cell is None:
        return None
    own = {link_name(link.name): part_of(link.wire) for link in far}
    # Few cells over each link, so that more rounds fit into the time.
    load = LoadPart(clients=[1], calls=20, seconds=0.5, forks=FORKS, rounds=ROUNDS, minutes=minutes,
                    slice_calls=_slice_calls(far))  # fmt: skip
    here = _group(group, names, cell, LOOPBACK)
    there = [_group(f"{group}, {link.name}", names, cell, link_name(link.name)) for link in far]
    return StudyPart(title=TITLE, about=_ABOUT, load=load, links=own, cells=[here, *there])


def _slice_calls(far: Sequence[SituationLink]) -> int:
    """So many calls that a slice over the longest link takes `SLICE_S`: its start takes processor time too."""
    longest_s = max(round_trip_ns(link.wire) for link in far) / 1e9
    return max(CALLS_PER_SLICE, min(MOST_CALLS, int(SLICE_S / longest_s) if longest_s else MOST_CALLS))


def link_name(name: str) -> str:
    """Name a link of the situation as a study may: `advice-25ms-20mbit`."""
    return "advice-" + re.sub(r"[^A-Za-z0-9_.-]", "-", name)[:50]


def _main(advice: Advice) -> str:
    return max(advice.groups, key=lambda group: advice.groups[group])


def _cell(results: Results, names: Sequence[str], group: str) -> Result | None:
    """Find the call of a group as it was made without a link: the same for all of its stacks."""
    there = results.where({"group": group, "link": LOOPBACK})
    cells = [cell for cell in there if not cell.open_loop and cell.attributes["stack"] in names]
    return min(cells, key=lambda cell: int(cell.attributes["clients"]), default=None)


def _group(name: str, names: Sequence[str], cell: Result, link: str) -> Group:
    clients = [int(cell.attributes["clients"])]
    return Group(group=name, stacks=list(names), call=cell.attributes["call"], arguments=dict(cell.arguments),
                 clients=clients, link=[link], options=dict(cell.options), ledger=link == LOOPBACK)  # fmt: skip
