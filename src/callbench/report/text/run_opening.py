"""The first screen of a run in words: the sentence and lines of its page, and a table in the chart's place."""

from collections.abc import Sequence

from callbench.analysis.run.subject import Subject
from callbench.analysis.run.tables import table_cell
from callbench.analysis.wording.naming import named
from callbench.analysis.wording.words import ratio_text
from callbench.report.text.answer import answer, leading, only_rate
from callbench.report.text.choice import NOT_KNOWN, RankingChoice
from callbench.report.text.opening import Opening
from callbench.report.text.section import Sheet
from callbench.report.text.summary import Summary
from callbench.report.text.verdict import verdict
from callbench.stats.estimate.digits import figure

COLUMNS = ("call", "fastest", "calls/s", "as fast as the next", "certainty")


def run_title(subject: Subject, summary: Summary) -> str:
    """Say what follows from a run; what was studied where nothing does."""
    only = only_rate(subject)
    value = f"{named(only)}: {table_cell(only, 'rate_per_s').text} calls/s" if only else ""
    return verdict(subject.judged, summary.choices) or value or subject.study.title


def run_opening(subject: Subject, summary: Summary) -> Opening:
    """Say it of a run."""
    said = answer(subject, summary)
    sentences = [said.sentence] if said.sentence else []
    return Opening(run_title(subject, summary), [*sentences, *map(str, said.lines)], sheet=_fastest(summary.choices))


def _fastest(choices: Sequence[RankingChoice]) -> Sheet | None:
    """The first of each ranking in few words, those of the chart before the others."""
    first = leading(choices)
    rows = [_row(choice) for choice in [*first, *(other for other in choices if other not in first)]]
    return Sheet("Fastest stacks", COLUMNS, rows) if rows else None


def _row(choice: RankingChoice) -> tuple[str, ...]:
    if choice.best is None or choice.best.rate is None:
        return choice.where, NOT_KNOWN, "", "", ""
    rate = figure(choice.best.rate.middle, choice.best.rate.half_width)
    ahead = "" if choice.next is None else f"{ratio_text(choice.ratio)} times"
    return choice.where, choice.name(choice.best), rate, ahead, choice.sure_in_short
