"""The page: the question, the results, tables, charts, claims, and where every value comes from."""

from collections.abc import Sequence
from functools import cache

from jinja2 import Template

from callbench.analysis.cells.read_results import CELLS_SQL, EXCLUDED_SQL, TRIALS_SQL
from callbench.analysis.cells.results import Result
from callbench.analysis.judge.claims import Verdict
from callbench.analysis.run.subject import Subject
from callbench.analysis.wording import limits
from callbench.analysis.wording.words import (
    ANSWERS,
    CLASSES,
    MARKS,
    apart_text,
    as_sentence,
    claim_ratio_text,
    counted_verdicts,
    published_text,
    ratio_text,
    remark_text,
    run_spread_text,
)
from callbench.catalog.study.report_parts import NO_DIFFERENCE
from callbench.model.metrics.registry import LISTED
from callbench.report.charts.first import first_chart
from callbench.report.charts.gallery import gallery
from callbench.report.export.stack_cards import said_once
from callbench.report.export.template import environment, flat, render, when
from callbench.report.sections.order import sections
from callbench.report.text.answer import answer
from callbench.report.text.choice import sheet
from callbench.report.text.columns import CellColumn, alike, differing
from callbench.report.text.more_time import ABOUT as OPEN
from callbench.report.text.run_opening import run_title
from callbench.report.text.summary import cautions, exclusions, summary
from callbench.stats.estimate.digits import end, percent
from callbench.stats.estimate.interval import Interval


def page(subject: Subject) -> str:
    """Write the page, self-contained: styles and charts within, no scripts, nothing fetched."""
    summary_, columns = summary(subject), differing(subject.results.cells)
    charts = gallery(subject, summary_.choices)
    beside = [table for table in subject.tables if table.beside]
    with_question = {name for question in subject.asked for name in question.tables}
    others = [table for table in subject.tables if not table.beside and table.id not in with_question]
    linked = {place.cell for table in subject.tables for row in table.rows for place in row.places}
    return render(
        page_template(),
        {
            "subject": subject,
            "title": run_title(subject, summary_),
            "answer": answer(subject, summary_),
            "first_chart": first_chart(subject, summary_.choices),
            "info": subject.run.info,
            "request": subject.requested,
            "found": summary_.besides,
            "choices": sheet(summary_.choices) if summary_.choices else None,
            "run_spread": run_spread_text(subject.results.run_spread),
            "ahead": summary_.open_results.in_words(),
            "open_about": OPEN,
            "open_sheet": summary_.open_results.sheet(),
            "cautions": cautions(subject),
            "first_tables": beside or others,
            "other_tables": others if beside else [],
            "more_title": "All channels and messages" if any(other.by_channel for other in others) else "More tables",
            "limits_key": limits.KEY,
            "charts": charts,
            "asked": [
                {"question": question, "tables": [table for table in subject.tables if table.id in question.tables]}
                for question in subject.asked
            ],
            "sections": sections(subject),
            "tally": [(each, [claim for claim in subject.judged if claim.verdict is each]) for each in Verdict],
            "left_out": exclusions(subject),
            "stacks": said_once(subject.cards.values()),
            "environment": list(flat(subject.environment)),
            "every": [
                _line(own, cell, columns)
                for own in (subject, *subject.others.values())
                for cell in own.results.cells
                if own is subject or cell.id in linked
            ],
            "listed": list(LISTED.values()),
            "columns": columns,
            "alike": alike(subject.results.cells),
            "queries": {"cells": CELLS_SQL, "trials": TRIALS_SQL.strip(), "excluded": EXCLUDED_SQL},
            "when": when(str(subject.run.info["started"])),
            "every_heads": _every_heads(columns),
            "every_words": _every_words(columns),
        },
    )


def _every_heads(columns: Sequence[CellColumn]) -> list[str]:
    """Name the columns of the table of every cell."""
    first, *others = [metric.heading for metric in LISTED.values()]
    return [
        "",
        "group",
        *(column.name for column in columns),
        first,
        "low",
        "high",
        *others,
        "forks",
        "calls",
        "errors, remarks",
    ]


def _every_words(columns: Sequence[CellColumn]) -> list[int]:
    """Return the places of its columns that have words."""
    named = [place for place, column in enumerate(columns, 2) if not column.number]
    return [1, *named, len(_every_heads(columns)) - 1]


@cache
def page_template() -> Template:
    """Load the page's template, with the words of results."""
    made = environment()
    made.filters["ratio"] = ratio_text
    made.filters["claim_ratio"] = claim_ratio_text
    made.filters["remark"] = remark_text
    made.filters["apart"] = apart_text
    made.filters["verdicts"] = counted_verdicts
    made.filters["sentence"] = as_sentence
    made.filters["plain"] = published_text
    made.globals["marks"] = MARKS
    made.globals["no_difference"] = percent(NO_DIFFERENCE)
    made.globals["classes"] = CLASSES
    made.globals["answer_words"] = ANSWERS
    return made.get_template("page.html.j2")


def _line(subject: Subject, result: Result, columns: Sequence[CellColumn]) -> dict[str, object]:
    """Write one line of the table of every cell."""
    places = [subject.place(result, name) for name in LISTED]
    rate = places[0].interval
    return {
        "result": result,
        "group": result.attributes["group"] + ("" if subject.others else subject.condition),
        "texts": [column.text(result) for column in columns],
        "metrics": [place.text for place in places],
        "low": _end(rate, rate.low) if rate else "",
        "high": _end(rate, rate.high) if rate else "",
        "errors": ", ".join(f"{count:,} × {kind}" for kind, count in result.errors.items()),
    }


def _end(interval: Interval, value: float | None) -> str:
    """Write an end of an interval, or nothing."""
    return "" if value is None else end(value, interval.middle, interval.half_width)
