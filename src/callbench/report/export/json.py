"""The report as JSON: cells as `show` has them, tables, claims, what a reader must know, environment."""

import json
import math

from callbench.analysis.judge.claims import ClaimComparison, ClaimResult
from callbench.analysis.judge.questions import AnsweredQuestion
from callbench.analysis.run.subject import Subject
from callbench.analysis.run.tables import FilledTable
from callbench.analysis.wording.words import undecided_text
from callbench.report.export.show import cell_records
from callbench.report.sections.order import sections
from callbench.report.text.choice import RankingChoice
from callbench.report.text.more_time import SECONDS, OpenResults
from callbench.report.text.section import Section
from callbench.report.text.summary import cautions, summary
from callbench.stats.estimate.interval import Interval


def text(subject: Subject) -> str:
    """Write it."""
    summary_ = summary(subject)
    whole = {
        **cell_records(subject),
        "title": subject.study.title,
        "about": subject.study.about,
        "found": [str(sentence) for sentence in summary_.sentences],
        "choices": [_choice(choice) for choice in summary_.choices],
        "not_known": [_obstacle(summary_.open_results, place) for place in range(len(summary_.open_results.obstacles))],
        "five_minutes": {
            "seconds": SECONDS,
            "fork_s": summary_.open_results.fork_s,
            "forks": summary_.open_results.forecast.forks if summary_.open_results.forecast else None,
        },
        "cautions": cautions(subject),
        "tables": [_table(table) for table in subject.tables],
        "claims": [_claim(claim) for claim in subject.judged],
        "questions": [_question_record(question) for question in subject.asked],
        "sections": [_section(section) for section in sections(subject)],
        "environment": subject.environment,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _interval(interval: Interval | None) -> dict[str, object] | None:
    """Write a value with its 95 % interval."""
    if interval is None:
        return None
    return {"figure": interval.middle, "low": interval.low, "high": interval.high, "forks": interval.forks}


def _choice(choice: RankingChoice) -> dict[str, object]:
    """Write what to choose from one ranking."""
    table = choice.ranking
    return {
        "group": table.group,
        "clients": int(table.clients),
        "link": table.link,
        "kind": choice.kind,
        "stack": choice.best.attributes["stack"] if choice.best else None,
        "cell": choice.best.id if choice.best else None,
        "rate_per_s": _interval(choice.best.rate) if choice.best else None,
        "next": choice.next.attributes["stack"] if choice.best and choice.next else None,
        "ratio": _interval(choice.ratio) if choice.best else None,
        "ratio_from_run_to_run": _interval(choice.beyond) if choice.best else None,
        "ties": [each.attributes["stack"] for each in choice.ties] if choice.best else [],
        "reached_by": [each.attributes["stack"] for each in choice.reaching],
        "shown": choice.shown,
        "lasts": choice.lasts,
    }


def _obstacle(ahead: OpenResults, place: int) -> dict[str, object]:
    """Write one thing that is not known."""
    obstacle = ahead.obstacles[place]
    return {
        "kind": obstacle.kind,
        "about": obstacle.about,
        "where": obstacle.where,
        "reason": obstacle.reason,
        "detail": obstacle.detail,
        "more_forks": obstacle.more,
        "settled_in_five_minutes": bool(ahead.forecast and ahead.forecast.settled[place]),
    }


def _table(table: FilledTable) -> dict[str, object]:
    """Write one table."""
    rows = [
        {
            "section": row.section,
            "label": row.label,
            "places": [
                {
                    "cell": cell.cell,
                    "result": _interval(cell.interval),
                    # What has no interval is words, or a value that is at an end of what can be said.
                    "text": " ".join(part for part in (cell.text, cell.spread) if part and cell.interval is None),
                    "published": cell.published,
                    "why": cell.why,
                }
                for cell in row.places
            ],
        }
        for row in table.rows
    ]
    return {
        "id": table.id,
        "title": table.title,
        "statistic": table.statistic,
        "unit": table.metric.unit,
        "columns": list(table.columns),
        "rows": rows,
        "missing": table.missing,
        "left_out": table.left_out,
    }


def _section(section: Section) -> dict[str, object]:
    """Write one section, as it stands on the page except for its charts."""
    sheets = [
        {
            "title": sheet.title,
            "columns": list(sheet.columns),
            "rows": [list(row) for row in sheet.rows],
            "note": sheet.note,
        }
        for sheet in section.every_sheet
    ]
    return {"id": section.id, "title": section.title, "found": list(section.found), "sheets": sheets}


def _claim(claim: ClaimResult) -> dict[str, object]:
    """Write one claim with its comparisons."""
    return {
        "id": claim.id,
        "text": claim.text,
        "reading": claim.reading,
        "verdict": claim.verdict,
        "deciding": _comparison(claim.deciding),
        "comparisons": [_comparison(compared) for compared in claim.compared],
        "apart": [_comparison(compared) for compared in claim.apart],
    }


def _question_record(question: AnsweredQuestion) -> dict[str, object]:
    """Write one open question with what the run answers."""
    answers = [
        {"sentence": answer.sentence, "statistic": answer.statistic, **_comparison(answer.compared)}
        for answer in question.answers
    ]
    return {"id": question.id, "text": question.text, "reading": question.reading, "answers": answers}


def _comparison(compared: ClaimComparison) -> dict[str, object]:
    """Write one comparison."""
    high, tested = compared.comparison.high, compared.tested
    return {
        "label": compared.comparison.label,
        "above": compared.comparison.low or None,
        "below": high if math.isfinite(high) else None,
        "verdict": compared.verdict,
        "ratio": _interval(compared.ratio),
        "from_run_to_run": _interval(compared.beyond),
        "published": compared.published,
        "why": compared.why,
        "detectable": None if tested is None else tested.detectable,
        "more_forks": None if tested is None else tested.more_forks,
        "undecided": undecided_text(compared) or None,
        "margin": compared.comparison.margin,
        "at_bound": tested is not None and tested.at_bound,
        "stand_in": compared.stand_in or None,
    }
