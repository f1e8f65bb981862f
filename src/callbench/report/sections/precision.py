"""How precise the run was asked to be, what each cell reached, why it ended, and who met in the play-off."""

from collections.abc import Mapping, Sequence

from callbench.precision.playoff import Contest, Outcome
from callbench.precision.stopping import Why
from callbench.precision.told import ENDINGS_SQL, MEETINGS_SQL, Ended, told
from callbench.report.section import Section, Sheet
from callbench.report.subject import Subject
from callbench.report.words import ratio_text
from callbench.results import Result
from callbench.stats.digits import share

ABOUT = (
    "Precision is half of a cell's 95 % interval, as a share of its rate. Neighbours in a ranking that blocks could not"
    " part meet in a play-off: both alive, driven in turn in slices of 20 ms, until they part or tie."
)
WHYS = {
    Why.PRECISE.value: "precise enough",
    Why.BUDGET.value: "the budget was spent",
    Why.BLOCKS.value: "as many blocks as there may be",
    Why.OUT.value: "excluded",
}
OUTCOMES = {Outcome.FASTER: "the first is faster", Outcome.SLOWER: "the second is faster", Outcome.TIED: "they tie"}


def section(subject: Subject) -> Section | None:
    """Show it for a run that was asked to be precise, or had a budget."""
    found = told(subject.run)
    cells = {one.id: one for one in subject.results.cells}
    endings = [one for one in found.endings if one.cell in cells]
    sheets = [_cells(endings, cells)] if endings else []
    if found.contests:
        sheets.append(_contests(found.contests, cells))
    sentences = [*_of_cells(endings), *_of_play_off(subject, found.endings, found.contests)]
    if not sentences:
        return None
    source = f"{ENDINGS_SQL};\n{MEETINGS_SQL.strip()}"
    return Section("precision", "Precision", ABOUT, sentences, sheets, source=source)


def _of_cells(endings: Sequence[Ended]) -> list[str]:
    """Count why cells ended."""
    asked = next((one.asked for one in endings if one.asked), None)
    if asked is None:
        return []
    parts = [f"{sum(one.why == why for one in endings)} ended since {words}" for why, words in _SINCE.items()]
    told_ = ", ".join(part for part in parts if not part.startswith("0 "))
    return [f"Asked for {share(asked)}: of {len(endings)} cells {told_}."]


_SINCE = {
    Why.PRECISE.value: "they were precise enough",
    Why.BUDGET.value: "the budget was spent",
    Why.BLOCKS.value: "they had as many blocks as there may be",
    Why.OUT.value: "they were excluded",
}


def _of_play_off(subject: Subject, endings: Sequence[Ended], contests: Sequence[Contest]) -> list[str]:
    """Say how the play-off went."""
    if subject.run.info.get("budget_s") is None:
        return []
    decided = sum(one.outcome is not None for one in contests)
    meetings = sum(one.meetings for one in contests)
    why = next((one.why for one in endings if one.cell is None), "")
    ended = {Why.BUDGET.value: "the budget was spent", "decided": "no pair of neighbours was left undecided"}.get(why)
    text = f"In the play-off {len(contests)} pairs met {meetings} times, and {decided} of them were decided"
    return [f"{text}; it ended since {ended}." if ended else f"{text}; it was not ended."]


def _cells(endings: Sequence[Ended], cells: Mapping[str, Result]) -> Sheet:
    """List the cells."""
    rows = [
        (
            _named(cells[str(one.cell)]),
            share(one.asked),
            share(one.reached) or "no interval",
            str(one.blocks),
            WHYS.get(one.why, one.why),
        )
        for one in endings
    ]
    return Sheet("Why each cell ended", ("cell", "asked", "reached", "blocks", "ended since"), rows)


def _contests(contests: Sequence[Contest], cells: Mapping[str, Result]) -> Sheet:
    """List the pairs that met."""
    rows = []
    for one in contests:
        first, second = (cells[cell] for cell in one.pair)
        outcome = OUTCOMES[one.outcome] if one.outcome is not None else "not decided"
        name = f"{_named(first)} over {second.attributes['stack']}"
        rows.append((name, str(one.meetings), ratio_text(one.ratio), outcome))
    note = "The interval is that of the look which decided; its level is shared among all pairs and all looks."
    return Sheet("The play-off", ("pair", "meetings", "ratio of rates", "outcome"), rows, note)


def _named(one: Result) -> str:
    """Name a cell."""
    clients = one.attributes["clients"]
    return f"{one.attributes['stack']} {one.attributes['group']}" + ("" if clients == "1" else f", {clients} clients")
