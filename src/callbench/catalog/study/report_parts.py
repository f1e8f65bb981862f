"""The parts of a study file about its report: tables, charts, ladders, ranks, conclusion, claims, questions."""

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from callbench.catalog.study.part import LinkName, Name, Part
from callbench.model.metrics.metric import StudyUse
from callbench.model.metrics.registry import available_metrics
from callbench.model.suggestions import allowed_names


def _among(names: Sequence[str]) -> AfterValidator:
    """Return a validator for names of allowed metrics."""

    def check(name: str) -> str:
        if name not in names:
            raise ValueError(f'"{name}" is not a metric that can be shown here: {allowed_names(name, names, 6)}')
        return name

    return AfterValidator(check)


# The metrics of callbench.model.metrics; docs/reference/metrics.md lists them.
Statistic = Annotated[str, _among(available_metrics())]
OfTable = Annotated[str, _among(available_metrics(StudyUse.TABLES))]
OfColumn = Annotated[str, _among(available_metrics(StudyUse.TABLES, StudyUse.COLUMNS))]
Threshold = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class CellFilter(Part):
    """A choice of cells: those with every given value."""

    stack: Name | None = None
    adapter: Name | None = None
    language: Name | None = None
    message: Name | None = None
    channel: Name | None = None
    call: Name | None = None
    group: Name | None = None
    link: Name | None = None
    clients: int | str | None = None
    arrivals: Name | None = None
    rate: int | float | str | None = None

    def conditions(self) -> dict[str, str]:
        """Return the given values as texts."""
        return dict(self.as_texts)

    @cached_property
    def as_texts(self) -> dict[str, str]:
        """`conditions`, computed once: reports with many cells need it thousands of times."""
        return {
            key: f"{value:.12g}" if isinstance(value, float) else str(value) for key, value in self if value is not None
        }


class Line(Part):
    """A row or a column of a table.

    Attributes:
        optional: of a row: it is left out if the run has no value for it.
        sections: of a column: the sections of rows that it belongs to, if not all.
        statistic: of a column: its metric instead of the table's.
        against: of a row: the cell that `break_even_mbit` compares with, which sends more bytes. Its values replace
            those of row, column and table.
    """

    label: Name
    optional: bool = False
    sections: list[Name] = []
    statistic: OfColumn | None = None
    against: CellFilter | None = None
    where: CellFilter = CellFilter()
    published: Name | None = None
    section: Name | None = None
    note: str = ""


class TablePart(Part):
    """`[[tables]]`: rows and columns of one metric, or one metric per column."""

    id: Name
    title: Name
    about: str = ""
    group: Name | None = None
    statistic: OfTable = "rate_per_s"
    published: Name | None = None
    link: Name = "loopback"
    rows: Annotated[list[Line], Field(min_length=1)]
    columns: Annotated[list[Line], Field(min_length=1)]

    @model_validator(mode="after")
    def _lines_make_sense(self) -> Self:
        """Check that `against` has a meaning, and that rows and columns have only members of their own."""
        breaks = any(column.statistic == "break_even_mbit" for column in self.columns)
        if breaks != any(row.against for row in self.rows):
            raise ValueError(
                'a column with statistic = "break_even_mbit" and rows with against = { ... } come together'
            )
        for row in self.rows:
            if row.statistic or row.sections:
                raise ValueError(f'row "{row.label}" has a statistic or sections, which only a column may have')
        for column in self.columns:
            unknown = set(column.sections) - {row.section for row in self.rows}
            if unknown:
                raise ValueError(f'column "{column.label}": no row has the section {min(unknown)}')
            if column.optional or column.against:
                raise ValueError(f'column "{column.label}" is optional or against something, which only a row may be')
        return self


class ChartPoint(Part):
    """The position of a group on a chart's axis."""

    group: Name
    at: Annotated[float, Field(allow_inf_nan=False, strict=False)]


class ChartPart(Part):
    """`[[charts]]`: one metric along a parameter, one line per series; divided by another cell's if `over` is given."""

    id: Name
    title: Name
    about: str = ""
    statistic: Statistic = "mean_us"
    x: Name
    link: Name | None = None
    points: Annotated[list[ChartPoint], Field(min_length=1)]
    series: Annotated[list[Line], Field(min_length=1)]
    over: CellFilter | None = None


class LadderSlopes(Part):
    """`slopes` of a ladder: what each client adds, beside the published row or column."""

    title: Name
    published: Name | None = None


class LadderPart(Part):
    """`[[ladders]]`: calls per millisecond, milliseconds per call, or the gain over the fewest clients, by clients.

    With several points, each value is the mean over their groups, and the report says what that hides.

    Attributes:
        points: the groups; `at` is their position on the axis of the mean.
        over: the name of that axis.
        published: a published table and its column or row of means over clients, as a dotted name; drawn as horizontal
            lines.
    """

    id: Name
    title: Name
    about: str = ""
    statistic: Literal["calls_per_ms", "ms_per_call", "gain"] = "calls_per_ms"
    points: Annotated[list[ChartPoint], Field(min_length=1)]
    over: Name = "size"
    rows: Annotated[list[Line], Field(min_length=1)]
    published: Name | None = None
    slopes: LadderSlopes | None = None


