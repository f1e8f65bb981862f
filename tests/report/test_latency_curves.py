"""Latencies by percentile: known histograms, whose percentiles and intervals are arithmetic."""

import json
import math
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from callbench.analysis.metrics.latency_curves import SHARES, LatencyCurve, latency_curves
from callbench.analysis.metrics.metric_values import value_of
from callbench.analysis.run.subject import Subject, subject
from callbench.model.metrics.registry import PERCENTILES
from callbench.report.charts.distributions import beside, distributions
from callbench.report.charts.latency_curve import Quantile, latency_curve
from callbench.report.export.latencies import document, text
from callbench.report.export.latency_document import LatencyDocument
from callbench.stats.estimate.interval import Interval
from callbench.store.record import Record
from conftest import assert_one_sentence
from histograms import histogram
from report.synthetic import write

ONE = ("native/soap+supertcp",)
# How much longer the calls of each fork take.
FACTORS = (0.9, 1.0, 1 / 0.9)
# Student's t with two degrees of freedom, for 95 %.
STUDENT_2 = 4.302653
# Two buckets' halves: of the value, and of the fork's.
BUCKET = 1 / 128


def times_ns(fork: int, calls: int) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Times that are spread evenly from 0 to 50 µs in the second fork: p99 is 49.5 µs."""
    even = (np.arange(calls) + 1) / calls * 50_000
    return (even * FACTORS[fork]).astype(np.int64)


def even(folder: Path, calls: int) -> Subject:
    """A run of one stack whose calls' times are known; the first cell alone has so many calls, the others 40,000."""
    write(folder, only=ONE)
    journal = folder / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    first = min(line["cell"] for line in lines if line["kind"] == "trial")
    for line in lines:
        if line["kind"] in {"trial", "disturbed"}:
            made = calls if line["cell"] == first else 40_000
            times = times_ns(line["fork"], made)
            spent = int(times.sum())
            line["counted"]["calls"] = dict.fromkeys(line["counted"]["calls"], made)
            line["done"] |= {
                "calls": made,
                "elapsed_ns": spent + 1_000,
                "in_call_ns": str(spent),
                "latency": histogram(times),
                "intervals": [[spent, made, 0]],
            }
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return subject(Record(folder))


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return even(tmp_path_factory.mktemp("runs") / "even", 36_886)


def curves(run: Subject) -> list[LatencyCurve]:
    made = latency_curves(run.run, run.results.cells, {cell.id for cell in run.results.cells})
    return [made[cell.id] for cell in run.results.cells]


def test_each_percentile_is_that_of_all_calls_and_its_interval_that_of_the_forks(known: Subject) -> None:
    every = np.sort(np.concatenate([times_ns(fork, 40_000) for fork in range(3)])) / 1e3
    half = STUDENT_2 * math.log(1 / 0.9) / math.sqrt(3)
    curve = curves(known)[1]
    assert list(curve.points) == list(SHARES)
    for share, value in curve.points.items():
        right = every[math.ceil(share * len(every)) - 1]
        assert value.middle == pytest.approx(right, rel=BUCKET)
        assert value.low is not None
        assert value.high is not None
        assert math.log(value.high / value.middle) == pytest.approx(half, abs=BUCKET * STUDENT_2)
        assert math.log(value.middle / value.low) == pytest.approx(half, abs=BUCKET * STUDENT_2)


def test_a_percentile_of_a_table_is_the_same_here(known: Subject) -> None:
    for curve in curves(known):
        for name, share in PERCENTILES.items():
            assert curve.points[share] == value_of(curve.cell, name)


def test_a_curve_ends_where_calls_are_too_few(known: Subject, tmp_path: Path) -> None:
    few, enough = curves(known)[:2]
    assert max(few.points) == 0.9998
    assert max(enough.points) == 0.9999
    assert max(curves(even(tmp_path / "more", 36_887))[0].points) == 0.9999


def at(*values: tuple[float, float, float]) -> LatencyCurve:
    """A curve with intervals at p50, p90 and so on."""
    points = {
        share: Interval(middle, low, high, 3)
        for share, (low, middle, high) in zip((0.5, 0.9, 0.99), values, strict=True)
    }
    return LatencyCurve(cell=None, points=points, calls=(1000,))  # type: ignore[arg-type]


