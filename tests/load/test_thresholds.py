"""`load --fail-if`, `--expect-errors` and what a load ends with."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.adapter.contract import Done
from callbench.analysis.load import threshold_values as thresholds
from callbench.analysis.load.request import MAX_SECONDS, LoadRequest
from callbench.analysis.load.thresholds import EXAMPLES, ThresholdResult, parse
from callbench.analysis.load.times import times_of, times_record
from callbench.model.errors import BadInput
from callbench.stats.estimate.percentile_calls import fewest_calls

Run = Callable[..., subprocess.CompletedProcess[str]]
SERVER = Path(__file__).parents[1] / "external" / "orders.py"
START = f"{sys.executable} {SERVER} {{port}}"
UNITS: dict[str, dict[str, float]] = {"errors": {"%": 0.01}, "rate": {"": 1, "/s": 1, "calls/s": 1}}
TIMES: dict[str, float] = {"us": 1, "µs": 1, "ms": 1e3, "s": 1e6}


def done(calls: int, errors: int, times_ns: list[int]) -> Done:
    """What a driver would say."""
    from callbench.stats.estimate.histogram import index_of  # noqa: PLC0415 - numpy is for this alone

    buckets: dict[int, int] = {}
    for time in times_ns:
        buckets[index_of(time)] = buckets.get(index_of(time), 0) + 1
    latency: dict[str, Any] = {
        "count": len(times_ns),
        "sum_ns": str(sum(times_ns)),
        "min_ns": min(times_ns, default=0),
        "max_ns": max(times_ns, default=0),
        "buckets": sorted(buckets.items()),
    }
    said = {"calls": calls, "errors": {"status": errors} if errors else {}, "latency": latency, "lateness": None}
    return cast("Done", said | {"elapsed_ns": 10**9, "intervals": []})


@given(
    st.sampled_from(["errors", "rate", "mean", "max", "p50", "p90", "p95", "p99", "p99.9", "p1"]),
    st.sampled_from([">", ">=", "<", "<="]),
    st.decimals(0, 10**6, places=2),
    st.sampled_from(["", " ", "  "]),
    st.data(),
)
def test_what_is_written_is_read(metric: str, sign: str, value: Any, blank: str, data: st.DataObject) -> None:
    units = UNITS.get(metric, TIMES)
    unit = data.draw(st.sampled_from(sorted(units)))
    one = parse(f"{blank}{metric}{blank}{sign}{blank}{value}{blank}{unit}{blank}")
    assert (one.metric, one.sign) == (metric, sign)
    assert one.limit == pytest.approx(float(value) * units[unit])


@given(st.text(max_size=200) | st.from_regex(r"[a-z]{1,6}[0-9.]{0,5} ?[<>=]{1,2} ?[0-9.eE+-]{1,8} ?[a-z%/]{0,4}"))
def test_whatever_is_written_is_read_or_refused_in_one_sentence(text: str) -> None:
    refusal = refused(text)
    if refusal is None:
        assert 0 <= parse(text).limit < float("inf")
    else:
        assert refusal.startswith("--fail-if ")
        assert "\n" not in refusal
        assert len(refusal) < 300


def refused(text: str) -> str | None:
    """Why a text is no threshold; None of one that is."""
    try:
        parse(text)
    except BadInput as refusal:
        return str(refusal)
    return None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "give a metric, a sign and a value"),
        ("errors", "give a metric, a sign and a value"),
        ("p99 = 5 ms", "give a metric, a sign and a value"),
        ("p99 > -5 ms", "give a metric, a sign and a value"),
        ("p100 > 5 ms", "there is no metric p100"),
        ("p0 > 5 ms", "there is no metric p0"),
        ("latency > 5 ms", "there is no metric latency"),
        ("errors > 5", "errors is given in %"),
        ("p99 > 50", "p99 is given in us or µs or ms or s"),
        ("rate < 5 ms", "rate is given in /s or calls/s"),
    ],
)
def test_what_is_none_is_refused_in_a_sentence(text: str, says: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse(text)
    assert says in str(refused.value)


def test_every_threshold_that_is_printed_is_one() -> None:
    root = Path(__file__).parents[2]
    files = [root / "README.md", *(root / "docs").rglob("*.md")]
    printed = [text for file in files for text in re.findall(r"--fail-if '([^']*)'", file.read_text())]
    printed = [text for text in [*printed, *re.findall(r"'([^']*)'", EXAMPLES)] if text != "METRIC > VALUE"]
    assert len(printed) >= 6
    for text in printed:
        parse(text)


def test_a_nought_needs_no_unit() -> None:
    assert parse("errors > 0").limit == parse("max >= 0").limit == 0


@given(st.integers(0, 1000), st.integers(0, 1000), st.floats(0, 100))
def test_the_share_of_errors_is_of_all_calls_that_ended(calls: int, errors: int, limit: float) -> None:
    said = done(calls, errors, [1000] * min(calls, 5))
    share = errors / (calls + errors) if calls + errors else 0
    assert thresholds.error_share(said) == pytest.approx(share)
    [one] = thresholds.evaluate([parse(f"errors > {limit:.6f}%")], said, 0.0)
    assert one.value == pytest.approx(share)
    true = share > parse(f"errors > {limit:.6f}%").limit
    assert one.failed <= true
    assert one.failed == true or one.undecided
    assert " %" in one.sentence


def test_a_value_is_told_from_its_limit_however_wide_its_interval_is() -> None:
    """A mean of 26.5 ms was "30 ms (1.4 to 50)" beside a limit of 30."""
    result = ThresholdResult(parse("mean > 30 ms"), 26_517.0, shown=None, ends=(1_400.0, 51_600.0))
    assert result.sentence == "Fail if mean > 30 ms: 27 ms (1.4 to 50): undecided."


def test_that_no_call_failed_is_said_with_its_interval() -> None:
    """Zero has no decimal place of its own: a load without an error ended with a traceback."""
    (one,) = thresholds.evaluate([parse("errors > 1%")], done(50, 0, [1000] * 50), 0.0)
    assert one.sentence == "Fail if errors > 1%: 0 % (0 to 10): undecided."


@given(st.lists(st.integers(1_000, 10**9), min_size=36, max_size=80), st.sampled_from([50, 75, 90]))
def test_percentiles_lie_between_the_least_and_the_greatest(times: list[int], percent: int) -> None:
    said = done(len(times), 0, times)
    names = [f"p{percent}", "mean", "max"]
    values = [one.value for one in thresholds.evaluate([parse(f"{name} > 0") for name in names], said, 0.0)]
    assert all(value is not None and min(times) / 1e3 * 0.999 <= value <= max(times) / 1e3 * 1.001 for value in values)
    assert values[2] == max(times) / 1e3


@pytest.mark.parametrize(
    ("text", "times_ms", "outcome"),
    [
        # p99 of 20 calls is the slowest of them: a call in a hundred may be slower than all.
        ("p99 > 50 ms", [10] * 20, "undecided"),
        ("p99 > 50 ms", [10] * 19 + [60], "undecided"),
        ("p99 > 50 ms", [60] * 20, "failed"),
        ("p99 < 50 ms", [60] * 20, "passed"),
        ("p99 < 50 ms", [10] * 20, "undecided"),
        ("p90 <= 50 ms", [60] * 20, "passed"),
        # Enough of them: the value decides.
        ("p99 > 50 ms", [10] * 528, "passed"),
        ("p99 > 50 ms", [10] * 360 + [60] * 16, "failed"),
        ("p50 > 50 ms", [60] * 8, "failed"),
        # The value is known, and its interval of 99 % has the limit in it.
        ("p99 > 50 ms", [10] * 400, "undecided"),
        ("p99 > 50 ms", [10] * 360 + [60] * 8, "undecided"),
        ("p50 > 50 ms", [60] * 6, "undecided"),
    ],
)
def test_a_percentile_of_too_few_calls_decides_nothing_but_what_they_show(
    text: str, times_ms: list[int], outcome: str
) -> None:
    [one] = thresholds.evaluate([parse(text)], done(len(times_ms), 0, [time * 10**6 for time in times_ms]), 1.0)
    assert one.sentence.endswith(f": {outcome}.")
    assert (one.failed, bool(one.undecided)) == (outcome == "failed", outcome == "undecided")
    assert (one.value is None) == (len(times_ms) == 20)
    if one.value is None:
        name = text.split(maxsplit=1)[0]
        assert f"{name} needs about {fewest_calls(float(name[1:]) / 100, 0.99)} calls, there are 20" in one.sentence


def test_times_of_too_few_calls_are_none_with_their_reason() -> None:
    said = times_of(done(20, 0, [10**6] * 20)["latency"])
    kept = times_record(said)
    assert kept is not None
    assert kept["p50"] == pytest.approx(1000, rel=0.004)
    assert {kept["p90"], kept["p99"], kept["p99.9"]} == {None}
    assert kept["unknown"]["p99"] == "p99 needs about 368 calls, there are 20"


def test_what_cannot_be_tested_failed() -> None:
    [late, rate] = thresholds.evaluate([parse("p99 > 1 s"), parse("rate < 10")], done(0, 3, []), 12.0)
    assert late.failed
    assert "no call succeeded: failed" in late.sentence
    assert (rate.failed, rate.sentence) == (False, "Fail if rate < 10: 12 calls/s (5 to 24): undecided.")


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        # Every other call fails.
        ((), 1, "Failed: calls failed."),
        (("--expect-errors",), 0, " calls failed."),
        (("--fail-if", "errors > 90%"), 0, "Fail if errors > 90%: "),
        (("--fail-if", "errors > 10 %"), 1, "Failed: errors > 10 %, at "),
        (("--fail-if", "errors > 90%", "--fail-if", "p99 > 0"), 1, "Failed: p99 > 0, at "),
        (("--fail-if", "p99 > 100 s"), 1, "Failed: calls failed."),
        (("--expect-errors", "--fail-if", "max > 100 s"), 0, ": passed."),
        (("--expect-errors", "--fail-if", "p99 > 100 s"), 3, "Undecided: p99 needs about 528 calls, there are "),
        (("--expect-errors", "--fail-if", "p99 > 100 s", "--undecided", "pass"), 0, "Undecided: p99 needs about "),
        (
            ("--fail-if", "rate > 1", "--expect-status", "500", "--expect-status", "200"),
            1,
            "Failed: rate > 1, at ",
        ),
        (("--expect-status", "500", "--expect-status", "200", "--fail-if", "mean > 90 s"), 0, ": passed."),
    ],
)
def test_a_load_ends_with_what_came_of_it(
    callbench: Run, tmp_path: Path, words: tuple[str, ...], code: int, says: str
) -> None:
    ended = callbench(
        "load", START, "--path", "/flaky", "--clients", 2, "--calls", 20, *words, "--out", tmp_path / "load"
    )
    assert ended.returncode == code, ended.stdout + ended.stderr
    assert says in ended.stdout
    kept = json.loads(callbench("show", tmp_path / "load", "--json", check=True).stdout)
    assert (kept["failure"] is not None) == (code == 1)
    if "--expect-status" not in words:
        failed = sum(kept["errors"].values())
        assert kept["error_share"] == pytest.approx(failed / (failed + kept["calls"]))
        assert f"{failed:,} of {failed + kept['calls']:,} calls failed" in ended.stdout


def test_a_wrong_threshold_is_refused_before_anything_is_driven(callbench: Run) -> None:
    refused = callbench("load", START, "--fail-if", "p99 > 5")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "p99 is given in us or µs or ms or s" in refused.stderr


def test_a_sentence_says_how_many_seconds_more_give_the_calls() -> None:
    [one] = thresholds.evaluate([parse("p99 > 50 ms")], done(100, 0, [10**6] * 100), 10.0)
    assert one.sentence.endswith("p99 needs about 528 calls, there are 100; about 43 s more give them: undecided.")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, (1, 10.0, MAX_SECONDS)),
        ({"fail_if": ("p99 > 1 s", "p90 > 1 s", "errors > 1%")}, (528, 10.0, 120.0)),
        ({"fail_if": ("p99 > 1 s",), "seconds": 3.0}, (1, 3.0, 66.0)),
        ({"fail_if": ("p99 > 1 s",), "calls": 20}, (20, 0.0, MAX_SECONDS)),
        ({"fail_if": ("p99 > 1 s",), "calls": 20, "seconds": 3.0}, (20, 0.0, 3.0)),
    ],
)
def test_a_load_without_a_time_has_the_calls_of_its_percentiles(
    given: dict[str, Any], expected: tuple[int, float, float]
) -> None:
    one = LoadRequest("x", **{**given, "fail_if": tuple(map(parse, given.get("fail_if", ())))})
    assert (one.load.calls, one.load.seconds, one.limit_s) == expected


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_a_load_goes_on_until_its_percentile_is_known(callbench: Run, tmp_path: Path) -> None:
    """One client that thinks makes 25 calls in 10 s; p90 needs 51."""
    order = ("--method", "POST", "--body", '{"n":1}', "--header", "X-Shop: ours", "--expect-status", "201")
    ended = callbench(
        "load", START, "--path", "/orders", *order, "--clients", 1, "--think", 400,
        "--fail-if", "p90 > 100 s", "--json", "--out", tmp_path / "load",
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["calls"] >= 51
