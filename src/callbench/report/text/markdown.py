"""Sections and their tables as Markdown."""

from collections.abc import Sequence

from callbench.report.text.opening import Opening, shortened
from callbench.report.text.section import Section, Sheet


def plain(text_: str) -> str:
    """Keep a text from being taken for markup."""
    escaped = "".join(f"\\{char}" if char in "\\`*_|<>[]#" else char for char in text_)
    return " ".join(escaped.split())


def first_parts(opening: Opening) -> list[str]:
    """Write what a reader sees first: the title, a sentence, a small table, what is certain and what is not."""
    first, *others = opening.sentences or ("",)
    sheet = [] if opening.sheet is None else [table_text(shortened(opening.sheet))]
    return [f"# {plain(opening.title)}", plain(first), *sheet, "\n".join(f"- {plain(sentence)}" for sentence in others)]


def folded(title: str, parts: Sequence[str]) -> str:
    """Fold parts under a title; "" without parts. GitHub and GitLab show what is within as Markdown."""
    written = [part for part in parts if part]
    if not written:
        return ""
    return "\n\n".join([f"<details><summary>{plain(title)}</summary>", *written, "</details>"])


def section_text(section: Section) -> str:
    """Write a section; its charts are left to the page."""
    parts = [plain(section.about), "\n".join(f"- {plain(finding)}" for finding in section.found)]
    return folded(section.title, [*parts, *(sheet_text(sheet) for sheet in section.every_sheet)])


def sheet_text(sheet: Sheet, about: str = "") -> str:
    """Write a plain table under its title."""
    parts = [f"### {plain(sheet.title)}", plain(about), table_text(sheet)]
    return "\n\n".join(part for part in parts if part)


def table_text(sheet: Sheet) -> str:
    """Write a plain table without its title."""
    lines: list[str] = []
    lines.append("| " + " | ".join(plain(column) for column in sheet.columns) + " |")
    lines.append("|" + "".join("---:|" if sheet.has_values(place) else "---|" for place in range(len(sheet.columns))))
    lines += ["| " + " | ".join(plain(cell) for cell in row) + " |" for row in sheet.rows]
    return "\n".join([*lines, *(["", plain(sheet.note)] if sheet.note else [])])
