"""A soak in virtual time, read as the command reads its journal."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from callbench.analysis.stability.findings import FAILING, outcome
from callbench.analysis.stability.slices import slice_record
from callbench.analysis.stability.soak_findings import soak_findings
from callbench.analysis.stability.soak_result import SoakResult, read
from callbench.runner.stability.soak import slice_s
from callbench.stats.decide.decision import Outcome
from known.driving import closed
from known.servers import SimulatedServer

if TYPE_CHECKING:
    from callbench.store.record import Record

CLIENTS = 4
SLICES = 100
TOOTH_BYTES = 2_000_000
_PAGE = 4096
_MACHINE = {"elapsed_ns": 10**9, "processors": 2, "busy_ns": 5 * 10**8, "steal_ns": 0, "ours_ns": 5 * 10**8,
            "known": True, "most": []}  # fmt: skip


@dataclass(frozen=True)
class Known:
    """A server, what it keeps of each call, and what a soak must find.

    Attributes:
        leak_bytes: resident memory kept a call.
        leak_files: descriptors kept a call.
        tooth_s: after how long a collector takes back what was allocated since; 0: there is none.
        scatter: of the pace of each slice, as the standard deviation of its logarithm.
        kinds: of the findings that must be shown; empty if it must pass.
    """

    make: Callable[[random.Random], SimulatedServer]
    kinds: frozenset[str] = frozenset()
    leak_bytes: float = 0.0
    leak_files: float = 0.0
    tooth_s: float = 0.0
    scatter: float = 0.0


def soaked(
    known: Known, dice: random.Random, clients: int = CLIENTS, seconds: float = SLICES, gap_s: float = 0.0
) -> SoakResult:
    """Soak a server in virtual time, and read the journal as the command does.

    Args:
        known: the server.
        dice: what chance decides.
        clients: of the step.
        seconds: of the step, whose slices are as long as the command's.
        gap_s: between two slices, in which the client reports.
    """
    server, length_s = known.make(dice), slice_s(seconds, None)
    lines: list[dict[str, Any]] = []
    calls, at_s, tooth = 0, 0.0, dice.random()
    while at_s < seconds:
        pace = math.exp(dice.gauss(0, known.scatter))
        slice_ = slice_record({**closed(server, clients, length_s / pace, begin_s=at_s), "error_messages": {}})
        slice_.pop("buckets", None)
        if "p50_us" in slice_:
            slice_["p50_us"] *= pace
        calls += slice_["calls"]
        # A process's memory wanders by some pages, and comes in whole ones.
        resident = 50_000_000 + known.leak_bytes * calls + dice.gauss(0, 8 * _PAGE)
        resident += TOOTH_BYTES * ((at_s / known.tooth_s + tooth) % 1) if known.tooth_s else 0
        files = 20 + int(known.leak_files * calls)
        side = {"user_ms": 5, "system_ms": 1, "threads_made": 0, "threads": 4, "threads_peak": 4, "files": files}
        side |= {"resident_bytes": int(resident // _PAGE * _PAGE), "resident_peak": int(resident)}
        side |= {"processes": 1, "threads_ended": 0}
        place = {"kind": "slice", "step": 0, "clients": clients, "start": 0, "at_s": at_s, "dead": False}
        lines.append({**place, **slice_, "sides": {"server": side}, "machine": _MACHINE})
        at_s = at_s + max(length_s, slice_["seconds"]) + gap_s
    run = SimpleNamespace(lines=lambda: iter(lines), state="finished", request={}, journal_file="a journal")
    return read(cast("Record", run))


def soak_outcome(known: Known, dice: random.Random, clients: int = CLIENTS) -> Outcome:
    """Return what the command would end with."""
    return outcome(soak_findings(soaked(known, dice, clients)), FAILING["soak"])
