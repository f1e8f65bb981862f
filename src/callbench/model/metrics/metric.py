"""What a metric is: a value that a run can have of each of its cells."""

from dataclasses import dataclass
from enum import StrEnum


class Better(StrEnum):
    """Which way is better."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


class Combination(StrEnum):
    """How the value of a cell follows from what its forks had."""

    FORKS = "geometric mean of the forks"
    HISTOGRAMS = "histograms of all forks added up, interval over the forks"
    SUMS = "sum over all forks, per call"
    GREATEST = "greatest of all forks, without an interval"
    ONCE = "measured once, the same for every fork"
    STARTS = "geometric mean of the starts"
    PLACE = "none: only a place of a table has it"


class RatioTest(StrEnum):
    """How the ratio of two cells is tested."""

    SHARED = "with the spread of all cells of the run"
    ALONE = "with the spread of its own forks"


class StudyUse(StrEnum):
    """Where a study may ask for it."""

    EVERYWHERE = "everywhere"
    TABLES = "tables and columns"
    COLUMNS = "columns"
    NOWHERE = "nowhere"


class ValueFormat(StrEnum):
    """How its value is written for people."""

    INTERVAL = "with as many digits as its interval supports"
    WHOLE = "whole, without an interval"
    WORDS = "in words"


@dataclass(frozen=True)
class QueryRows:
    """What a query over the tables of a run says of a metric. A declaration is all that is needed.

    Attributes:
        of: what stands behind FROM: tables that have `cell` and `fork`.
        value: an expression over the rows of a cell and a fork.
        least: what a value is at the least. Values are compared as ratios, so one of 0 is none, unless this says more.
    """

    of: str
    value: str
    least: float = 0.0


@dataclass(frozen=True)
class Metric:
    """One metric.

    Attributes:
        name: what studies, CSV, JSON and the table `metrics` call it. It ends in its unit if it has one.
        title: what people call it: a noun phrase, without its unit.
        unit: in what it is given, "" if it is words.
        about: what a reader must know besides, in a sentence or two.
        better: which way is better.
        combined: how the value of a cell follows from its forks.
        tested: how the ratio of two cells is tested.
        asked: where a study may ask for it.
        form: how its value is written.
        heading: of its column in the lists of every cell, "" if it has none there.
        wide: whether only lists with much room have it: the page, not the terminal.
        share: of a percentile: which part of the calls took no longer.
        rows: where it comes from, if from a query alone. The others have code in callbench.analysis.
        column: its type in the table `metrics`.
    """

    name: str
    title: str
    unit: str
    about: str
    better: Better
    combined: Combination = Combination.FORKS
    tested: RatioTest = RatioTest.ALONE
    asked: StudyUse = StudyUse.EVERYWHERE
    form: ValueFormat = ValueFormat.INTERVAL
    heading: str = ""
    wide: bool = False
    share: float | None = None
    rows: QueryRows | None = None
    column: str = "DOUBLE"
