"""The parts of `callbench peer` that need no JMeter: its results, its plan, what both sides' figures say together."""

from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.errors import BadInput
from callbench.peer import jtl
from callbench.peer.agreement import Round, Side, agreement
from callbench.peer.jmeter import used
from callbench.peer.plan import Asked, plan

HEAD = "timeStamp,elapsed,responseCode,success\n"
# Two that count, one wrong, one that ends after the window, one that ends before it.
RESULTS = (
    HEAD
    + "1000,10,200,true\n1005,20,200,true\n1010,5,500,false\n1990,10,200,true\n"
    + '900,99,"Non HTTP response code: x, y",false\n'
)


def test_what_ended_within_the_window_counts() -> None:
    seen = jtl.window(jtl.read(RESULTS.splitlines()), 1000, 2000)
    assert (seen.calls, seen.rate_per_s, seen.errors) == (2, 2.0, {"500": 1})
    assert seen.mean_ms == 15
    assert seen.median_ms == 10.5


def test_an_error_is_known_by_its_own_words() -> None:
    seen = jtl.window(jtl.read(RESULTS.splitlines()), 0, 1000)
    assert (seen.calls, seen.median_ms, seen.errors) == (0, None, {"Non HTTP response code: x, y": 1})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "lack the columns timeStamp"),
        ("timeStamp,elapsed\n1,2\n", "lack the columns responseCode, success"),
        (HEAD + "1000,10,200,true\n1000,soon,200,true\n", "line 3, are no sample: 1000,soon,200,true"),
        (HEAD + "1000\n", "line 2, are no sample: 1000"),
    ],
)
def test_results_of_another_form_are_named(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        jtl.read(text.splitlines())


@given(st.lists(st.integers(0, 500), min_size=1, max_size=200))
def test_the_median_lies_within_half_a_millisecond_of_the_middle_values(times: list[int]) -> None:
    counted = {value: times.count(value) for value in set(times)}
    found = jtl.median(counted)
    middle = sorted(times)[(len(times) - 1) // 2]
    assert found is not None
    assert middle - 0.5 <= found <= middle + 0.5


@given(st.integers(2, 400), st.floats(0.2, 0.8))
def test_the_median_of_even_times_is_found_to_a_small_part_of_a_millisecond(length: int, phase: float) -> None:
    """Calls that take any time from 0 to `length`, by a clock that is cut to whole milliseconds at both ends."""
    counted: dict[int, int] = {}
    for at in range(2000):
        begin = (at * 0.618 + phase) % 1
        value = int(begin + at / 2000 * length)
        counted[value] = counted.get(value, 0) + 1
    assert jtl.median(counted) == pytest.approx(length / 2, abs=0.3)


def test_processor_time_lies_on_a_line_between_two_looks() -> None:
    looks = [(1000, 50), (2000, 150), (2100, 160)]
    assert [used(looks, at) for at in (0, 1000, 1500, 2050, 9999)] == [50, 50, 100, 155, 160]
    assert used([], 5) == 0


def side(rate: float, median: float, mean: float | None = None, busy: float = 0.3) -> Side:
    return Side(rate, median, median if mean is None else mean, busy, 0)


def test_two_that_are_near_agree() -> None:
    found = agreement([Round(side(1000, 50), side(990, 51)), Round(side(1010, 49), side(1005, 50))], 50, "JMeter")
    assert (found.verdict, found.limited) == ("agree", False)
    assert found.rate.middle == pytest.approx(0.9925, abs=0.001)
    assert found.latency.middle == pytest.approx(1.02, abs=0.001)


def test_two_that_are_far_differ_where_neither_is_the_limit() -> None:
    rounds = [Round(side(1000, 50), side(800, 62.5)) for _ in range(3)]
    found = agreement(rounds, 50, "JMeter")
    assert found.verdict == "differ"
    assert "20 % less" in found.why


def test_a_busy_peer_is_the_limit() -> None:
    rounds = [Round(side(20_000, 2.5), side(5000, 10, busy=0.97)) for _ in range(3)]
    found = agreement(rounds, 50, "JMeter")
    assert (found.verdict, found.limited) == ("peer limited", True)
    assert "97 %" in found.why


def test_a_peer_whose_clients_are_not_in_calls_is_the_limit() -> None:
    rounds = [Round(side(10_000, 5), side(5000, 5, busy=0.4)) for _ in range(3)]
    found = agreement(rounds, 50, "JMeter")
    assert found.verdict == "peer limited"
    assert "50 % of the time between calls" in found.why


def test_rounds_that_scatter_say_nothing() -> None:
    rounds = [Round(side(1000, 50), side(rate, 5e4 / rate)) for rate in (700, 1000, 1600)]
    assert agreement(rounds, 50, "JMeter").verdict == "unsure"


def test_the_plan_asks_what_the_driver_asks() -> None:
    root = fromstring(plan(Asked("http://127.0.0.1:8080/a/b?c=d&e", 7, '{"a":"<b>"}'), 2.2))  # noqa: S314 - our own
    said = {node.get("name"): node.text for node in root.iter() if node.tag.endswith("Prop") and node.text}
    assert said["HTTPSampler.domain"] == "127.0.0.1"
    assert said["HTTPSampler.port"] == "8080"
    assert said["HTTPSampler.path"] == "/a/b?c=d&e"
    assert said["ThreadGroup.num_threads"] == "7"
    assert said["ThreadGroup.duration"] == "3"
    assert said["HTTPSampler.use_keepalive"] == "true"
    assert 'use_keepalive">false<' in plan(Asked("http://h/", 1, keep_alive=False), 1)
    assert said["body"] == '{"a":"<b>"}'
    assert not list(fromstring(plan(Asked("http://h/", 1), 1)).iter("ResponseAssertion"))  # noqa: S314


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "http:///x", "127.0.0.1:80"])
def test_another_url_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match="not a URL of HTTP"):
        plan(Asked(url, 1), 1)
