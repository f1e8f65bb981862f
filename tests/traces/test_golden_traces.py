"""The golden traces are what the model makes of the scenarios, and the model keeps what LOOP.md promises."""

import json
from dataclasses import replace
from typing import Any

import pytest
from comparing import TRACES, differences, golden_traces, request
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_model import played
from scenarios import ALL, KINDS
from scripted import Call, Plan, Script, Trace

from callbench.adapter.contract import schema_error_in_answer
from golden import golden
from request_schema import is_request

MADE_SHOWN = 1000


def as_text(value: Any, depth: int = 0) -> str:
    """Write an object with a line a member, down to the members of `done`; what lies deeper stands on one line."""
    if not isinstance(value, dict) or depth == 3 or not value:
        return json.dumps(value)
    pad = "  " * (depth + 1)
    members = ",\n".join(f"{pad}{json.dumps(name)}: {as_text(its, depth + 1)}" for name, its in value.items())
    return f"{{\n{members}\n{pad[2:]}}}"


@pytest.mark.parametrize("name", ALL)
def test_the_model_gives_what_the_file_says(name: str) -> None:
    whole = {**ALL[name].as_json(), "expect": played(ALL[name])}
    golden(TRACES / f"{name}.json", as_text(whole) + "\n")


def test_every_file_is_a_scenario() -> None:
    assert {file.stem for file in TRACES.glob("*.json")} == set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_it_keeps_to_the_schema(name: str) -> None:
    trace = golden_traces()[name]
    assert is_request(request(trace, 7))
    answer = {"is": "traced", "id": 7, "done": trace["expect"]["done"], "made": trace["expect"]["made"]}
    assert schema_error_in_answer(answer) is None


def test_a_wrong_number_is_found_wherever_it_is() -> None:
    expect = golden_traces()["open-in-flight"]["expect"]
    done, made = expect["done"], expect["made"]
    right = {"is": "traced", "done": {**done, "threads": 1}, "made": made}
    assert differences(expect, right) == []
    assert differences(expect, {**right, "made": made[1:]}) != []
    assert differences(expect, {**right, "done": {**done, "in_call_ns": "1"}}) == ['in_call_ns is "1", not "24080"']
    assert differences(expect, {**right, "done": {**done, "latency": {**done["latency"], "max_ns": 3}}}) != []
    runners = {"late": {**expect["late"], "due_later": True}, "gave_up": False, **done}
    assert differences(expect, {**right, "done": runners}) == ["late.due_later is true, not false"]
    assert differences(expect, {"is": "error"}) == ['the answer is {"is": "error"}']


def test_every_kind_of_error_is_played() -> None:
    assert set(KINDS) == set(played(ALL["errors-kinds"])["done"]["errors"])


ANSWERS = st.sampled_from(["right", "right", "right", "wrong", "timeout", "closed"])
CALLS = st.lists(st.builds(Call, st.integers(0, 20_000), ANSWERS), min_size=1, max_size=12)
SCRIPTS = st.builds(
    Script,
    CALLS.map(tuple),
    st.integers(999_900_000, 1_000_050_000),
    st.integers(1, 2_000),
    st.integers(0, 200_000),
)
LENGTHS, LIMITS, POOLS = st.integers(0, 300_000), st.integers(0, 400_000), st.integers(0, 200)
BURNS, SPINS = st.sampled_from([0, 0, 3_000]), st.sampled_from([0, 5_000, 60_000])
PLACES = st.integers(1, 5).flatmap(lambda clients: st.tuples(st.integers(0, clients - 1), st.just(clients)))


@st.composite
def closed_plans(draw: st.DrawFn) -> Plan:
    place, clients = draw(PLACES)
    return Plan(
        place=place,
        clients=clients,
        length_ns=draw(LENGTHS),
        limit_ns=draw(LIMITS),
        calls=draw(POOLS),
        think_ns=draw(st.sampled_from([0, 0, 20_001, 200_000])),
        ramp_up_ns=draw(st.sampled_from([0, 0, 100_000, 900_001])),
        timing=draw(st.sampled_from(["each", "auto", "batch"])),
        burn_ns=draw(BURNS),
        spin_ns=draw(SPINS),
    )


