"""What a record of stability is told as: on a terminal, as a page, as Markdown, as JSON. Always from the folder."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.text import Text

from callbench.report.export.file import written
from callbench.report.export.md import plain, section_text
from callbench.report.export.page import flat, template, when
from callbench.report.text.grid import Column, Grid
from callbench.report.text.section import Section
from callbench.runner.stability.findings import Finding, record


class Kept(Protocol):
    """Where a record lies, and what stands above and below its report."""

    @property
    def path(self) -> Path:
        """Its folder or file."""

    @property
    def info(self) -> Mapping[str, Any]:
        """`title` and `started`."""

    def environment(self) -> Mapping[str, Any]:
        """The machine that it was made on."""


@dataclass(frozen=True)
class Told:
    """One record, ready to be shown.

    Attributes:
        about: what was done, in a sentence or two.
        found: what came out, most important first.
        record: for programs.
        findings: what was wrong, or could not be told.
    """

    run: Kept
    about: str
    found: Sequence[str]
    sections: Sequence[Section]
    record: Mapping[str, Any]
    findings: Sequence[Finding] = ()


def show(told: Told, console: Console) -> None:
    """Print it: tables first, since sentences are read last and remembered."""
    for section in told.sections:
        for sheet in section.every_sheet:
            grid = Grid([Column(name, number=place > 0) for place, name in enumerate(sheet.columns)], title=sheet.title)
            for row in sheet.rows:
                grid.add(*row)
            grid.print(console)
    for sentence in told.found:
        console.print(Text(sentence), soft_wrap=True)


def as_json(told: Told) -> str:
    """Write it for programs."""
    return (
        json.dumps(
            {**told.record, "findings": record(told.findings), "found": list(told.found)}, indent=1, ensure_ascii=False
        )
        + "\n"
    )


def html(told: Told) -> str:
    """Write the page, self-contained."""
    info = told.run.info
    return str(
        template("stability.html.j2").render(
            title=info["title"],
            about=told.about,
            found=told.found,
            sections=told.sections,
            environment=list(flat(told.run.environment())),
            when=when(str(info["started"])),
        )
    )


def markdown(told: Told) -> str:
    """Write it for a note."""
    parts = [f"# {plain(str(told.run.info['title']))}", plain(told.about)]
    parts += ["\n".join(f"- {plain(one)}" for one in told.found)]
    parts += [section_text(section) for section in told.sections]
    return "\n\n".join(part for part in parts if part) + "\n"


FORMATS: Mapping[str, Callable[[Told], str]] = {"html": html, "md": markdown, "json": as_json}


def write(told: Told, form: str = "html", out: Path | None = None) -> Path:
    """Write it to a file, as `file.written` does."""
    return written(told, FORMATS, told.run.path, form, out)
