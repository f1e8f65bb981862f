"""A server's report of its own time, as a table."""

import pytest

from callbench.report.studies.gateway.stages import _line, _StagedTrial, _StageRow

MS = 1_000_000


def fork(calls: int, used_ns: int, **stages: int) -> _StagedTrial:
    trial = _StagedTrial(calls, used_ns)
    for name, ns in stages.items():
        trial.stages[name] = _StageRow(
            cell="c1", fork=0, stage=name, ns=ns, processor_ns=ns, bytes=0, times=calls, calls=calls, used_ns=used_ns
        )
    return trial


def test_a_fork_below_the_tick_does_not_make_the_mean() -> None:
    # 10 ms over 1,000 and 0 over 3,000 calls are 2.5 us a call, not the mean of 10 and 0.
    forks = {0: fork(1000, 40 * MS, decode=30 * MS), 1: fork(3000, 120 * MS, decode=10 * MS)}
    decode, rest, whole = _line(forks, ["decode"], [], [])
    assert decode.startswith("10")
    assert (rest, whole) == ("30", "40")


@pytest.mark.parametrize(("ns", "written"), [(0, "under 10"), (10 * MS, "under 20")])
def test_what_the_clock_cannot_tell_is_no_0(ns: int, written: str) -> None:
    assert _line({0: fork(1000, 40 * MS, decode=ns)}, ["decode"], [], [])[0] == written


def test_a_stage_that_was_never_done_took_nothing() -> None:
    assert _line({0: fork(1000, 40 * MS, decode=30 * MS)}, ["decode", "transform"], [], [])[1] == "none"
