"""What limited a cell, in a table and in words; and that few calls are not taken for a busy loop."""

from dataclasses import replace

import pytest

from callbench.analysis.cells import validity
from callbench.analysis.cells.costs import Cost
from callbench.analysis.cells.results import Latency, Result
from callbench.analysis.cells.table_rows import TrialRow
from callbench.analysis.cells.validity import CellFacts, CellValidity
from callbench.analysis.wording import limits
from callbench.stats.estimate.processor_time import ForkUse, ProcessorTime
from callbench.stats.load.bottleneck import Evidence, Limit, LimitVerdict, Side, verdict_of
from table_rows import TRIAL

BUSY = Evidence(50, in_process=False, client=Side(0.41, 0.4, 0.0, 0.0), server=Side(0.98, 0.97, 0.0, 0.0), driver=True)


def cell(limit: Limit) -> Result:
    attributes = {"cell": "c1", "stack": "x", "group": "g", "link": "loopback"}
    none = Latency(None, None, None)
    return Result(
        attributes, {}, 9, {}, 1, {}, None, none, batched=False, agree=True, verdict=LimitVerdict(limit, "why")
    )


def known(limit: Limit, client_us: float = 10.0, server_us: float = 17.0) -> CellValidity:
    spent = {"client_cpu_us": client_us, "server_cpu_us": server_us}
    cost = Cost({name: ProcessorTime({0: ForkUse(int(us * 1e6), 1, 1000)}) for name, us in spent.items()})
    return CellValidity("c1", BUSY, LimitVerdict(limit, "why"), "", (), cost, ())


def test_each_limit_has_a_word() -> None:
    words = {limits.word(cell(limit), None) for limit in Limit}
    assert "" not in words
    assert len(words) == len(Limit)
    assert limits.word(cell(Limit.GENERATOR), known(Limit.GENERATOR)) == "load driver"


def test_a_generator_that_others_starved_is_reported_as_their_work() -> None:
    one = known(Limit.GENERATOR)
    hungry = replace(one, evidence=replace(BUSY, client=Side(0.3, 0.3, 0.8, 0.6)))
    assert limits.word(cell(Limit.GENERATOR), hungry) == "other programs"
    assert limits.busy_shares(hungry) == "server needs 1.7 ×"


def test_beside_the_word_stands_how_busy_the_sides_were() -> None:
    assert limits.busy_shares(known(Limit.SERVER)) == "41 %, 98 %"
    assert limits.busy_shares(None) == ""


def test_where_others_worked_the_need_is_reported() -> None:
    assert limits.busy_shares(known(Limit.SHARED)) == "server needs 1.7 ×"
    assert limits.busy_shares(known(Limit.SHARED, 34.0)) == "client needs 2.0 ×"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["server", "server", "neither: waiting"], "50: server for all but C (neither: waiting)."),
        (["server", "server", "server"], "50: server for all."),
        (["server", "load driver", ""], "50: server for A; load driver for B."),
        (["", "", ""], ""),
    ],
)
def test_a_table_of_them_is_reported_in_a_sentence(words: list[str], told: str) -> None:
    assert limits.in_words(["50"], [(label, [word]) for label, word in zip("ABC", words, strict=True)]) == told


def row(calls: int, gap_ns: int) -> TrialRow:
    """A trial of 50 clients whose server answers one call after another, 100 ms each: the last one ends after 5 s."""
    return {
        **TRIAL, "clients": 50, "calls": calls, "error_count": 0, "elapsed_ns": 5_000_000_000,
        "window_ns": 5_000_000_000, "window_calls": calls,
        "in_call_ns": 50 * 2_550_000_000, "think_ns": 0, "gap_ns": gap_ns,
        "user_ns": 3_000_000_000, "system_ns": 0, "server_user_ns": 0, "server_system_ns": 0,
        "count": calls, "sum_ns": 1,
    }  # fmt: skip


@pytest.mark.parametrize(("calls", "limit"), [(50, Limit.UNSATURATED), (5_000, Limit.GENERATOR)])
def test_who_has_no_call_left_to_make_is_not_busy(calls: int, limit: Limit) -> None:
    mine = CellFacts("c1", in_process=False, together=False, half_width=None, plateaus=(), driver=True)
    trial = row(calls, 50 * 2_450_000_000)
    assert verdict_of(validity._evidence(mine, [trial], {})).limit is limit


def test_one_straggler_dilutes_no_share_and_blames_no_loop() -> None:
    """A server busy for all of a second, whose last call is answered after nine more: 50 clients wait for it."""
    mine = CellFacts("c1", in_process=False, together=False, half_width=None, plateaus=())
    trial: TrialRow = {
        **row(5_000, 49 * 9_000_000_000),
        "elapsed_ns": 10_000_000_000, "window_ns": 1_000_000_000, "window_calls": 4_999.1,
        "in_call_ns": 59_000_000_000, "user_ns": 200_000_000, "server_user_ns": 990_000_000,
    }  # fmt: skip
    evidence = validity._evidence(mine, [trial], {})
    assert evidence.server.busy == pytest.approx(0.99, rel=1e-3)
    assert evidence.loop == 0
    assert verdict_of(evidence).limit is Limit.SERVER
