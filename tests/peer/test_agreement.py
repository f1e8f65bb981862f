"""The parts of `callbench peer` that need no JMeter: its results, its plan, what both sides' figures say together."""

import os
import re
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callbench.analysis.peer.agreement import Agreement, GeneratorRound, Round, compute_agreement
from callbench.model.errors import BadInput
from callbench.runner.peer import jmeter, jtl
from callbench.runner.peer.jmeter import thread_times, used_at
from callbench.runner.peer.plan import HttpLoad, first_think_ms, make_plan
from callbench.runner.peer.rounds import peer_side, rate_rise
from callbench.stats.decide.decision import Outcome

HEAD = "timeStamp,elapsed,responseCode,threadName,success\n"
# Two clients: one is right twice, 7 ms apart, and the other wrong once and right once, 10 ms apart.
RESULTS = (
    HEAD
    + "1000,10,200,clients 1-1,true\n1017,20,200,clients 1-1,true\n"
    + '1001,5,"Non HTTP response code: x, y",clients 1-2,false\n1016,34,200,clients 1-2,true\n'
)


def test_samples_are_summed_up_from_the_first_beginning_to_the_last_answer() -> None:
    seen = jtl.summarize(jtl.read_samples(RESULTS.splitlines()), 1)
    assert (seen.calls, seen.begin_ms, seen.end_ms) == (3, 1000, 1050)
    assert seen.rate_per_s == 60
    assert seen.errors == {"Non HTTP response code: x, y": 1}
    assert seen.mean_ms == pytest.approx(64 / 3)
    assert seen.median_ms == 20


def test_one_call_that_takes_long_does_not_stretch_the_peers_time() -> None:
    """A hundred calls in a second, then one of 6 s, which may only have waited: no part of it counts."""
    calls = [jtl.Sample(1000 + 10 * n, 10, "200", "clients 1-1", right=True) for n in range(100)]
    seen = jtl.summarize([*calls, jtl.Sample(2000, 6000, "200", "clients 1-1", right=True)], 2)
    assert (seen.begin_ms, seen.end_ms, seen.calls) == (1000, 3000, 101)
    assert seen.rate_per_s == pytest.approx(100 / 2)


def test_a_call_that_began_after_the_window_and_took_no_millisecond_counts_as_none() -> None:
    """It ended `callbench peer` with a division by zero, now and then."""
    calls = [jtl.Sample(1000 + 10 * n, 9, "200", "clients 1-1", right=True) for n in range(200)]
    seen = jtl.summarize([*calls, jtl.Sample(3001, 0, "200", "clients 1-1", right=True)], 2)
    assert seen.rate_per_s == pytest.approx(100)


@given(st.integers(1, 60), st.integers(100, 3000), st.integers(0, 500), st.integers(1, 10))
def test_a_peers_clients_that_think_are_not_counted_over_one_period_too_few(
    clients: int, think: int, lasts: int, seconds: int
) -> None:
    """As its plan has it: first thoughts end evenly spread. The rate is within a call a client of what they can do."""
    asked = HttpLoad("http://127.0.0.1:1/", clients, think_ms=think)
    samples = []
    for client in range(1, clients + 1):
        at = 1000 + int(first_think_ms(asked, client))
        while at < 1000 + 1000 * seconds:
            samples.append(jtl.Sample(at, lasts, "200", f"clients 1-{client}", right=True))
            at += lasts + think
    if samples:
        seen = jtl.summarize(samples, seconds, think, first_think_ms(asked, 1))
        assert seen.rate_per_s * seconds == pytest.approx(
            clients * 1000 * seconds / (lasts + think), abs=clients + 0.01
        )


def test_the_gap_between_calls_is_each_clients_own_and_leaves_out_its_thought() -> None:
    samples = jtl.read_samples(RESULTS.splitlines())
    assert jtl.summarize(samples, 1).gap_ms == 8.5
    assert jtl.summarize(samples, 1, think_ms=6).gap_ms == 2.5
    assert jtl.summarize(samples[:1], 1).gap_ms is None


