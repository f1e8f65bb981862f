"""Who is faster, group by group, with ties: pairs told apart within blocks, not intervals that overlap or not."""

from collections.abc import Mapping, Sequence

from callbench.precision.told import told
from callbench.report.section import Section, Sheet
from callbench.report.subject import Subject
from callbench.report.tables import place
from callbench.report.words import listed
from callbench.results import RANKING_SQL, Result
from callbench.stats.interval import CONFIDENCE
from callbench.stats.ranking import Standing, standings

ABOUT = (
    "Two stacks tie where the 95 % interval of their ratio, taken within blocks, holds 1; all pairs of a table are"
    " Holm-corrected. A rank is one more than the number of stacks that are faster beyond doubt, so ties share it."
    " What a play-off decided counts before what blocks say."
)
MOST_NAMES = 3
Key = tuple[str, str, str]


def section(subject: Subject) -> Section | None:
    """Rank each group of cells that differ in nothing but their stack."""
    tables: dict[Key, list[Result]] = {}
    for one in subject.results.cells:
        attributes = one.attributes
        # A rate that was asked for is no result; the section of the open loop compares what they made of it.
        if one.open_loop is not None:
            continue
        tables.setdefault((attributes["group"], attributes["clients"], attributes["link"]), []).append(one)
    met = {one.pair: one.outcome.value for one in told(subject.run).contests if one.outcome is not None}
    sheets = [sheet for key, cells in tables.items() if (sheet := _sheet(_title(key, tables), cells, met)) is not None]
    if not sheets:
        return None
    return Section(id="ranking", title="Ranking", about=ABOUT, sheets=sheets, source=RANKING_SQL.strip())


def _title(key: Key, tables: dict[Key, list[Result]]) -> str:
    """Name a table by what tells it from the others."""
    group, clients, link = key
    parts = [group]
    if len({one[1] for one in tables}) > 1:
        parts.append(f"{clients} client" + ("" if clients == "1" else "s"))
    if len({one[2] for one in tables}) > 1:
        parts.append(link)
    return ", ".join(parts)


def _sheet(title: str, cells: Sequence[Result], met: Mapping[tuple[str, str], int]) -> Sheet | None:
    """Rank the cells of one table."""
    ranked = [one for one in cells if one.ranked]
    if len(ranked) < 2 or max(one.blocks for one in ranked) < 2:
        return None
    places = {one.id: place_ for place_, one in enumerate(ranked)}
    decided = {
        (places[one], places[other]): sign for (one, other), sign in met.items() if one in places and other in places
    }
    found = standings([one.by_block["rate_per_s"] for one in ranked], 1 - CONFIDENCE, decided)
    names = [one.attributes["stack"] for one in ranked]
    rows = []
    for one in found:
        rate = place(ranked[one.index], "rate_per_s")
        ties = _some([names[other] for other in one.ties])
        rows.append((names[one.index], str(one.rank), rate.text, rate.spread, ties))
    return Sheet(f"Ranking: {title}", ("stack", "rank", "calls/s", "", "ties with"), rows, _note(cells, ranked, found))


def _note(cells: Sequence[Result], ranked: Sequence[Result], found: Sequence[Standing]) -> str:
    """Say what was left out, and where few blocks can part few stacks."""
    told = []
    left = [
        f"{one.attributes['stack']} ({'; '.join([*one.doubts, *([one.excluded] if one.excluded else [])])})"
        for one in cells
        if one.rate and not one.ranked
    ]
    if left:
        told.append(f"Not ranked: {listed(left)}.")
    blocks = max(one.blocks for one in ranked)
    if blocks < 5 and any(one.ties for one in found):
        told.append(f"{blocks} blocks can part few of {len(found)} stacks: more blocks, --until or --budget part more.")
    return " ".join(told)


def _some(names: Sequence[str]) -> str:
    """Write the first few names, and how many more there are."""
    if len(names) <= MOST_NAMES + 1:
        return ", ".join(names)
    return ", ".join(names[:MOST_NAMES]) + f" and {len(names) - MOST_NAMES} more"
