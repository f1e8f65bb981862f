"""The report of a record: on a terminal, as a page, as Markdown, as CSV, as JSON. It is made from the folder alone."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.text import Text

from callbench.analysis.stability.findings import Finding, record
from callbench.report.export.file import write_report
from callbench.report.export.template import flat, render, template, when
from callbench.report.text.grid import grid_of
from callbench.report.text.markdown import first_parts, folded, plain, section_text
from callbench.report.text.opening import Opening, opening_of
from callbench.report.text.section import Chart, Section


class ReportSource(Protocol):
    """What a report is made from: a record, or the file of an advice."""

    @property
    def path(self) -> Path:
        """Its folder or file."""

    @property
    def info(self) -> Mapping[str, object]:
        """Members `title` and `started`."""

    def environment(self) -> Mapping[str, object]:
        """Return the machine that it was measured on."""


@dataclass(frozen=True)
class RecordReport:
    """The report of one record.

    Attributes:
        run: the record.
        about: what was done, in a sentence or two.
        found: the results in sentences, most important first.
        sections: tables and charts.
        record: everything for programs, as JSON values.
        findings: what was wrong, or could not be decided.
        formats: file formats beside `FORMATS`: the text of the report by the format's name.
        verdict: what follows, in a short sentence: the title of the page; "" where nothing follows.
        first_section: the section whose first table stands for all where there is little room; "" for the first of all.
        assumed: what nobody said or showed and the verdict rests on: in a box under it.
    """

    run: ReportSource
    about: str
    found: Sequence[str]
    sections: Sequence[Section]
    record: Mapping[str, Any]
    findings: Sequence[Finding] = ()
    formats: Mapping[str, Callable[["RecordReport"], str]] = field(default_factory=dict)
    verdict: str = ""
    assumed: Sequence[str] = ()
    first_section: str = ""

    @property
    def title(self) -> str:
        """What its page is headed with: the verdict, or what was measured where there is none."""
        return self.verdict or str(self.run.info["title"])

    @property
    def opening(self) -> Opening:
        """Its answer in words, with what is assumed right behind the first sentence."""
        assumed = [f"Assumed: {sentence}" for sentence in self.assumed]
        sentences = [*self.found[:1], *assumed, *self.found[1:]]
        return opening_of(self.title, sentences, self.sections, self.first_section)


def show(report: RecordReport, console: Console) -> None:
    """Print all of it: the answer, then the tables."""
    opening = report.opening
    console.print(Text(opening.title, style="bold"), soft_wrap=True)
    if report.verdict:
        console.print(Text(str(report.run.info["title"]), style="dim"), soft_wrap=True)
    for sentence in (*opening.sentences, *opening.more):
        console.print(Text(sentence), soft_wrap=True)
    if report.about:
        console.print(Text(report.about, style="dim"), soft_wrap=True)
    for section in report.sections:
        for sheet in section.every_sheet:
            grid_of(sheet).print(console)
        for sentence in section.found:
            if sentence not in report.found:
                console.print(Text(f"! {sentence}", style="yellow"), soft_wrap=True)


def as_record(report: RecordReport) -> dict[str, object]:
    """Return it for programs, as JSON values."""
    return {**report.record, "findings": record(report.findings), "found": list(report.found)}


def as_json(report: RecordReport) -> str:
    """Write it for programs."""
    return json.dumps(as_record(report), indent=1, ensure_ascii=False) + "\n"


def html(report: RecordReport) -> str:
    """Write the page, self-contained."""
    info = report.run.info
    first, sections = _first(report.sections)
    said = opening_of(report.title, report.found, ())
    return render(
        template("record.html.j2"),
        {
            "title": report.title,
            "measured": info["title"] if report.verdict else "",
            "command": info.get("command", ""),
            "about": report.about,
            "assumed": report.assumed,
            "found": [*said.sentences, *said.more],
            "first_chart": first,
            "sections": sections,
            "environment": list(flat(report.run.environment())),
            "when": when(str(info["started"])),
        },
    )


def _first(sections: Sequence[Section]) -> tuple[Chart | None, list[Section]]:
    """Take the first chart for the first screen. Return it, and the sections without it."""
    for place, section in enumerate(sections):
        if section.charts:
            chart, *others = section.charts
            rest = replace(section, charts=others, sheets=[*section.sheets, *chart.sheets])
            kept = [rest] if rest.sheets or rest.charts or rest.found else []
            return chart, [*sections[:place], *kept, *sections[place + 1 :]]
    return None, list(sections)


def markdown(report: RecordReport) -> str:
    """Write it for a note."""
    opening = report.opening
    parts = first_parts(opening)
    parts += [
        folded("More results", ["\n".join(f"- {plain(sentence)}" for sentence in opening.more)] if opening.more else [])
    ]
    parts += [folded("What was measured", [plain(report.about)])]
    parts += [section_text(section) for section in report.sections]
    return "\n\n".join(part for part in parts if part) + "\n"


def table(report: RecordReport) -> str:
    """Write its tables as CSV: each with its title, its columns and its rows."""
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    for section in report.sections:
        for sheet in section.every_sheet:
            lines.writerows(((sheet.title,), sheet.columns, *sheet.rows, ()))
    return out.getvalue()


def parquet_content(report: RecordReport) -> bytes:
    """Write the values of its tables as Parquet, a row each."""
    from callbench.report.export.parquet import parquet_of  # noqa: PLC0415 - of this format alone
    from callbench.report.export.plain_rows import sheet_rows  # noqa: PLC0415 - likewise

    return parquet_of(sheet_rows(report.sections))


FORMATS: Mapping[str, Callable[[RecordReport], str | bytes]] = {
    "html": html,
    "md": markdown,
    "csv": table,
    "json": as_json,
    "parquet": parquet_content,
}


def content(report: RecordReport, form: str) -> str | bytes:
    """Return it in one of its formats."""
    return {**FORMATS, **report.formats}[form](report)


def write(report: RecordReport, form: str = "html", out: Path | None = None) -> Path:
    """Write it to a file, in one of its formats."""
    return write_report(report, {**FORMATS, **report.formats}, report.run.path, form, out)
