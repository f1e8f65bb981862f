"""What a run of selected cells is about: these cells. What else the study has is one line, not a page of gaps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from callbench.analysis.judge.claims import ClaimComparison, ClaimResult, Verdict
from callbench.analysis.judge.questions import AnsweredQuestion
from callbench.analysis.run.tables import FilledTable
from callbench.analysis.wording.words import listed


@dataclass(frozen=True)
class MeasuredParts:
    """What of a study has values, and a sentence that counts the rest; "" if there is none."""

    tables: Sequence[FilledTable]
    judged: Sequence[ClaimResult]
    asked: Sequence[AnsweredQuestion]
    left_out: str


def only_measured(
    tables: Sequence[FilledTable], judged: Sequence[ClaimResult], asked: Sequence[AnsweredQuestion]
) -> MeasuredParts:
    """Leave out tables, rows, claims and questions that the run has no cells for, and count them."""
    kept = [_own_rows(table) for table in tables if _has_values(table)]
    tested = [claim for claim in judged if not _absent(claim.deciding)]
    answered = [question for question in asked if not all(_absent(each.compared) for each in question.answers)]
    counts = (
        ("table", len(tables) - len(kept)),
        ("claim", len(judged) - len(tested)),
        ("open question", len(asked) - len(answered)),
    )
    parts = [f"{count} {name}{'s' * (count != 1)}" for name, count in counts if count]
    sentence = f"Not measured, since --select left their cells out: {listed(parts)}." if parts else ""
    return MeasuredParts(kept, tested, answered, sentence)


def _absent(compared: ClaimComparison) -> bool:
    """Return whether a comparison has no value because its cells are not in the run: excluded cells are."""
    absent = compared.why.startswith("needs a link") or compared.why.endswith("was not part of this run")
    return compared.verdict is Verdict.UNMEASURED and absent


def _has_values(table: FilledTable) -> bool:
    return any(cell.text or cell.tried for row in table.rows for cell in row.places)


def _own_rows(table: FilledTable) -> FilledTable:
    rows = [row for row in table.rows if any(cell.text or cell.tried for cell in row.places)]
    return replace(table, rows=rows, left_out="")
