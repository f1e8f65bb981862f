"""Bytes, processor time and p99 of a run's stacks: the chart marks who is worse, and bounds are respected."""

import math
import re
from dataclasses import replace

import pytest

from callbench.analysis.cells.results import AT_LEAST, AT_MOST, Result
from callbench.analysis.metrics.metric_values import value_of
from callbench.analysis.run.subject import Subject, subject
from callbench.report.charts.frontier import compared, frontier
from callbench.report.charts.gallery import gallery
from callbench.report.text.section import Chart
from callbench.stats.decide.frontier import Standing
from callbench.store.record import Record
from report.synthetic import write

STACKS = tuple(
    f"native/{message}+{channel}" for message in ("soap", "json", "bin") for channel in ("unix", "pipe", "http")
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return subject(Record(write(tmp_path_factory.mktemp("runs") / "few", only=STACKS)))


@pytest.fixture
def cells(run: Subject) -> list[Result]:
    return [cell for cell in run.results.cells if cell.attributes["group"] == "GetPersons"]


def drawn(cells: list[Result]) -> Chart:
    chart = frontier("x", "Costs", cells, "")
    assert chart is not None
    return chart


def standing(chart: Chart) -> dict[str, str]:
    assert chart.spec is not None
    return {row["name"]: row["standing"] for row in chart.spec["data"]["values"]}


def worse_by_hand(cells: list[Result]) -> set[str]:
    """The stacks that another beats in all three: its ends of the intervals against theirs."""
    found = set()
    for own in cells:
        for other in cells:
            pairs = [(value_of(other, name), value_of(own, name)) for name in ("bytes", "cpu_us", "p99_us")]
            ends = [(one.high, two.low) for one, two in pairs if one and two]
            if all(high <= low for high, low in ends if high and low) and any(
                high < low for high, low in ends if high and low
            ):
                found.add(own.attributes["stack"])
    return found


def test_who_is_worse_follows_from_the_intervals_that_tables_have(cells: list[Result]) -> None:
    assert len(cells) == len(STACKS)
    chart = drawn(cells)
    found = standing(chart)
    worse = {name for name, place in found.items() if place == Standing.WORSE.value}
    assert worse == worse_by_hand(cells)
    assert 0 < len(worse) < len(cells)
    (sheet,) = chart.sheets
    assert {row[0] for row in sheet.rows} == set(found) - worse
    assert {row[-1] for row in sheet.rows} <= {Standing.FRONTIER.value, Standing.REACHES.value}
    assert f"Worse than another in all three: {len(worse)}." in sheet.note


def test_both_widths_show_each_mark_with_its_standing(cells: list[Result]) -> None:
    chart = drawn(cells)
    wide, small = re.split('<div class="narrow">', str(chart.svg))
    for picture in (wide, small):
        for place in set(standing(chart).values()):
            assert f">{place}</text>" in picture


def test_a_bound_is_never_worse_and_makes_no_other_worse(cells: list[Result]) -> None:
    by_name = {cell.attributes["stack"]: cell for cell in cells}
    before = worse_by_hand(cells)
    for name in before:
        bound = replace(by_name[name], doubts=(f"{AT_LEAST}the generator was at its limit",))
        changed = [bound if cell is by_name[name] else cell for cell in cells]
        assert standing(drawn(changed))[name] == Standing.REACHES.value
    most = [replace(cell, doubts=(f"{AT_MOST}a call took long",)) for cell in cells]
    assert Standing.WORSE.value not in standing(drawn(most)).values()


def test_who_has_no_rank_takes_no_part(cells: list[Result]) -> None:
    failing = replace(cells[0], doubts=("5 of 10 calls failed",))
    assert compared(failing, "bytes") is None
    chart = drawn([failing, *cells[1:]])
    assert cells[0].attributes["stack"] not in standing(chart)
    assert "Not drawn: 1 that" in chart.about
    assert frontier("x", "Costs", cells[:2], "") is None


def test_the_page_of_a_run_has_it_for_each_call(run: Subject) -> None:
    charts = [chart for chart in gallery(run, ()) if chart.id.startswith("costs-")]
    assert {chart.id.removeprefix("costs-") for chart in charts} == {
        cell.attributes["group"] for cell in run.results.cells
    }


def test_a_time_of_one_fork_may_be_any(cells: list[Result]) -> None:
    by_fork = {**cells[0].by_fork, "p99_us": dict(list(cells[0].by_fork["p99_us"].items())[:1])}
    made = compared(replace(cells[0], by_fork=by_fork), "bytes")
    assert made is not None
    assert (made.costs[2].low, made.costs[2].high) == (0.0, math.inf)
    assert made.costs[0].low == made.costs[0].high == made.costs[0].middle, "bytes are exact"