@st.composite
def open_plans(draw: st.DrawFn) -> Plan:
    gaps = draw(st.lists(st.integers(0, 50_000), min_size=1, max_size=6))
    return Plan(
        length_ns=draw(LENGTHS),
        limit_ns=draw(LIMITS),
        calls=draw(POOLS),
        gaps=(*gaps, 1_000),
        burn_ns=draw(BURNS),
        spin_ns=draw(SPINS),
    )


PLANS = st.one_of(closed_plans(), open_plans())


@settings(deadline=None, max_examples=60)
@given(closed_plans(), SCRIPTS)
def test_every_nanosecond_of_a_closed_loop_is_accounted_for(plan: Plan, script: Script) -> None:
    done = played(Trace("", plan, script))["done"]
    spent = int(done["in_call_ns"]) + int(done["think_ns"]) + int(done["gap_ns"])
    assert spent == done["elapsed_ns"] or (spent, done["elapsed_ns"]) == (0, 1)


@settings(deadline=None, max_examples=60)
@given(PLANS, SCRIPTS)
def test_no_call_begins_after_the_limit(plan: Plan, script: Script) -> None:
    # There is one reading between the one that releases a client and the one that begins its call.
    limit = plan.start + plan.limit_ns
    assert all(started < limit + script.reading_takes_ns for started, _ in played(Trace("", plan, script))["made"])


@settings(deadline=None, max_examples=60)
@given(PLANS, SCRIPTS)
def test_calls_of_a_client_follow_each_other(plan: Plan, script: Script) -> None:
    made = played(Trace("", plan, script))["made"]
    moments = [moment for both in made for moment in both]
    assert moments == sorted(moments)
    assert all(moment >= plan.start for moment in moments)


@settings(deadline=None, max_examples=60)
@given(PLANS, SCRIPTS)
def test_all_calls_are_made_where_neither_limit_nor_errors_end_the_drive(plan: Plan, script: Script) -> None:
    expect = played(Trace("", replace(plan, limit_ns=60_000_000_000), script))
    made = expect["done"]["calls"] + sum(expect["done"]["errors"].values())
    assert expect["gave_up"] or made >= plan.calls
    if plan.length_ns == 0 and not expect["gave_up"]:
        assert made == plan.calls


@settings(deadline=None, max_examples=60)
@given(PLANS, SCRIPTS)
def test_the_counts_agree_with_each_other(plan: Plan, script: Script) -> None:
    done = played(Trace("", plan, script))["done"]
    assert 0 <= done["answered"] <= done["calls"]
    assert done["in_flight"] in (0, 1)
    assert 0 <= done["in_flight_part"] < 1
    assert 1 <= done["window_ns"] <= max(1, plan.limit_ns)
    for histogram in (done["latency"], done["service"], done["lateness"]):
        if histogram is not None:
            assert histogram["count"] == done["calls"] == sum(count for _, count in histogram["buckets"])
    assert (done["latency"] is None) == (done["timed"] == "batch") == (done["batch"] > 1)
    assert (done["gap_ns"] is None) == (plan.gaps is not None)


@settings(deadline=None, max_examples=60)
@given(open_plans(), SCRIPTS)
def test_lateness_is_part_of_the_latency_and_service_too(plan: Plan, script: Script) -> None:
    done = played(Trace("", plan, script))["done"]
    assert int(done["service"]["sum_ns"]) + int(done["lateness"]["sum_ns"]) <= int(done["latency"]["sum_ns"])


@settings(deadline=None, max_examples=60)
@given(closed_plans(), SCRIPTS)
def test_a_clock_that_costs_nothing_and_calls_of_one_length_have_no_gap(plan: Plan, script: Script) -> None:
    plan = Plan(length_ns=plan.length_ns, limit_ns=plan.limit_ns, calls=plan.calls, reading_ns=0, spin_ns=0)
    even = Script((Call(1 + script.calls[0].takes_ns),), plan.start, reading_takes_ns=0)
    done = played(Trace("", plan, even))["done"]
    assert done["gap_ns"] == "0"
    if done["calls"] and plan.calls == 0 and plan.limit_ns >= plan.length_ns:
        counted = done["answered"] + done["in_flight_part"]
        assert counted == pytest.approx(plan.length_ns / even.calls[0].takes_ns)
    assert len(played(Trace("", plan, even))["made"]) == min(MADE_SHOWN, done["calls"])
