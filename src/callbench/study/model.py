"""What a study file says, key by key. Keys that are not here are mistakes."""

from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from callbench.external.spec import Server
from callbench.links.profile import LinkPart
from callbench.objective import parse

# What the wire ledger counts, and what a sweep finds: docs/reference/wire-ledger.md.
WireStatistic = Literal[
    "stream_bytes",
    "wire_bytes",
    "packets",
    "round_trips",
    "first_bytes",
    "life_bytes",
    "bytes_per_item",
    "total_bytes",
]
TimedStatistic = Literal["rate_per_s", "mean_us", "p50_us", "p90_us", "p99_us", "cpu_us", "codec_us", "bytes"]
# What a run saw of the processes: docs/reference/study.md.
ProcessStatistic = Literal[
    "client_cpu_us",
    "server_cpu_us",
    "memory_begin_mib",
    "memory_peak_mib",
    "memory_end_mib",
    "memory_rest_mib",
    "threads_peak",
    "threads_made_per_call",
    "memory_per_call_bytes",
    "answered_share",
]
Statistic = Literal[TimedStatistic, ProcessStatistic, WireStatistic]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
LinkName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=60)]
Clients = Annotated[int, Field(ge=1, le=10_000)]
Calls = Annotated[int, Field(ge=1, le=10**12)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Blocks = Annotated[int, Field(ge=1, le=1_000)]
Arrivals = Literal["closed", "constant", "poisson"]
Rate = Annotated[float, Field(gt=0, le=10_000_000, allow_inf_nan=False)]
Think = Annotated[float, Field(ge=0, le=3_600_000, allow_inf_nan=False)]
Threshold = Annotated[float, Field(gt=0, allow_inf_nan=False)]


def _listed(value: object) -> object:
    """Take a single number or name for a list of one."""
    return [value] if isinstance(value, int | float | str) and not isinstance(value, bool) else value


ClientsList = Annotated[list[Clients], Field(min_length=1), BeforeValidator(_listed)]
RateList = Annotated[list[Rate], Field(min_length=1), BeforeValidator(_listed)]
NameList = Annotated[list[Name], Field(min_length=1), BeforeValidator(_listed)]


class Part(BaseModel):
    """A part of a study file: no unknown keys, no guessing of types, no change after reading."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PacePart(Part):
    """When calls are made: what [load], [quick] and [[cells]] may each say. `pace.py` puts the three together."""

    arrivals: Arrivals | None = None
    rate: RateList | None = None
    think_ms: Think | None = None
    ramp_up_ms: Think | None = None


class LoadPart(PacePart):
    """`[load]`: defaults for every cell. A trial ends when it has made its calls and lasted its seconds.

    Attributes:
        fresh: whether each cell has a start of its stack for itself.
        slow_calls: the most calls of a trial of a stack that is `slow` by its card.
    """

    clients: ClientsList = [1]
    calls: Calls = 1_000
    seconds: Seconds = 1.0
    blocks: Blocks = 5
    link: Name = "loopback"
    watch: bool = False
    fresh: bool = False
    slow_calls: Calls | None = None


class QuickPart(PacePart):
    """`[quick]`: what --quick puts in the place of load, for every group."""

    calls: Calls = 100
    seconds: Seconds = 0.1
    blocks: Blocks = 3
    slow_calls: Calls | None = None


class SweepPart(Part):
    """`sweep` of a group: an argument that runs over a range or a list; bytes are counted, nothing is timed.

    Attributes:
        title: the heading under which the report puts it; groups with the same one stand together.
        range: least, greatest, step.
        fine: up to which number every single one is counted as well.
        most: how many may be counted in all of the range; what they say of the others is reckoned.
        quick: what --quick puts in the place of the range or list.
        published: the table of the published file that has figures for these numbers.
    """

    over: Name
    title: Name | None = None
    range: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=3, max_length=3)] | None = None
    values: Annotated[list[int | str], Field(min_length=2)] | None = None
    quick: Annotated[list[int | str], Field(min_length=2)] | None = None
    fine: Annotated[int, Field(ge=0, le=1000)] = 0
    most: Annotated[int, Field(ge=4, le=10_000)] = 64
    published: Name | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        """There is a range that rises, or a list."""
        if (self.range is None) == (self.values is None):
            raise ValueError("must have either range = [least, greatest, step] or values")
        if self.range is not None and not (self.range[0] < self.range[1] and self.range[2] > 0):
            raise ValueError(f"range is {self.range}: it must rise from the first to the second number by the third")
        return self

    @property
    def step(self) -> int:
        """The step of the range, 1 for a list."""
        return self.range[2] if self.range else 1

    def grid(self, *, quick: bool) -> list[int | str]:
        """Give every value to know the count of."""
        if quick and self.quick is not None:
            return list(self.quick)
        if self.range is None:
            return list(self.values or [])
        least, greatest, step = self.range
        return list(range(least, greatest + 1, step))


class GroupQuickPart(Part):
    """`quick` of a group: what --quick puts in the place of [quick], for this group alone; `skip` leaves it out."""

    skip: bool = False
    clients: ClientsList | None = None
    calls: Calls | None = None
    seconds: Seconds | None = None
    link: NameList | None = None
    ramp_up_ms: Think | None = None


class Group(PacePart):
    """`[[cells]]`: stacks that make one call under one load."""

    group: Name
    stacks: list[Name] = []
    optional: list[Name] = []
    ledger: bool = False
    sweep: SweepPart | None = None
    call: Name
    arguments: dict[str, Any] = {}
    options: dict[str, str | int | float | bool] = {}
    clients: ClientsList | None = None
    calls: Calls | None = None
    seconds: Seconds | None = None
    link: NameList | None = None
    watch: bool | None = None
    fresh: bool | None = None
    quick: GroupQuickPart = GroupQuickPart()

    @model_validator(mode="after")
    def _some_stacks(self) -> Self:
        """There is something to choose stacks by."""
        if not (self.stacks or self.optional):
            raise ValueError("must have stacks, or optional ones: globs such as native/*")
        return self


class KneePart(Part):
    """`[[knees]]`: the highest level that meets an objective, searched for once a block and stack."""

    id: Name
    group: Name
    stacks: Annotated[list[Name], Field(min_length=1)] | None = None
    along: Literal["rate", "clients"] = "rate"
    objective: Name
    arrivals: Literal["constant", "poisson"] = "poisson"
    least: Rate | None = None
    most: Rate | None = None
    precision: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.05

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        """The objective can be read, and the span rises."""
        try:
            parse(self.objective)
        except ValueError as failure:
            raise ValueError(f"objective {failure}") from None
        if self.least and self.most and self.least >= self.most:
            raise ValueError(f"least is {self.least:g} and most {self.most:g}: most must be the greater")
        return self


class Where(Part):
    """Which cells: those that have every value given."""

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
        """Give the values asked for, as texts."""
        return dict(self.as_texts)

    @cached_property
    def as_texts(self) -> dict[str, str]:
        """What `conditions` gives: a report of many cells asks thousands of times."""
        return {
            key: f"{value:.12g}" if isinstance(value, float) else str(value) for key, value in self if value is not None
        }


class Line(Part):
    """A row or a column of a table.

    Attributes:
        optional: of a row: it is left out where the run has no figure for it.
        sections: of a column: in which sections of rows it has figures, where not in all.
        statistic: of a column: what it shows in the place of the table's statistic.
        against: of a row: the cell that `break_even_mbit` holds its cells against, the one that sends more bytes; what
            it says stands in the place of what row, column and table say.
    """

    label: Name
    optional: bool = False
    sections: list[Name] = []
    statistic: Statistic | Literal["break_even_mbit"] | None = None
    against: Where | None = None
    where: Where = Where()
    published: Name | None = None
    section: Name | None = None
    note: str = ""


class TablePart(Part):
    """`[[tables]]`: one statistic, rows by columns; or one a column."""

    id: Name
    title: Name
    about: str = ""
    group: Name | None = None
    statistic: Statistic = "rate_per_s"
    published: Name | None = None
    link: Name = "loopback"
    rows: Annotated[list[Line], Field(min_length=1)]
    columns: Annotated[list[Line], Field(min_length=1)]

    @model_validator(mode="after")
    def _lines_make_sense(self) -> Self:
        """What breaks even does so against something, and rows and columns say only what is theirs to say."""
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
    """Where a group lies on a chart's axis."""

    group: Name
    at: Annotated[float, Field(allow_inf_nan=False, strict=False)]


class ChartPart(Part):
    """`[[charts]]`: one statistic along a parameter, a line a series; over another cell's where `over` is given."""

    id: Name
    title: Name
    about: str = ""
    statistic: Statistic = "mean_us"
    x: Name
    link: Name | None = None
    points: Annotated[list[ChartPoint], Field(min_length=1)]
    series: Annotated[list[Line], Field(min_length=1)]
    over: Where | None = None


class LadderSlopes(Part):
    """`slopes` of a ladder: a table of what each client adds, beside the published row or column of the same."""

    title: Name
    published: Name | None = None


class LadderPart(Part):
    """`[[ladders]]`: calls a millisecond, milliseconds a call, or the gain over the fewest clients, by clients.

    With several points each figure is the mean over their groups, and the report says what that hides.

    Attributes:
        points: the groups; `at` says where each lies on the axis that the mean is taken over.
        over: what that axis is called.
        published: a published table and column of means over clients, with dots: drawn as level lines.
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
    """What one rank is taken over: the mean rate of all cells of these groups; `published` is its published column."""

    label: Name
    published: Name | None = None
    groups: Annotated[list[Name], Field(min_length=1)]


class RanksPart(Part):
    """`[[ranks]]`: mean rates of rows by columns, the rank in each column, and the average rank."""

    id: Name
    title: Name
    about: str = ""
    published: Name | None = None
    rows: Annotated[list[Line], Field(min_length=1)]
    columns: Annotated[list[RankColumn], Field(min_length=1)]


class NetworkCall(Part):
    """A call of the conclusion: `near` is its group on this machine, with a ledger; `far` that over links."""

    label: Name
    near: Name
    far: Name | None = None


class EnvironmentPart(Part):
    """Which rows can serve somewhere, by their labels, and what was published of it."""

    label: Name
    rows: Annotated[list[Name], Field(min_length=1)]
    published: str = ""


class ConclusionPart(Part):
    """`[conclusion]`: which row is cheapest over which link, where it can serve: measured, or predicted from bytes."""

    title: Name
    about: str = ""
    links: Annotated[list[LinkName], Field(min_length=1)]
    calls: Annotated[list[NetworkCall], Field(min_length=1)]
    environments: Annotated[list[EnvironmentPart], Field(min_length=1)]


class ComparePart(Part):
    """`[[claims.compare]]`: product(over) / product(under), or the mean of such ratios, held against one threshold.

    Attributes:
        under: none: the figures above the line are held against the threshold as they are.
        statistic: what is taken of the cells, where it is not the claim's statistic.
        optional: whether the claim is judged without it where the run lacks its cells.
    """

    over: Annotated[list[Where], Field(min_length=1)]
    under: list[Where] = []
    statistic: Statistic | None = None
    under_statistic: Statistic | None = None
    mean: bool = False
    above: Threshold | None = None
    below: Threshold | None = None
    between: Annotated[list[Threshold], Field(min_length=2, max_length=2)] | None = None
    label: Name
    optional: bool = False

    @model_validator(mode="after")
    def _one_threshold(self) -> Self:
        """There is one threshold, and a range rises."""
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
    """`[[claims]]`: a claim and what it would take for it to hold here."""

    id: Name
    text: str = ""
    reading: str = ""
    statistic: Statistic = "rate_per_s"
    compare: Annotated[list[ComparePart], Field(min_length=1)]


# What a published table beside a summary has, in the order of its columns.
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
    """`[[summaries]]`: the cells of a group as load generators sum them up; a row's `published` names a table."""

    id: Name
    title: Name
    about: str = ""
    group: Name
    link: Name = "loopback"
    rows: Annotated[list[Line], Field(min_length=1)]


class AnswerPart(ComparePart):
    """`[[questions.answers]]`: a ratio, the threshold that it is held against, and what follows either way."""

    holds: Name
    fails: Name


class QuestionPart(Part):
    """`[[questions]]`: what somebody left open, and what a run says of it.

    Attributes:
        open_question: which of the published file's open questions, counted from 1; else `text` is the question.
        tables: ids of tables that are shown with it.
    """

    id: Name
    open_question: Annotated[int, Field(ge=1)] | None = None
    text: str = ""
    reading: str = ""
    answers: Annotated[list[AnswerPart], Field(min_length=1)]
    tables: list[Name] = []

    @model_validator(mode="after")
    def _one_text(self) -> Self:
        """The question is either published or written here."""
        if (self.open_question is None) == (not self.text):
            raise ValueError("must have either open_question, the number of a published one, or a text")
        return self


class StudyPart(Part):
    """A whole study file.

    Attributes:
        rows: those of every table, chart, ladder and summary of ranks that has none of its own.
    """

    title: Name
    about: str = ""
    published: Name | None = None
    rows: list[Line] = []
    parameters: dict[str, int | float | str | bool] = {}
    lists: dict[str, list[Any]] = {}
    load: LoadPart = LoadPart()
    quick: QuickPart = QuickPart()
    links: dict[LinkName, LinkPart] = {}
    servers: dict[LinkName, Server] = {}
    cells: Annotated[list[Group], Field(min_length=1)]
    knees: list[KneePart] = []
    tables: list[TablePart] = []
    charts: list[ChartPart] = []
    ladders: list[LadderPart] = []
    ranks: list[RanksPart] = []
    summaries: list[SummaryPart] = []
    conclusion: ConclusionPart | None = None
    claims: list[ClaimPart] = []
    questions: list[QuestionPart] = []

    @model_validator(mode="before")
    @classmethod
    def _give_rows(cls, raw: object) -> object:
        """Give the study's rows to what has none of its own."""
        if not isinstance(raw, dict) or not raw.get("rows"):
            return raw
        filled = dict(raw)
        keys = {"tables": "rows", "charts": "series", "ladders": "rows", "ranks": "rows", "summaries": "rows"}
        for kind, key in keys.items():
            parts = raw.get(kind)
            if isinstance(parts, list):
                filled[kind] = [{key: raw["rows"], **part} if isinstance(part, dict) else part for part in parts]
        return filled

    def over(self, link: str) -> Self:
        """The same study with every cell and every table over one link."""
        return self.model_copy(
            update={
                "load": self.load.model_copy(update={"link": link}),
                "cells": [
                    group.model_copy(update={"link": None, "quick": group.quick.model_copy(update={"link": None})})
                    for group in self.cells
                ],
                "tables": [table.model_copy(update={"link": link}) for table in self.tables],
                "summaries": [one.model_copy(update={"link": link}) for one in self.summaries],
            }
        )
