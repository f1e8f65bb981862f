"""Charts along a parameter, and the studies that have them."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from callbench.catalog import catalogue
from callbench.catalog.study import load
from callbench.catalog.study.report_parts import ChartPart
from callbench.model.errors import BadInput
from callbench.report.studies.thesis.ranks import ranked
from callbench.report.text.along import figures, in_words
from conftest import MISBEHAVING, SMALL

if TYPE_CHECKING:
    from callbench.analysis.cells.results import Results

CHART = """
[[charts]]
id = "growth"
title = "Growth"
x = "n"
points = [{ group = "Sum", at = 1 }]
series = [{ label = "tcp", where = { channel = "tcp" } }]
"""


@dataclass
class Cell:
    """What a chart looks at in a result."""

    by_fork: dict[str, dict[int, float]]
    attributes: dict[str, str] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    at_least: bool = False


@dataclass
class Cells:
    """Results that are chosen as those of a run are."""

    cells: list[Cell]

    def where(self, conditions: dict[str, str]) -> list[Cell]:
        return [one for one in self.cells if conditions.items() <= one.attributes.items()]


def cell(group: str, stack: str, *by_fork: float) -> Cell:
    return Cell({"mean_us": dict(enumerate(by_fork))}, {"group": group, "stack": stack})


def chart(**more: object) -> ChartPart:
    series = [{"label": name, "where": {"stack": name}} for name in ("a/slow", "a/quick", "a/absent")]
    points = [{"group": "n1", "at": 1}, {"group": "n9", "at": 9}]
    said = {"id": "x", "title": "X", "x": "n", "points": points, "series": series, **more}
    return ChartPart.model_validate(said)


RUN = Cells(
    [cell("n1", "a/slow", 20, 40), cell("n1", "a/quick", 10, 20), cell("n9", "a/slow", 90, 90), cell("n1", "b/x", 1)]
)


def test_a_chart_shows_the_cells_that_there_are() -> None:
    found = figures(chart(), cast("Results", RUN))
    assert {name: sorted(line) for name, line in found.items()} == {"a/slow": [1, 9], "a/quick": [1], "a/absent": []}
    assert found["a/slow"][9].middle == pytest.approx(90)


def test_a_ratio_is_taken_block_by_fork() -> None:
    found = figures(chart(over={"stack": "a/quick"}), cast("Results", RUN))
    ratio = found["a/slow"][1]
    # Both forks say 2, although the machine was half as fast in the second.
    assert (ratio.low, ratio.middle, ratio.high) == pytest.approx((2, 2, 2))
    assert 9 not in found["a/slow"]


def test_what_a_chart_comes_to_is_said_of_its_ends() -> None:
    run = cast("Results", RUN)
    assert in_words(chart(), run) == "by n, at 1: from 10 µs (a/quick) to 30 µs (a/slow); at 9: 90 µs (a/slow)."
    ratio = chart(over={"stack": "a/quick"})
    assert in_words(ratio, run) == "by n, at 1: from 1 (a/quick) to 2 (a/slow)."
    assert not in_words(chart(), cast("Results", Cells([])))


def test_the_ends_of_a_chart_name_those_that_cannot_be_distinguished() -> None:
    series = [{"label": name, "where": {"stack": name}} for name in ("a", "b", "c")]
    times = {"a": (10.0, 11.0, 10.5), "b": (10.4, 10.2, 11.0), "c": (30.0, 31.0, 30.5)}
    run = cast("Results", Cells([cell("n1", name, *by_fork) for name, by_fork in times.items()]))
    told = in_words(chart(series=series), run)
    assert told.startswith("by n, at 1: from 10.5 µs (a, not distinguished from b) to 30.5")
    alike = cast("Results", Cells([cell("n1", name, *by_fork) for name, by_fork in times.items() if name != "c"]))
    assert in_words(chart(series=series), alike).endswith("(b), no two distinguished.")


def test_what_may_not_be_ranked_is_no_end_of_a_chart() -> None:
    doubted = cell("n1", "a/quick", 1, 1)
    doubted.doubts = ("it was not steady",)
    run = cast("Results", Cells([cell("n1", "a/slow", 20, 40), doubted]))
    assert in_words(chart(), run) == "by n, at 1: 30 µs (a/slow)."


def test_a_chart_over_a_link_shows_the_cells_over_it() -> None:
    near, far = (cell("n1", "a/slow", time) for time in (20, 70))
    near.attributes["link"], far.attributes["link"] = "loopback", "wan50"
    both = cast("Results", Cells([near, far]))
    assert figures(chart(), both)["a/slow"] == {}  # two cells belong there
    assert figures(chart(link="wan50"), both)["a/slow"][1].middle == pytest.approx(70)


def test_a_chart_names_groups_that_exist(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL + CHART)
    assert [one.id for one in load(file).charts] == ["growth"]
    file.write_text(SMALL + CHART.replace('"Sum"', '"Sums"'))
    with pytest.raises(BadInput, match='chart growth: there is no group "Sums"'):
        load(file)


@pytest.mark.parametrize("name", ["nominet", "thesis-time"])
def test_the_studies_that_wait_for_stacks_can_be_read(name: str) -> None:
    study = load(name)
    study.cells(catalogue.load([MISBEHAVING]).stacks, quick=True)
    assert len({point.group for one in study.charts for point in one.points}) > 10


def test_ranks_fall_with_the_rate_and_equal_rates_share_one() -> None:
    assert ranked([2.0, None, 3.0, 2.0, 1.0]) == {0: 2, 2: 1, 3: 2, 4: 4}
