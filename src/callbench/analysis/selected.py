"""What a run of selected cells is about: these cells. What else the study has is one line, not a page of gaps."""

from dataclasses import replace
from typing import TYPE_CHECKING

from callbench.analysis.claims import ClaimComparison, Verdict
from callbench.analysis.tables import FilledTable
from callbench.analysis.words import listed

if TYPE_CHECKING:
    from callbench.analysis.subject import Subject


def only_measured(subject: "Subject") -> "Subject":
    """Return the subject without tables, rows, claims and questions that the run has no value for, and count them."""
    tables = [_own_rows(one) for one in subject.tables if _has_values(one)]
    judged = [one for one in subject.judged if not _absent(one.deciding)]
    asked = [one for one in subject.asked if not all(_absent(each.compared) for each in one.answers)]
    counts = (
        ("table", len(subject.tables) - len(tables)),
        ("claim", len(subject.judged) - len(judged)),
        ("open question", len(subject.asked) - len(asked)),
    )
    parts = [f"{count} {name}{'s' * (count != 1)}" for name, count in counts if count]
    sentence = f"Not measured, since --select left their cells out: {listed(parts)}." if parts else ""
    others = {name: only_measured(one) for name, one in subject.others.items()}
    return replace(subject, tables=tables, judged=judged, asked=asked, others=others, left_out=sentence)


def _absent(one: ClaimComparison) -> bool:
    """Return whether a comparison has no value because its cells are not in the run: excluded cells are."""
    absent = one.why.startswith("needs a link") or one.why.endswith("was not part of this run")
    return one.verdict is Verdict.UNMEASURED and absent


def _has_values(table: FilledTable) -> bool:
    return any(one.text or one.tried for row in table.rows for one in row.places)


def _own_rows(table: FilledTable) -> FilledTable:
    rows = [row for row in table.rows if any(one.text or one.tried for one in row.places)]
    return replace(table, rows=rows, left_out="")