class RankColumn(Part):
    """The basis of one rank: the mean rate of all cells of these groups; `published` is its published column."""

    label: Name
    published: Name | None = None
    groups: Annotated[list[Name], Field(min_length=1)]


class RanksPart(Part):
    """`[[ranks]]`: mean rates by row and column, the rank in each column, and the average rank."""

    id: Name
    title: Name
    about: str = ""
    published: Name | None = None
    rows: Annotated[list[Line], Field(min_length=1)]
    columns: Annotated[list[RankColumn], Field(min_length=1)]


class NetworkCall(Part):
    """A call of the conclusion: `near` is its group on this machine, with a ledger; `far` its group over links."""

    label: Name
    near: Name
    far: Name | None = None


class EnvironmentPart(Part):
    """The rows that are possible in an environment, by label, and the published choice."""

    label: Name
    rows: Annotated[list[Name], Field(min_length=1)]
    published: str = ""


class ConclusionPart(Part):
    """`[conclusion]`: the cheapest row for each link and environment, measured or predicted from bytes."""

    title: Name
    about: str = ""
    links: Annotated[list[LinkName], Field(min_length=1)]
    calls: Annotated[list[NetworkCall], Field(min_length=1)]
    environments: Annotated[list[EnvironmentPart], Field(min_length=1)]


# What is nearer to 1 than this share is no difference, where a claim is that there is one.
NO_DIFFERENCE = 0.05


class ComparePart(Part):
    """`[[claims.compare]]`: product(over) / product(under), or the mean of such ratios, with one threshold.

    Attributes:
        under: if empty, the values of `over` themselves are compared with the threshold.
        statistic: the metric, if it differs from the claim's.
        optional: whether the claim is judged without it if the run lacks its cells.
        margin: the share by which a ratio may pass its threshold and mean no more than the threshold itself; None:
            `NO_DIFFERENCE` at a threshold of 1, else none.
    """

    over: Annotated[list[CellFilter], Field(min_length=1)]
    under: list[CellFilter] = []
    statistic: Statistic | None = None
    under_statistic: Statistic | None = None
    mean: bool = False
    above: Threshold | None = None
    below: Threshold | None = None
    between: Annotated[list[Threshold], Field(min_length=2, max_length=2)] | None = None
    label: Name
    optional: bool = False
    margin: Annotated[float, Field(ge=0, lt=1)] | None = None

    @model_validator(mode="after")
    def _one_threshold(self) -> Self:
        """Check that there is one threshold, and that a range rises."""
        if sum(limit is not None for limit in (self.above, self.below, self.between)) != 1:
            raise ValueError("must have exactly one of above, below, between")
        if self.between is not None and self.between[0] >= self.between[1]:
            raise ValueError(f"between is {self.between}: the first number must be the smaller")
        if self.mean and len(self.over) != len(self.under):
            raise ValueError(
                f"has {len(self.over)} cells over and {len(self.under)} under: a mean of ratios has as many of each"
            )
        return self


class ClaimPart(Part):
    """`[[claims]]`: a claim and the conditions under which it holds."""

    id: Name
    text: str = ""
    reading: str = ""
    statistic: Statistic = "rate_per_s"
    compare: Annotated[list[ComparePart], Field(min_length=1)]


# The columns of a published table beside a summary, in order.
SUMMARY_KEYS = (
    "samples",
    "avg_ms",
    "min_ms",
    "max_ms",
    "stddev_ms",
    "error_pct",
    "rate_per_s",
    "throughput_kb_s",
)


class SummaryPart(Part):
    """`[[summaries]]`: the cells of a group as load generators summarize them; a row's `published` names a table."""

    id: Name
    title: Name
    about: str = ""
    group: Name
    link: Name = "loopback"
    rows: Annotated[list[Line], Field(min_length=1)]


class AnswerPart(ComparePart):
    """`[[questions.answers]]`: a ratio, its threshold, and what follows in either case."""

    holds: Name
    fails: Name


class QuestionPart(Part):
    """`[[questions]]`: a question that a publication left open, and the answer of a run.

    Attributes:
        open_question: the number of the published question, from 1; otherwise `text` is the question.
        tables: ids of the tables shown with it.
    """

    id: Name
    open_question: Annotated[int, Field(ge=1)] | None = None
    text: str = ""
    reading: str = ""
    answers: Annotated[list[AnswerPart], Field(min_length=1)]
    tables: list[Name] = []

    @model_validator(mode="after")
    def _one_text(self) -> Self:
        """Check that the question is either published or written here."""
        if (self.open_question is None) == (not self.text):
            raise ValueError("must have either open_question, the number of a published one, or a text")
        return self
