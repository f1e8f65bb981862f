"""An overload in virtual time, read as the command reads its journal."""

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from callbench.adapter.contract import Done
from callbench.analysis.stability.findings import FAILING, outcome
from callbench.analysis.stability.overload_result import overload_findings, read
from callbench.analysis.stability.slices import slice_of, slice_record, times
from callbench.runner.drive.knees import objective_result
from callbench.stats.decide.decision import Outcome
from callbench.stats.load.recovery import recovery, slow_above
from callbench.store.lines.overload import (
    BeforeLine,
    CapacityLine,
    HalfLine,
    OverloadLine,
    OverloadTestLine,
    Phase,
)
from callbench.store.lines.sides import MachineUse
from known.driving import constant, opened
from known.servers import SimulatedServer

if TYPE_CHECKING:
    from callbench.store.record import Record

# How many times the capacity is asked for, for how long, and with how many calls in progress.
TIMES, OVER_S, CLIENTS = 10.0, 10.0, 200
OBJECTIVE = "p99 under 200 ms"
_SLICE_S, _BEFORE, _MOST_AFTER, _WITHIN = 1.0, 5, 60, 2.0


UNKNOWN = MachineUse(
    elapsed_ns=0, processors=1, busy_ns=0, steal_ns=0, ours_ns=0, known=False, most=[]
)  # fmt: skip


class _Test:
    """The journal of an overload, and the time that it has come to."""

    def __init__(self, server: SimulatedServer, capacity: float) -> None:
        self.server, self.capacity, self.at_s = server, capacity, 0.0
        self.lines: list[OverloadTestLine] = [CapacityLine(kind="capacity", rate_per_s=capacity, at_s=0.0)]

    def drive(self, rate: float, seconds: float) -> Done:
        done = opened(self.server, constant(rate, seconds), CLIENTS, seconds, begin_s=self.at_s)
        self.at_s += max(seconds, done["elapsed_ns"] / 1e9)
        return done

    def half(self, phase: Phase, factor: float) -> HalfLine:
        at_s, done = self.at_s, self.drive(self.capacity / 2, _SLICE_S)
        line = HalfLine(
            kind="slice",
            phase=phase,
            factor=factor,
            holds=objective_result(done, OBJECTIVE, self.capacity / 2)["holds"],
            at_s=at_s,
            **slice_record(done),
            dead=False,
            sides={},
            machine=UNKNOWN,
        )
        self.lines.append(line)
        return line

    def over(self) -> float:
        """Overload it; return until when."""
        began_s = self.at_s
        done = self.drive(self.capacity * TIMES, OVER_S)
        service, until_s = done["service"], began_s + OVER_S
        self.lines.append(
            OverloadLine(
                kind="over",
                factor=TIMES,
                holds=objective_result(done, OBJECTIVE, self.capacity * TIMES)["holds"],
                rate_asked_per_s=self.capacity * TIMES,
                at_s=began_s,
                until_s=until_s,
                **slice_record(done),
                service_us=times(dict(service["buckets"]), service["min_ns"], service["max_ns"])
                if service and service["count"]
                else {},
                intervals=done["intervals"],
                sides={},
                machine=UNKNOWN,
            )
        )
        return until_s


def overload_outcome(server: SimulatedServer, capacity: float) -> Outcome:
    """Return what the command would end with."""
    test = _Test(server, capacity)
    before_us = sorted(test.half("before", 0.0)["p50_us"] for _ in range(_BEFORE))[_BEFORE // 2]
    limit_us = slow_above(before_us, _WITHIN)
    test.lines.append(BeforeLine(kind="before", before_us=before_us, limit_us=limit_us, at_s=test.at_s))
    until_s = test.over()
    after = [slice_of(test.half("after", TIMES))]
    while recovery(after, until_s, limit_us) is None and len(after) < _MOST_AFTER:
        after.append(slice_of(test.half("after", TIMES)))
    run = SimpleNamespace(
        lines=lambda: iter([dict(line) for line in test.lines]),
        state="finished",
        request={},
        journal_file="a journal",
        requested=lambda _: SimpleNamespace(objective=OBJECTIVE),
    )
    return outcome(overload_findings(read(cast("Record", run))), FAILING["overload"])