def test_longer_and_shorter_follow_from_intervals_that_lie_apart() -> None:
    first = at((1, 2, 3), (4, 5, 6), (7, 8, 9))
    assert beside(at((3.1, 3.5, 4), (6.1, 7, 8), (9, 10, 11)), first) == "longer p50 to p90, overlap p99"
    assert beside(at((0.1, 0.5, 0.9), (3, 3.9, 4), (1, 2, 3)), first) == "shorter p50, overlap p90, shorter p99"
    alone = LatencyCurve(first.cell, {0.5: Interval(9.0, None, None, 1)}, (1000,))
    assert beside(alone, first) == "no interval p50"


def test_the_chart_has_a_line_and_a_band_a_cell_and_says_the_same_in_a_table(known: Subject) -> None:
    cells = known.results.cells[:2]
    made = latency_curves(known.run, known.results.cells, {cell.id for cell in cells})
    chart = distributions("x", "Latency", cells, made)
    assert chart is not None
    assert chart.spec is not None
    names = [cell.attributes["group"] for cell in cells]
    values = chart.spec["data"]["values"]
    assert {value["name"] for value in values} == set(names), "of one stack, the calls tell them apart"
    assert {layer["mark"]["type"] for layer in chart.spec["layer"]} == {"area", "line", "point"}
    (sheet,) = chart.sheets
    assert [row[0] for row in sheet.rows] == names
    assert sheet.rows[0][5] == "few calls"
    assert sheet.rows[1][5].startswith("5"), "p99.99 of 0 to 55.6 µs in the slowest fork"
    assert sheet.rows[1][-1] == "overlap p1 to p99.98"
    assert chart.svg.count("<svg") == 2
    assert all(chart.svg.count(f">{name}</text>") == 2 for name in names), "a legend at both widths"


def test_a_unit_is_the_one_that_is_read() -> None:
    for ms, unit in ((0.5, "µs"), (1.5, "ms")):
        spec = latency_curve({"a": [Quantile(0.5, ms / 2, ms / 2, ms / 2), Quantile(0.9, ms, ms, ms)]})
        assert spec is not None
        assert spec["layer"][1]["encoding"]["y"]["axis"]["title"].startswith(unit)
        assert spec["data"]["values"][1]["time"] == pytest.approx(ms if unit == "ms" else ms * 1e3)
    assert latency_curve({"a": [Quantile(0.5, 1, 1, 1)]}) is None


def test_the_command_writes_the_page_of_chosen_cells(
    callbench: Callable[..., subprocess.CompletedProcess[str]], known: Subject
) -> None:
    path, cells = known.run.path, known.results.cells[:2]
    ids = ",".join(cell.id for cell in cells)
    callbench("report", str(path), "--latency", ids, check=True)
    assert (path / "report-latency.html").read_text() == text(known, cells)


def test_its_figures_are_those_of_the_curves(known: Subject) -> None:
    cells = known.results.cells[:2]
    made = LatencyDocument.model_validate_json(document(known, cells))
    for cell, curve in zip(made.cells, curves(known)[:2], strict=True):
        assert (cell.cell, cell.calls) == (curve.cell.id, curve.calls)
        assert {point.share: point.us for point in cell.points} == {at: it.middle for at, it in curve.points.items()}
        assert all(
            point.low_us and point.high_us and point.low_us <= point.us <= point.high_us for point in cell.points
        )


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (["--latency", "c999"], "c999"),
        (["--latency", "c001,,<b>"], "<b>"),
        (["--latency", ","], "0 were named"),
        (["--latency", "c001", "--cells"], "--latency"),
        (["--latency", "c001", "--format=md"], "--latency"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_sentence(
    callbench: Callable[..., subprocess.CompletedProcess[str]], known: Subject, words: list[str], place: str
) -> None:
    ended = callbench("report", str(known.run.path), *words)
    assert ended.returncode == 2
    assert_one_sentence(ended.stderr.strip(), [place])
