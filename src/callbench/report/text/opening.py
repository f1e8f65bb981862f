"""What a reader sees first of a record, in words: its title, a few sentences and a small table in the chart's place."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from callbench.report.text.section import Section, Sheet

# So many sentences of a record are said at once, and so many rows of its first table are shown.
MOST_SENTENCES = 4
MOST_ROWS = 10
_WORD = re.compile(r"[\w%](?:[\w.,:/-]*\w)?")


@dataclass(frozen=True)
class Opening:
    """The answer of a record, the same on its page, in the terminal and in Markdown.

    Attributes:
        title: what follows; of a run without a verdict, what was measured.
        sentences: what was found, the most important first.
        more: sentences for those who read on.
        sheet: the first table, of which `shortened` leaves a few rows; None where there is none.
    """

    title: str
    sentences: Sequence[str]
    more: Sequence[str] = ()
    sheet: Sheet | None = None


def opening_of(title: str, sentences: Sequence[str], sections: Sequence[Section], first: str = "") -> Opening:
    """Take it from a report: of the sentences the first few, of the tables one.

    Args:
        title: of the report. What a sentence only says again is left out.
        sentences: its sentences, the most important first.
        sections: what its tables are in.
        first: the section whose first table is meant; "" for the first of all.
    """
    said = [more for sentence in sentences if (more := _beyond(title, sentence))]
    sheets = [sheet for section in sections if first in {"", section.id} for sheet in section.every_sheet]
    return Opening(title, said[:MOST_SENTENCES], said[MOST_SENTENCES:], sheets[0] if sheets else None)


def _beyond(title: str, sentence: str) -> str:
    """Leave out of a sentence what the title above it has said: all of it, or the first of several parts."""
    if {*_WORD.findall(sentence)} <= {*_WORD.findall(title)}:
        return ""
    first, *others = sentence.removesuffix(".").split("; ")
    if not others or not title.startswith(first):
        return sentence
    what, colon, _ = first.partition(": ")
    return f"Also{f' {what.lower()}' if colon else ''}: {'; '.join(others)}."


def shortened(sheet: Sheet, most: int = MOST_ROWS) -> Sheet:
    """Leave out the rows of a table beyond `most`, and say how many there are."""
    left = len(sheet.rows) - most
    note = f"The first {most} of {len(sheet.rows)} rows." if left > 0 else ""
    return replace(sheet, rows=sheet.rows[:most], note=note)
