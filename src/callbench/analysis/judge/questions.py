"""Questions that were left open, and what a run says of each: ratios of its values, as claims have them."""

from collections.abc import Sequence
from dataclasses import dataclass

from callbench.analysis.cells.results import Results
from callbench.analysis.judge.claims import LEVEL, ClaimComparison, Verdict, compared
from callbench.catalog.study import Study
from callbench.catalog.study.claim import comparison
from callbench.catalog.study.report_parts import AnswerPart, QuestionPart


@dataclass(frozen=True)
class Answer:
    """One answer of a run.

    Attributes:
        sentence: what follows from the value; "" if none was measured or it leaves the matter open.
        statistic: what the ratio is one of.
    """

    sentence: str
    statistic: str
    compared: ClaimComparison


@dataclass(frozen=True)
class AnsweredQuestion:
    """A question and what a run answers.

    Attributes:
        reading: how it was put to the run.
        tables: ids of the tables that are shown with it.
    """

    id: str
    text: str
    reading: str
    answers: Sequence[Answer]
    tables: Sequence[str]

    @property
    def measured(self) -> bool:
        """Whether the run says anything of it."""
        return any(answer.compared.ratio for answer in self.answers)


def ask(study: Study, results: Results, level: float = LEVEL) -> list[AnsweredQuestion]:
    """Ask a run every question of its study, each at a level."""
    return [_ask_one(study, part, results, level) for part in study.questions]


def _ask_one(study: Study, part: QuestionPart, results: Results, level: float) -> AnsweredQuestion:
    """Ask one question. Each answer stands alone, so that none is corrected for the others."""
    text = part.text
    if part.open_question is not None and study.published:
        text = study.published.open_questions[part.open_question - 1]
    answers = [_answer(study, asked, results, level) for asked in part.answers]
    shown = [answer for answer in answers if answer.compared.ratio or not answer.compared.comparison.optional]
    return AnsweredQuestion(part.id, text, part.reading, shown, part.tables)


def _answer(study: Study, part: AnswerPart, results: Results, level: float) -> Answer:
    """Return one answer: the sentence that its value calls for."""
    statistic = part.statistic or "rate_per_s"
    judged = compared(study, [comparison(part)], statistic, results, level)[0]
    sentence = {Verdict.HOLDS: part.holds, Verdict.FAILS: part.fails}.get(judged.verdict, "")
    return Answer(sentence, statistic, judged)
