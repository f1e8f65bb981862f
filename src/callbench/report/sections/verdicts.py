"""What limited each cell, with the values that say so."""

from collections import Counter
from collections.abc import Sequence

from callbench.analysis.cells.results import Result
from callbench.analysis.cells.table_rows import SIDES_SQL
from callbench.analysis.cells.validity import CellValidity
from callbench.analysis.run.subject import Subject
from callbench.analysis.wording.naming import conditions_of, named
from callbench.analysis.wording.words import listed
from callbench.report.text import plateaus
from callbench.report.text.section import Section, Sheet
from callbench.stats.estimate.digits import percent
from callbench.stats.load.bottleneck import Limit, Side

ABOUT = (
    "The verdict of a cell says what limited its rate. Serial: one client that waits for each answer, so read the rate"
    " as a latency. Server, backend, client stack, link: this was used up. A backend stands behind its server, on the"
    " same processors. If both together use them up, the busier one is named. Generator: Callbench was the limit, so"
    " the stack may be faster. Shared processor: other programs affected the value. Waiting: neither side was busy."
    " Unsaturated: more clients may give a higher rate."
)
COLUMNS = ("stack", "call", "clients", "verdict", "client busy", "server busy", "client waited", "server waited")
BACKEND, LINK = "backend busy", "link used"
MOST_ROWS = 40


def section(subject: Subject) -> Section | None:
    """Judge every cell that was measured."""
    validity = subject.results.validity.cells
    judged = [(cell, validity[cell.id]) for cell in subject.results.cells if cell.id in validity and cell.calls]
    # A run of before there were probes has nothing to judge by.
    if not any(known.evidence.client.waited is not None for _, known in judged):
        return None
    tally = Counter(known.verdict.limit for _, known in judged)
    found = ["Of {} cells, {}.".format(len(judged), listed(f"{count} {limit}" for limit, count in tally.most_common()))]
    found += plateaus.sentences(subject)
    found += [_slowdown_text(cell, known) for cell, known in judged if known.slowed][:MOST_ROWS]
    found += [
        f"{named(cell)}: {known.verdict.why}."
        for cell, known in judged
        if known.verdict.limit in (Limit.GENERATOR, Limit.SHARED, Limit.BACKEND, Limit.LINK)
    ][:MOST_ROWS]
    # What is serial says it by its number of clients; the others come first if there is not room for all.
    judged.sort(key=lambda pair: pair[1].verdict.limit is Limit.SERIAL)
    shown = judged[:MOST_ROWS]
    rows = [_row(cell, known) for cell, known in shown]
    columns: Sequence[str] = COLUMNS
    for name, more in (
        (
            BACKEND,
            ["" if known.evidence.backend is None else _share(known.evidence.backend.busy) for _, known in shown],
        ),
        (LINK, ["" if known.evidence.link is None else _share(known.evidence.link) for _, known in shown]),
    ):
        if any(more):
            columns = (*columns, name)
            rows = [(*row, value) for row, value in zip(rows, more, strict=True)]
    note = f"The other {len(judged) - MOST_ROWS} are in `callbench show RUN --json`." if len(judged) > MOST_ROWS else ""
    sheet = Sheet("Verdicts", columns, rows, note)
    return Section("verdicts", "Verdicts", ABOUT, found, [sheet], source=SIDES_SQL)


def _slowdown_text(cell: Result, known: CellValidity) -> str:
    """Write what making the sides slower did, and which of them the rate follows."""
    sentences = "; ".join(slowed.sentence() for slowed in known.slowed)
    follows = [slowed.side for slowed in known.slowed if slowed.follows]
    unsure = [slowed.side for slowed in known.slowed if slowed.follows is None]
    ends = f"The rate follows the {listed(follows)}" if follows else "The rate follows neither side"
    if unsure and not follows:
        ends = f"It is undecided whether the rate follows the {listed(unsure)}"
    return f"Virtual slowdown of {named(cell)} ({known.verdict.limit}): {sentences}. {ends}."


def _row(cell: Result, known: CellValidity) -> Sequence[str]:
    client, server = known.evidence.client, known.evidence.server
    same = known.evidence.in_process
    return (
        cell.attributes["stack"],
        conditions_of(cell),
        cell.attributes["clients"],
        str(known.verdict.limit),
        _share(client.busy),
        "" if same else _share(server.busy),
        _waited(client),
        "" if same else _waited(server),
    )


def _share(value: float | None) -> str:
    return "–" if value is None else f"{percent(value)}"  # noqa: RUF001 - a dash for nothing


def _waited(side: Side) -> str:
    return _share(side.waited)
