"""The parts of a study file about load: cells, arrivals, sweeps, knees."""

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from callbench.catalog.study.part import Name, Part
from callbench.model.cell import CALLS_PER_SLICE
from callbench.model.objective import parse
from callbench.stats.estimate.digits import given

Clients = Annotated[int, Field(ge=1, le=10_000)]
Calls = Annotated[int, Field(ge=1, le=10**12)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Forks = Annotated[int, Field(ge=1, le=1_000)]
Rounds = Annotated[int, Field(ge=1, le=1_000)]
Minutes = Annotated[float, Field(gt=0, le=10_000, allow_inf_nan=False)]
Idle = Annotated[list[Literal["as it is", "held"]], Field(min_length=1, max_length=2)]
Arrivals = Literal["closed", "constant", "poisson"]
Rate = Annotated[float, Field(gt=0, le=10_000_000, allow_inf_nan=False)]
Think = Annotated[float, Field(ge=0, le=3_600_000, allow_inf_nan=False)]


def _listed(value: object) -> object:
    """Return a single number or name as a list."""
    return [value] if isinstance(value, int | float | str) and not isinstance(value, bool) else value


ClientsList = Annotated[list[Clients], Field(min_length=1), BeforeValidator(_listed)]
RateList = Annotated[list[Rate], Field(min_length=1), BeforeValidator(_listed)]
NameList = Annotated[list[Name], Field(min_length=1), BeforeValidator(_listed)]


class PacePart(Part):
    """When calls are made: the members of [load], [quick] and [[cells]]. `pace.py` combines the three."""

    arrivals: Arrivals | None = None
    rate: RateList | None = None
    think_ms: Think | None = None
    ramp_up_ms: Think | None = None


class LoadPart(PacePart):
    """`[load]`: defaults for every cell. A trial ends when its calls are made and its seconds are over.

    Attributes:
        fresh: whether each cell has a start of its stack to itself.
        restart: whether a server that dies is restarted several times, instead of once.
        slow_calls: the most calls in a trial of a stack that is `slow` by its card.
        forks: the least number of forks, in each condition of `idle`.
        rounds: slices of each cell in a fork.
        minutes: when a run ends, even if something is undecided.
        idle: the measured conditions of the processors' idle states, fork by fork, the run's own first.
        slice_calls: the least number of calls of a client in a slice, if a call takes longer than one.
        share: the share of its calls and seconds that each trial makes, except in a quick run.
    """

    clients: ClientsList = [1]
    calls: Calls = 1_000
    seconds: Seconds = 1.0
    forks: Forks = 5
    rounds: Rounds = 10
    minutes: Minutes = 60
    idle: Idle = ["as it is"]
    link: Name = "loopback"
    watch: bool = False
    fresh: bool = False
    restart: bool = False
    slow_calls: Calls | None = None
    slice_calls: Calls = CALLS_PER_SLICE
    share: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 1.0


class RunPart(Part):
    """`[run]`: options of `callbench run` that apply where the command line does not give them."""

    select: list[Name] = []
    quick: bool = False
    link: Name | None = None
    forks: Forks | None = None


class QuickPart(PacePart):
    """`[quick]`: what --quick uses instead of [load], for every group."""

    calls: Calls = 100
    seconds: Seconds = 0.1
    forks: Forks = 3
    rounds: Rounds = 4
    minutes: Minutes = 6
    slow_calls: Calls | None = None


class SweepPart(Part):
    """`sweep` of a group: an argument runs over a range or a list; bytes are counted, nothing is timed.

    Attributes:
        title: its heading in the report; groups with the same heading stand together.
        range: least, greatest, step.
        fine: up to this number, every single value is counted as well.
        most: the most values to count in the range; the others are computed from them.
        quick: what --quick uses instead of the range or list.
        published: the published table with values for these numbers.
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
        """Check that there is a rising range, or a list."""
        if (self.range is None) == (self.values is None):
            raise ValueError("must have either range = [least, greatest, step] or values")
        if self.range is not None and not (self.range[0] < self.range[1] and self.range[2] > 0):
            raise ValueError(f"range is {self.range}: it must rise from the first to the second number by the third")
        return self

    @property
    def step(self) -> int:
        """The step of the range; 1 for a list."""
        return self.range[2] if self.range else 1

    def grid(self, *, quick: bool) -> list[int | str]:
        """Return every value whose bytes are needed."""
        if quick and self.quick is not None:
            return list(self.quick)
        if self.range is None:
            return list(self.values or [])
        least, greatest, step = self.range
        return list(range(least, greatest + 1, step))


class GroupQuickPart(Part):
    """`quick` of a group: what --quick uses for this group instead of [quick]; `skip` leaves it out."""

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
    arguments: dict[str, object] = {}
    options: dict[str, str | int | float | bool] = {}
    clients: ClientsList | None = None
    calls: Calls | None = None
    seconds: Seconds | None = None
    link: NameList | None = None
    watch: bool | None = None
    fresh: bool | None = None
    restart: bool | None = None
    quick: GroupQuickPart = GroupQuickPart()

    @model_validator(mode="after")
    def _some_stacks(self) -> Self:
        """Check that something chooses stacks."""
        if not (self.stacks or self.optional):
            raise ValueError("must have stacks, or optional ones: globs such as native/*")
        return self


class KneePart(Part):
    """`[[knees]]`: the highest level that meets an objective, searched once per fork and stack."""

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
        """Check that the objective is valid and the range rises."""
        try:
            parse(self.objective)
        except ValueError as failure:
            raise ValueError(f"objective {failure}") from None
        if self.least and self.most and self.least >= self.most:
            raise ValueError(f"least is {given(self.least)} and most {given(self.most)}: most must be the greater")
        return self