def test_what_a_peer_took_for_itself_is_the_larger_sign() -> None:
    samples = [jtl.Sample(1000 + 100 * n, 80, "200", "clients 1-1", right=True) for n in range(10)]
    seen = jtl.summarize(samples, 1)
    # 20 ms between calls of 80; its thread ran for 5 a call, or for 50.
    assert peer_side(jmeter.JMeterResult(seen, 100, 50, 10, 0), 0, 1).own_ms == 20
    side = peer_side(jmeter.JMeterResult(seen, 100, 500, 10, 0), 0, 2)
    assert (side.own_ms, side.round_ms) == (50, 100)
    assert side.busy == pytest.approx(100 / 980 / 2)


def test_clients_that_began_late_are_the_peers_own_matter() -> None:
    """Ten clients with rounds of 100 ms on both sides: on the peer's they were there for half of the time."""
    ours = GeneratorRound(100, 20, 20, 0.1, 500, 0, 100)
    late = GeneratorRound(50, 20, 20, 0.1, 500, 0, 100, 0.0)
    assert Round(ours, late).own_share == pytest.approx(0.5)
    assert compute_agreement([Round(ours, late)] * 3, "JMeter", think_time=True).verdict == "peer limited"
    # As long there, but slower in every round, by what it did not take for itself.
    slow = GeneratorRound(50, 120, 120, 0.1, 500, 0, 200, 0.0)
    assert Round(ours, slow).own_share == pytest.approx(0)
    assert compute_agreement([Round(ours, slow)] * 3, "JMeter", think_time=True).verdict == "differ"


