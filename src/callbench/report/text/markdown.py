"""Sections and their tables as Markdown."""

from callbench.report.text.section import Section, Sheet


def plain(text_: str) -> str:
    """Keep a text from being taken for markup."""
    escaped = "".join(f"\\{char}" if char in "\\`*_|<>[]#" else char for char in text_)
    return " ".join(escaped.split())


def section_text(section: Section) -> str:
    """Write a section; its charts are left to the page."""
    parts = [f"## {plain(section.title)}", plain(section.about)]
    parts += ["\n".join(f"- {plain(one)}" for one in section.found)]
    parts += [sheet_text(sheet) for sheet in section.every_sheet]
    return "\n\n".join(part for part in parts if part)


def sheet_text(sheet: Sheet, level: str = "###", about: str = "", rest: str = "---:|") -> str:
    """Write a plain table; all columns but the first have numbers, or what `rest` says."""
    lines = [f"{level} {plain(sheet.title)}", "", *([plain(about), ""] if about else [])]
    lines.append("| " + " | ".join(plain(one) for one in sheet.columns) + " |")
    lines.append("|---|" + rest * (len(sheet.columns) - 1))
    lines += ["| " + " | ".join(plain(one) for one in row) + " |" for row in sheet.rows]
    return "\n".join([*lines, *(["", plain(sheet.note)] if sheet.note else [])])
