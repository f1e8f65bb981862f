"""Who is faster, group by group, with ties: pairs told apart within forks, not intervals that overlap or not."""

from collections.abc import Sequence

from callbench.analysis.cells.read_results import RANKING_SQL
from callbench.analysis.cells.results import Result
from callbench.analysis.run.rankings import Ranking, rankings
from callbench.analysis.run.subject import Subject
from callbench.analysis.run.tables import table_cell
from callbench.analysis.wording.words import listed
from callbench.report.text.section import INTERVAL, Section, Sheet
from callbench.stats.decide.ranking import RankedItem

ABOUT = (
    "Two stacks tie if the 95 % interval of their paired ratio contains 1, with the Holm correction for all pairs of"
    " the table. For the fastest, the correction is for the number of the others. A rank is one more than the number of"
    " stacks that are shown to be faster. Stacks that tie can share a rank."
)
MOST_NAMES = 3
_AT_LEAST, _AT_MOST = "≥", "≤"


def section(subject: Subject) -> Section | None:
    """Rank each group of cells that differ in nothing but their stack."""
    every = rankings(subject)
    sheets = [_sheet(_title(table, every), table) for table in every if table.standings]
    if not sheets:
        return None
    return Section(id="ranking", title="Ranking", about=ABOUT, sheets=sheets, source=RANKING_SQL.strip())


def _title(table: Ranking, every: Sequence[Ranking]) -> str:
    """Name a table by what tells it from the others."""
    parts = [table.group]
    if len({other.clients for other in every}) > 1:
        parts.append(f"{table.clients} client" + ("" if table.clients == "1" else "s"))
    if len({other.link for other in every}) > 1:
        parts.append(table.link)
    return ", ".join(parts)


def _sheet(title: str, table: Ranking) -> Sheet:
    """Write one table."""
    stacks = [cell.attributes["stack"] for cell in table.ranked]
    signs = ["" if cell.ranked else f" ({_AT_MOST if cell.at_most else _AT_LEAST})" for cell in table.contenders]
    names = [cell.attributes["stack"] + sign for cell, sign in zip(table.contenders, signs, strict=True)]
    rows = []
    for standing in table.standings:
        rate = table_cell(table.ranked[standing.index], "rate_per_s")
        ties = _some([names[other] for other in standing.ties])
        rows.append((stacks[standing.index], str(standing.rank), rate.text, rate.spread, ties))
    note = _note(table.cells, table.ranked, table.standings)
    return Sheet(f"Ranking: {title}", ("stack", "rank", "calls/s", INTERVAL, "ties with"), rows, note)


def _note(cells: Sequence[Result], ranked: Sequence[Result], standings: Sequence[RankedItem]) -> str:
    """Describe what was left out, and where few forks can part few stacks."""
    texts = []
    left = [
        f"{cell.attributes['stack']} ({'; '.join([*cell.doubts, *([cell.excluded] if cell.excluded else [])])})"
        for cell in cells
        if cell.rate and not cell.ranked
    ]
    if left:
        texts.append(f"Not ranked: {listed(left)}.")
    forks = max(cell.forks for cell in ranked)
    if forks < 5 and len(standings) > 2 and any(standing.ties for standing in standings):
        texts.append(f"{forks} forks distinguish few of {len(standings)} stacks. A larger --budget allows more forks.")
    return " ".join(texts)


def _some(names: Sequence[str]) -> str:
    """Write the first few names, and how many more there are."""
    if len(names) <= MOST_NAMES + 1:
        return ", ".join(names)
    return ", ".join(names[:MOST_NAMES]) + f" and {len(names) - MOST_NAMES} more"