@given(st.integers(1, 8), st.integers(2, 20), st.integers(0, 900), st.floats(0, 5), st.floats(0.3, 40))
def test_the_gap_is_found_to_a_part_of_a_millisecond(
    clients: int, calls: int, think: int, gap: float, lasts: float
) -> None:
    """Clients that leave `gap` ms between calls, by a clock that is cut to whole milliseconds."""
    samples = []
    for client in range(clients):
        at = 1000.0 + client * 0.37
        for _ in range(calls):
            start, end = int(at), int(at + lasts)
            samples.append(jtl.Sample(start, end - start, "200", f"clients 1-{client}", right=True))
            at += lasts + think + gap
    found = jtl.summarize(samples, 60, think).gap_ms
    assert found is not None
    assert found == pytest.approx(gap, abs=1.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "lack the columns timeStamp"),
        ("timeStamp,elapsed\n1,2\n", "lack the columns responseCode, threadName, success"),
        (
            HEAD + "1000,10,200,c,true\n1000,soon,200,c,true\n",
            "line 3 of JMeter's results is not a sample: 1000,soon,200,c,true",
        ),
        (HEAD + "1000\n", "line 2 of JMeter's results is not a sample: 1000"),
    ],
)
def test_results_of_another_form_are_named(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        jtl.read_samples(text.splitlines())


@given(st.lists(st.integers(0, 500), min_size=1, max_size=200))
def test_the_median_lies_within_half_a_millisecond_of_the_middle_values(times: list[int]) -> None:
    counted = {value: times.count(value) for value in set(times)}
    found = jtl.grouped_median(counted)
    middle = sorted(times)[(len(times) - 1) // 2]
    assert found is not None
    assert middle - 0.5 <= found <= middle + 0.5


@settings(deadline=None)  # as slow as its machine
@given(st.integers(2, 400), st.floats(0.2, 0.8))
def test_the_median_of_even_times_is_found_to_a_small_part_of_a_millisecond(length: int, phase: float) -> None:
    """Calls that take any time from 0 to `length`, by a clock that is cut to whole milliseconds at both ends."""
    counted: dict[int, int] = {}
    for at in range(2000):
        begin = (at * 0.618 + phase) % 1
        value = int(begin + at / 2000 * length)
        counted[value] = counted.get(value, 0) + 1
    assert jtl.grouped_median(counted) == pytest.approx(length / 2, abs=0.3)


def test_processor_time_lies_on_a_line_between_two_looks() -> None:
    looks = [(1000, 50), (2000, 150), (2100, 160)]
    assert [used_at(looks, at) for at in (0, 1000, 1500, 2050, 9999)] == [50, 50, 100, 155, 160]
    assert used_at([], 5) == 0


def test_only_the_threads_that_count_are_looked_at(tmp_path: Path) -> None:
    for number, (comm, schedstat) in enumerate(
        [("clients 1-1", "5 7 1"), ("warm 1-1", "9 9 1"), ("clients 1-2", "1 1 1")]
    ):
        task = tmp_path / "42" / "task" / str(number)
        task.mkdir(parents=True)
        (task / "comm").write_text(f"{comm}\n")
        (task / "schedstat").write_text(f"{schedstat}\n")
    assert thread_times([42, 43], tmp_path) == {0: 12, 2: 2}


def test_a_peer_that_ends_while_its_threads_are_listed_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "42" / "task").mkdir(parents=True)

    def gone(_: object) -> None:
        raise ProcessLookupError

    monkeypatch.setattr(os, "listdir", gone)
    monkeypatch.setattr(os, "scandir", gone)
    assert thread_times([42], tmp_path) == {}


def side(rate: float, median: float, busy: float = 0.3, own: float | None = None, errors: int = 0) -> GeneratorRound:
    """Of fifty clients, all of whom are there."""
    round_ms = 50_000 / rate
    return GeneratorRound(
        rate, median, median, busy, round(rate * 10), errors, round_ms, None if own is None else own * round_ms
    )


def judged(ours: GeneratorRound, *theirs: GeneratorRound, thinks: bool = False) -> Agreement:
    return compute_agreement([Round(ours, each) for each in theirs], "JMeter", think_time=thinks)


def test_two_that_are_near_agree() -> None:
    found = judged(side(1000, 50), side(990, 51), side(985, 51), side(995, 50))
    assert (found.verdict, found.limited) == ("agree", False)
    assert found.rate.middle == pytest.approx(0.99, abs=0.001)
    assert found.latency.middle == pytest.approx(1.013, abs=0.001)


def test_two_that_are_far_differ_where_neither_is_the_limit() -> None:
    found = judged(side(1000, 50), *[side(800, 62.5, own=0.04)] * 3)
    assert found.verdict == "differ"
    assert "20.0 % lower" in found.why
    assert judged(side(1000, 50), *[side(1200, 40)] * 3).verdict == "differ"


def test_one_round_says_nothing() -> None:
    assert judged(side(1000, 50), side(1000, 50)).verdict == "unsure"
    assert judged(side(1000, 50), side(700, 70)).verdict == "unsure"


def test_a_busy_peer_is_the_limit() -> None:
    found = judged(side(20_000, 2.5), *[side(5000, 10, busy=0.97)] * 3)
    assert (found.verdict, found.limited) == ("peer limited", True)
    assert "97 %" in found.why


def test_a_busy_peer_that_says_the_same_agrees() -> None:
    assert judged(side(5000, 10), *[side(4950, 10, busy=0.97)] * 3).verdict == "agree"


@pytest.mark.parametrize(
    ("rate", "own", "verdict"),
    [
        (500, 0.5, "peer limited"),  # half of its time is its own, and half of the rate is missing
        (850, 0.12, "peer limited"),  # 0.85 / 0.88 is within 5 %
        (850, 0.05, "differ"),  # 0.85 / 0.95 is not
        (300, 0.6, "peer limited"),  # whatever else, most of its time is its own
        (1150, 0.6, "differ"),  # it is no excuse for more
    ],
)
def test_what_a_peer_takes_for_itself_explains_so_much_and_no_more(rate: float, own: float, verdict: str) -> None:
    assert judged(side(1000, 50), *[side(rate, 50, own=own)] * 3).verdict == verdict


def test_what_follows_of_a_verdict() -> None:
    """A scatter that says nothing ended with 0, as agreement does."""
    scattered = judged(side(1000, 50), *[side(rate, 5e4 / rate) for rate in (700, 1000, 1600)])
    assert scattered.outcome is Outcome.UNDECIDED
    near, far = (
        [side(1000, 50), *[side(rate, 50) for rate in rates]] for rates in ((990, 1000, 1010), (700, 701, 699))
    )
    assert [judged(*one).outcome for one in (near, far)] == [Outcome.PASSED, Outcome.FAILED]


def test_rounds_that_scatter_say_nothing() -> None:
    assert judged(side(1000, 50), *[side(rate, 5e4 / rate) for rate in (700, 1000, 1600)]).verdict == "unsure"
    # Middle beyond 5 %, the interval not wholly so.
    assert judged(side(1000, 50), *[side(rate, 50) for rate in (930, 945, 955)]).verdict == "unsure"


def test_a_driver_that_is_itself_the_limit_is_no_difference() -> None:
    assert judged(side(1000, 50, busy=0.95), *[side(1200, 42)] * 3).verdict == "unsure"


def test_calls_that_failed_on_one_side_only_differ() -> None:
    found = judged(side(1000, 50), *[side(1000, 50, errors=500)] * 3)
    assert found.verdict == "differ"
    assert "4.8 % of JMeter's" in found.why
    assert judged(side(1000, 50, errors=500), *[side(1000, 50, errors=500)] * 3).verdict == "unsure"


def test_few_calls_that_fail_on_one_side_only_differ_where_chance_does_not_explain_them() -> None:
    """0.4 % is below what makes a load another one, and a difference between two generators all the same."""
    found = judged(side(1000, 50), *[side(1000, 50, errors=40)] * 3)
    assert (found.verdict, "0.4 % of JMeter's" in found.why) == ("differ", True)
    assert judged(side(1000, 50), *[side(1000, 50, errors=1)] * 3).verdict == "agree"


@pytest.mark.parametrize(
    ("median", "own", "verdict"),
    [
        (20.4, 0.0, "agree"),  # its clock explains half a millisecond, and 5 % are allowed
        (23.0, 0.0, "differ"),
        (23.0, 0.01, "agree"),  # 2.3 ms of its own time in a cycle of 222 ms
    ],
)
def test_where_clients_think_their_latencies_must_agree_too(median: float, own: float, verdict: str) -> None:
    ours = side(222, 20)
    theirs = [GeneratorRound(221, median, median, 0.3, 2210, 0, 50_000 / 221, own * 230)] * 3
    assert judged(ours, *theirs, thinks=True).verdict == verdict
    assert judged(ours, *theirs).verdict == "agree"


@given(st.lists(st.tuples(st.floats(1, 1e5), st.floats(1, 1e5), st.floats(0, 1)), min_size=1, max_size=6))
def test_any_rounds_have_a_verdict_and_a_sentence(rounds: list[tuple[float, float, float]]) -> None:
    found = compute_agreement(
        [Round(side(ours, 5), side(theirs, 5, own=own)) for ours, theirs, own in rounds], "JMeter", think_time=True
    )
    assert found.verdict in {"agree", "differ", "peer limited", "unsure"}
    assert found.limited == (found.verdict == "peer limited")
    assert found.why


def said(text: str) -> dict[str | None, str | None]:
    """What a plan says, by name; of a name said twice the later, which is the group that counts."""
    root = fromstring(text)  # noqa: S314
    return {node.get("name"): node.text for node in root.iter() if node.tag.endswith("Prop") and node.text}


def test_the_plan_asks_what_the_driver_asks() -> None:
    told = said(make_plan(HttpLoad("http://127.0.0.1:8080/a/b?c=d&e", 7, '{"a":"<b>"}'), warm_up_s=0, seconds=2.2))
    assert told["HTTPSampler.domain"] == "127.0.0.1"
    assert told["HTTPSampler.port"] == "8080"
    assert told["HTTPSampler.path"] == "/a/b?c=d&e"
    assert told["HTTPSampler.method"] == "GET"
    assert told["ThreadGroup.num_threads"] == "7"
    assert told["ThreadGroup.duration"] == "3"
    assert told["HTTPSampler.use_keepalive"] == "true"
    assert told["body"] == '{"a":"<b>"}'
    closes = make_plan(HttpLoad("http://h/", 1, keep_alive=False), warm_up_s=0, seconds=1)
    assert said(closes)["HTTPSampler.use_keepalive"] == "false"
    assert not list(fromstring(closes).iter("ResponseAssertion"))  # noqa: S314
    assert not list(fromstring(closes).iter("TestAction"))  # noqa: S314
    assert not list(fromstring(closes).iter("SetupThreadGroup"))  # noqa: S314


def test_the_plan_has_a_method_headers_and_a_body() -> None:
    posts = HttpLoad("http://h/", 1, method="POST", headers=(("Accept", "text/plain"),), body="<q>5</q>")
    told = said(make_plan(posts, warm_up_s=0, seconds=1))
    assert (told["HTTPSampler.method"], told["HTTPSampler.postBodyRaw"]) == ("POST", "true")
    assert (told["Header.name"], told["Header.value"], told["Argument.value"]) == ("Accept", "text/plain", "<q>5</q>")


def test_the_plan_thinks_after_a_call_and_ramps_up_after_a_warm_up_without_either() -> None:
    text = make_plan(HttpLoad("http://h/", 200, think_ms=900, ramp_up_s=10), warm_up_s=4.5, seconds=16)
    root = fromstring(text)  # noqa: S314
    [warm], [counts] = root.iter("SetupThreadGroup"), root.iter("ThreadGroup")
    of_warm, of_counts = ({one.get("name"): one.text for one in group.iter()} for group in (warm, counts))
    assert (of_warm["ThreadGroup.ramp_time"], of_counts["ThreadGroup.ramp_time"]) == ("0", "10")
    assert (of_warm["ThreadGroup.duration"], of_counts["ThreadGroup.duration"]) == ("5", "16")
    assert (of_warm["ThreadGroup.num_threads"], of_counts["ThreadGroup.num_threads"]) == ("20", "200")
    # The pause follows the call it belongs to: a timer would come before the first.
    assert text.index("<TestAction") > text.rindex("<HTTPSamplerProxy")
    assert said(text)["ActionProcessor.duration"] == "900"
    assert len(list(root.iter("TestAction"))) == 1


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "http:///x", "127.0.0.1:80"])
def test_another_url_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match="is not an HTTP URL"):
        make_plan(HttpLoad(url, 1), warm_up_s=0, seconds=1)


