"""Each stack's fairness card in a line, with what was counted and found while it ran, and the timers' resolution."""

import json
from collections.abc import Mapping, Sequence

from callbench.analysis.cells.table_rows import STARTED_SQL
from callbench.analysis.cells.validity import Started
from callbench.analysis.run.subject import Subject
from callbench.analysis.wording.words import server_loss_text
from callbench.model.card import card_of
from callbench.report.text.section import Section, Sheet
from callbench.stats.estimate.digits import figure

ABOUT = (
    "A comparison is fair if both stacks had the same conditions. Threads were counted from outside during a trial,"
    " with the clients of the cell. The running program gave the versions. The full cards are under Stacks."
)
COLUMNS = (
    "stack",
    "waits",
    "server",
    "connections per client",
    "open connections",
    "client threads",
    "server threads",
    "Nagle",
    "tuning",
    "warm-up",
    "versions found",
)
MOST_ROWS = 80
LOST_COLUMNS = (
    "server killed during a call",
    "connection cut during a call",
    "client after the server restarts",
    "stacks",
)
LOST_NOTE = (
    "The cards say what happens if a server or a connection is lost during a call. callbench verify STACK --check"
    " 'lost/*' measures it. A call that is executed twice is repeated without the caller's knowledge."
)


def section(subject: Subject) -> Section | None:
    """List the cards of the stacks that were started."""
    started = subject.results.validity.started
    if not started:
        return None
    warm = _warm(subject)
    rows = [_row(start, subject, warm.get(start.stack, "")) for start in started]
    note = f"{len(rows) - MOST_ROWS} more are under Stacks." if len(rows) > MOST_ROWS else ""
    sheets = [Sheet("Fairness cards", COLUMNS, rows[:MOST_ROWS], note)]
    lost = _server_loss(started, subject)
    if lost:
        sheets.append(Sheet("Lost servers and connections", LOST_COLUMNS, lost[:MOST_ROWS], LOST_NOTE))
    timers = _timers(started, subject.environment.get("timer"))
    if timers:
        why = "The smallest step between two different readings, and the time of one reading."
        sheets.append(Sheet("Clocks", ("program", "clock", "resolution", "time per reading"), timers, why))
    return Section("fairness", "Fairness", ABOUT, sheets=sheets, source=STARTED_SQL.strip())


def _row(start: Started, subject: Subject, warm: str) -> Sequence[str]:
    card, planned = card_of(subject.cards, start.stack), subject.cards.get(start.stack)
    libraries = json.loads(start.libraries) if start.libraries else {}
    library = planned["library"] if planned else ""
    # A codec says nothing about the libraries of its siblings: only what the stack is built on.
    versions = [f"{name} {version}" for name, version in libraries.items() if name in library]
    counted = [str(number) if number else "" for number in (start.client_threads, start.server_threads)]
    texts = [card.get("waits", ""), card.get("server_model", ""), str(card.get("connections_per_client", ""))]
    connections = "" if start.connections is None else str(start.connections)
    return (
        start.stack,
        *texts,
        connections,
        *counted,
        card.get("nagle", ""),
        card.get("tuning", ""),
        warm,
        ", ".join([*versions, *([start.runtime] if start.runtime else [])]),
    )


def _warm(subject: Subject) -> dict[str, str]:
    """Describe of each stack whose runtime compiles how long its longest way to a steady state was."""
    longest: dict[str, float] = {}
    for cell in subject.results.cells:
        known = subject.results.validity.cells.get(cell.id)
        if known is not None and known.warm is not None and known.warm.compiles:
            stack = cell.attributes["stack"]
            longest[stack] = max(longest.get(stack, 0.0), known.warm.until_steady_s or 0.0)
    return {
        stack: f"steady after about {seconds:.0f} s" if seconds else "never steady"
        for stack, seconds in longest.items()
    }


def _server_loss(started: Sequence[Started], subject: Subject) -> list[Sequence[str]]:
    """One line for all stacks that do the same, those left out whose cards do not say."""
    gathered: dict[Sequence[str], list[str]] = {}
    for start in started:
        when_lost = card_of(subject.cards, start.stack).get("when_lost")
        if when_lost:
            gathered.setdefault(server_loss_text(when_lost), []).append(start.stack)
    # The stacks last: a table's first column is not folded, and a matrix has many that are alike.
    return [(*row, ", ".join(dict.fromkeys(stacks))) for row, stacks in gathered.items()]


def _timers(started: Sequence[Started], core: object) -> list[Sequence[str]]:
    """One line an adapter, and one for the core."""
    rows: dict[str, Sequence[str]] = {}
    if isinstance(core, Mapping):
        rows["the core"] = ("the core", str(core["name"]), _ns(core["resolution_ns"]), _ns(core["reading_ns"]))
    for start in started:
        if start.clock and start.adapter not in rows:
            rows[start.adapter] = (start.adapter, start.clock, _ns(start.resolution_ns), _ns(start.reading_ns))
    return list(rows.values())


def _ns(value: float | None) -> str:
    return "" if value is None else f"{figure(value)} ns"
