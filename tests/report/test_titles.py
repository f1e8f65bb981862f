"""Pages of loads, capacities and tests of stability: headed with what follows, drawn in the unit that is read."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from callbench.analysis.stability.findings import FAILING, UNFINISHED, Finding, title
from callbench.report.charts.draw import to_svg
from callbench.report.charts.knee import CrossedAt, KneeStep, ObjectiveMark, knee_chart
from callbench.report.charts.latency_curve import Quantile, latency_curve
from callbench.report.charts.over_time import DECIMAL, Panel, over_time
from callbench.report.load import load_report
from callbench.report.record_kinds import report_of
from callbench.stats.decide.decision import Outcome
from callbench.store.record import Record
from conftest import ROOT

RECORDS = ROOT / "tests" / "records"
TIMES = {"p50": 10_518.5, "p99": 31_000.0}
LOAD: dict[str, Any] = {
    "calls": 190,
    "rate_per_s": 158.3,
    "rate_asked_per_s": None,
    "rate_missed": False,
    "error_share": 0.0,
    "clients": 20,
    "clients_unserved": 0,
    "thresholds": [],
    "latency_us": TIMES,
    "verdict": {"limit": "server", "why": ""},
}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, "158 calls/s, half of them within 10.52 ms, p99 31.00 ms"),
        ({"latency_us": {"p50": 10_518.5, "p99": None}}, "158 calls/s, half of them within 10.52 ms"),
        ({"latency_us": None}, "158 calls/s"),
        # The sentence below it had "at least", and the title had not.
        ({"latency_us": None, "verdict": {"limit": "generator", "why": ""}}, "at least 158 calls/s"),
        ({"error_share": 0.12}, "12.0 % of the calls failed, at 158 calls/s"),
        ({"error_share": 0.0003, "clients_unserved": 2}, "2 of 20 clients got no right answer, at 158 calls/s"),
        (
            {"rate_missed": True, "rate_asked_per_s": 2000.0, "error_share": 0.1},
            "Missed 2,000 calls/s: 158 calls/s were answered",
        ),
        (
            {"thresholds": [{"fail_if": "p99 > 1 ms", "failed": True}, {"fail_if": "p50 > 1 s", "failed": False}]},
            "Failed: p99 > 1 ms, at 158 calls/s",
        ),
        (
            {"thresholds": [{"fail_if": "p99 > 1 ms", "failed": False, "undecided": "too few"}]},
            "Undecided whether p99 > 1 ms, at 158 calls/s",
        ),
        ({"calls": 0, "error_share": 1.0}, "Failed: no call succeeded"),
    ],
)
def test_a_load_is_headed_with_what_came_of_it(changed: dict[str, Any], expected: str) -> None:
    record: Any = {**LOAD, **changed}
    assert load_report._title(record) == expected


@pytest.mark.parametrize(("failed", "said"), [(3_730, True), (200, False)])
def test_a_missed_rate_says_that_clients_which_fail_rest(failed: int, *, said: bool) -> None:
    """200 clients rested after 3,730 errors in 8 s, and all that was said was "1,214 calls were waiting at the end"."""
    record: Any = {**LOAD, "clients": 200, "seconds": 8.0, "errors": {"status": failed}}
    assert ("calls may have waited for a client" in load_report._rested(record)) == said


def test_a_capacity_is_headed_with_what_it_holds_and_what_ends_it() -> None:
    assert (
        report_of(Record(RECORDS / "capacity")).verdict == "Holds at least 1 client: other programs took the processors"
    )


@pytest.mark.parametrize(
    ("findings", "expected"),
    [
        ([], "Passed: all well"),
        ([("errors", Outcome.FAILED, "3 calls failed")], "Failed: 3 calls failed"),
        ([("growth", Outcome.UNDECIDED, "too short"), ("errors", Outcome.FAILED, "3 failed")], "Failed: 3 failed"),
        ([("growth", Outcome.UNDECIDED, "too short"), (UNFINISHED, Outcome.UNDECIDED, "stopped")],
         "Undecided: too short; 1 more finding"),
        ([("refused", Outcome.FAILED, "not a finding that fails a soak")], "Passed: all well"),
    ],
)  # fmt: skip
def test_a_test_of_stability_is_headed_with_what_decides_it(
    findings: list[tuple[str, Outcome, str]], expected: str
) -> None:
    assert title([Finding(*one) for one in findings], "all well", FAILING["soak"]) == expected


@pytest.mark.parametrize("kind", ["capacity", "load", "overload", "soak", "torture"])
def test_what_a_log_has_that_is_not_sent_is_said(kind: str, tmp_path: Path) -> None:
    """Only a search for a capacity said it."""
    shutil.copytree(RECORDS / kind, tmp_path / kind)
    file = tmp_path / kind / "record.json"
    record = json.loads(file.read_text())
    record["request"]["server"]["notes"] = ["a.log: 2 requests are left out."]
    file.write_text(json.dumps(record))
    assert list(report_of(Record(tmp_path / kind)).found).count("a.log: 2 requests are left out.") == 1


@pytest.mark.parametrize("kind", ["capacity", "load", "overload", "soak", "torture"])
def test_times_are_drawn_in_milliseconds(kind: str) -> None:
    report = report_of(Record(RECORDS / kind))
    svg = "".join(str(chart.svg) for section in report.sections for chart in section.charts)
    assert re.search(r">[^<]*\bms\b[^<]*</text>", svg)
    assert "µs" not in svg


def test_the_command_stands_below_the_verdict() -> None:
    text = (RECORDS / "golden" / "capacity.html").read_text()
    assert text.index("<h1>Holds at least 1 client") < text.index('command">capacity of python3 server.py')


def test_a_capacity_is_drawn_where_the_objective_is_crossed_with_its_interval() -> None:
    tried = [KneeStep("the server", level, level * 1e4, level < 15) for level in (10.0, 20.0, 30.0)]
    crossed = CrossedAt(14.0, 12.0, 17.0, "14 clients")
    with_it, without = (
        knee_chart(tried, "clients", "p99, ms", ObjectiveMark("p99 under 150 ms", 1.5e5), one)
        for one in (crossed, None)
    )
    assert with_it is not None
    assert without is not None
    assert len(with_it["layer"]) == len(without["layer"]) + 3
    interval = with_it["layer"][0]
    assert interval["data"]["values"] == [{"x": 14.0, "low": 12.0, "high": 17.0, "name": "14 clients"}]
    wide = str(to_svg(with_it, "capacity")).partition('<div class="narrow">')[0]
    assert {"14 clients", "p99 under 150 ms", "200"} <= set(re.findall(r">([^<]+)</text>", wide))


def test_a_latency_curve_ends_where_calls_become_too_few() -> None:
    curve = [Quantile(share, 10 / (1 - share), 9 / (1 - share), 12 / (1 - share)) for share in (0.5, 0.9, 0.99)]
    shown = re.findall(r">(p[\d.]+)</text>", str(to_svg(latency_curve({"": curve}) or {}, "x")).partition("narrow")[0])
    assert shown == ["p50", "p75", "p90", "p99"]
    assert latency_curve({"": curve[:1]}) is None


def test_times_over_time_are_written_as_a_person_writes_them() -> None:
    """A torture of 129 ms had marks at `1e+2` and `5e+1`."""
    points = [(0.0, 10.5), (1.0, 128.7), (2.0, 10.4)]
    svg = str(to_svg(over_time([Panel("median call, ms", "{value} ms", {"answered": points}, DECIMAL)]) or {}, "times"))
    assert ">100</text>" in svg
    assert "e+" not in svg


def test_a_single_value_over_time_is_seen() -> None:
    panels = [
        Panel("open", "{value}", {"open": [(1.0, 41.0)]}),
        Panel("x", "{value}", {"open": [(0.0, 1.0), (1.0, 2.0)]}),
    ]
    spec = over_time(panels)
    assert spec is not None
    assert [panel["layer"][0]["mark"]["point"] for panel in spec["vconcat"]] == [True, False]