@pytest.mark.parametrize(
    ("expected", "says"), [("costs ${5}", "as a variable"), ("a\r\nb", "cannot hold"), ("a\0b", "cannot hold")]
)
def test_an_answer_that_a_plan_would_say_otherwise_is_refused(expected: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        make_plan(HttpLoad("http://h/", 1, expected), warm_up_s=0, seconds=1)


def test_rounds_that_were_not_steady_do_not_count() -> None:
    """Before, the rounds in which a virtual machine was still compiling were averaged with the others."""
    ours = side(1000, 50)
    steady = [Round(ours, side(rate, 50)) for rate in (990, 1000, 1005)]
    cold = [Round(ours, side(700, 70), "JMeter's rate rose while it drove: by 30 %")] * 2
    alone, among = compute_agreement(steady, "JMeter"), compute_agreement([cold[0], *steady, cold[1]], "JMeter")
    assert (among.verdict, among.rate, among.latency) == (alone.verdict, alone.rate, alone.latency)
    assert among.why == f"{alone.why}; 2 of 5 rounds were not steady and not counted"
    none = compute_agreement(cold, "JMeter")
    assert (none.verdict, none.outcome) == ("unsure", Outcome.UNDECIDED)
    assert none.why == "no round was steady: JMeter's rate rose while it drove: by 30 %"


def test_scatter_says_how_many_more_rounds_would_settle_it() -> None:
    found = judged(side(1000, 50), *[side(rate, 50) for rate in (930, 945, 955)])
    assert re.search(r"too much for a decision; about \d+ more rounds would decide it$", found.why)
    # As near to the border as that no number of rounds would.
    found = judged(side(1000, 50), *[side(rate, 50) for rate in (940, 951, 958.8)])
    assert found.why.endswith("too much for a decision")


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [(50, 50, ""), (50, 80, "JMeter's rate rose while it drove: by 60 %"), (80, 50, "")],
)
def test_a_peer_that_becomes_faster_is_found_out_and_one_that_becomes_slower_is_the_machine(
    before: int, after: int, says: str
) -> None:
    """Ten seconds of one client, which calls so often in each of their halves."""
    starts = [*(1000 / before * n for n in range(5 * before)), *(5000 + 1000 / after * n for n in range(5 * after))]
    samples = [jtl.Sample(1000 + round(at), 5, "200", "clients 1-1", right=True) for at in starts]
    rates = jtl.rates_by_piece(samples, 1000, 11_000)
    assert len(rates) == 19
    assert rate_rise("JMeter", rates) == says


@given(st.lists(st.tuples(st.integers(0, 9999), st.integers(0, 500), st.booleans()), max_size=200))
def test_pieces_hold_each_right_answer_of_the_window_but_those_of_the_first(
    made: list[tuple[int, int, bool]],
) -> None:
    samples = [jtl.Sample(at, lasts, "200", "clients 1-1", right=right) for at, lasts, right in made]
    rates = jtl.rates_by_piece(samples, 1000, 9000)
    counted = sum(1400 <= one.end_ms < 9000 for one in samples if one.right)
    assert sum(rates) * 0.4 == pytest.approx(counted)
