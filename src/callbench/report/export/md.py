"""The report as Markdown, for a pull request or a note."""

from collections.abc import Sequence

from callbench.analysis.judge.claims import ClaimResult
from callbench.analysis.judge.questions import AnsweredQuestion
from callbench.analysis.run.subject import Subject
from callbench.analysis.run.tables import FilledTable, TableCell
from callbench.analysis.wording import limits
from callbench.analysis.wording.words import (
    ANSWERS,
    answer_text,
    apart_text,
    claim_ratio_text,
    published_text,
    remark_text,
)
from callbench.report.sections.order import sections
from callbench.report.text.choice import sheet as choice_sheet
from callbench.report.text.markdown import first_parts, folded, plain, section_text, sheet_text
from callbench.report.text.more_time import ABOUT as OPEN
from callbench.report.text.run_opening import run_opening
from callbench.report.text.summary import Summary, cautions, exclusions, summary, verdicts_text


def text(subject: Subject) -> str:
    """Write it: what its page has first, and everything else folded."""
    summary_ = summary(subject)
    parts = first_parts(run_opening(subject, summary_))
    parts += [folded("Study", [f"### {plain(subject.study.title)}", plain(subject.study.about)])]
    parts += [folded("Warnings", ["\n".join(f"- {plain(caution)}" for caution in cautions(subject))])]
    parts += _summary(summary_, subject.judged)
    parts += [folded("Tables", [_table(table) for table in subject.tables])]
    parts += [folded("Open questions", [_question_text(question) for question in subject.asked])]
    parts += [section_text(section) for section in sections(subject)]
    lines = [f"- {plain(why)}: {plain(', '.join(names))}" for why, names in exclusions(subject).items()]
    parts += [folded("Excluded", ["\n".join(lines)])]
    info = subject.run.info
    made = f"seed {subject.requested.seed}, Callbench {info.get('callbench', '')}, folder `{subject.run.path.name}`"
    parts.append(f"Run of {info['started']}, {made}.")
    return "\n\n".join(part for part in parts if part) + "\n"


def _summary(overview: Summary, judged: Sequence[ClaimResult]) -> list[str]:
    """Write the parts on what to choose, which claims hold, what is not known, and the other results."""
    parts = [folded("Fastest stacks", [sheet_text(choice_sheet(overview.choices))])] if overview.choices else []
    parts += [folded("Claims", [plain(verdicts_text(judged)), _claims(judged)])] if judged else []
    open_ = overview.open_results.sheet()
    if open_ is not None:
        words = plain(overview.open_results.in_words())
        parts += [folded(open_.title, [sheet_text(open_, about=OPEN), words])]
    return [*parts, folded("Other results", ["\n".join(f"- {plain(str(beside))}" for beside in overview.besides)])]


def _table(table: FilledTable) -> str:
    """Write one table; the published value stands in brackets."""
    unit = (
        limits.KEY + (" Published values in brackets." if table.beside else "")
        if table.in_words
        else ""
        if table.mixed
        else f"In {table.metric.unit}" + (", published values in brackets." if table.beside else ".")
    )
    lines = [f"### {plain(table.title)}", "", plain(f"{table.about} {unit}"), ""]
    if table.missing:
        lines += [plain(table.missing), ""]
    lines.append("| | " + " | ".join(plain(column) for column in table.columns) + " |")
    lines.append("|---|" + "---:|" * len(table.columns))
    for row in table.rows:
        label = f"{row.section}: {row.label}" if row.section else row.label
        lines.append(f"| {plain(label)} | " + " | ".join(_place(cell) for cell in row.places) + " |")
    lines += ["", plain(table.left_out)] if table.left_out else []
    return "\n".join(lines)


def _place(cell: TableCell) -> str:
    """Write one value."""
    own = " ".join(part for part in (cell.text or cell.why, cell.spread) if part)
    return plain(own) + (f" ({cell.published})" if cell.published else "")


def _question_text(question: AnsweredQuestion) -> str:
    """Write a question and its answers."""
    if not question.measured:
        return f"### {plain(question.text)}\n\nNot measured in this run."
    answers = [f"- **{ANSWERS[answer.compared.verdict]}** {plain(answer_text(answer))}" for answer in question.answers]
    return "\n\n".join(
        part for part in (f"### {plain(question.text)}", plain(question.reading), "\n".join(answers)) if part
    )


def _claims(judged: Sequence[ClaimResult]) -> str:
    """Write the claims as a table."""
    lines = ["| claim | verdict | deciding ratio | threshold | published |", "|---|---|---|---|---|"]
    for claim in judged:
        deciding = claim.deciding
        label = f"{deciding.comparison.label}: {claim_ratio_text(deciding)}" if deciding.ratio else deciding.why
        remarks = (remark_text(deciding).removeprefix("undecided: "), apart_text(claim))
        label = "; ".join(part for part in (label, *remarks) if part)
        row = [
            plain(claim.text),
            f"**{claim.verdict}**",
            plain(label),
            deciding.threshold,
            published_text(deciding.published),
        ]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)
