"""A soak in virtual time, read as the command reads its journal."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from callbench.analysis.stability.findings import FAILING, outcome
from callbench.analysis.stability.slices import slice_record
from callbench.analysis.stability.soak_findings import soak_findings
from callbench.analysis.stability.soak_result import SoakResult, read
from callbench.stats.decide.decision import Outcome
from known.driving import closed
from known.servers import SimulatedServer

if TYPE_CHECKING:
    from callbench.store.record import Record

CLIENTS = 4
SLICES = 100
_PAGE = 4096
_MACHINE = {"elapsed_ns": 10**9, "processors": 2, "busy_ns": 5 * 10**8, "steal_ns": 0, "ours_ns": 5 * 10**8,
            "known": True, "most": []}  # fmt: skip


@dataclass(frozen=True)
class Known:
    """A server, what it keeps of each call, and what a soak must find.

    Attributes:
        leak_bytes: resident memory kept a call.
        leak_files: descriptors kept a call.
        kinds: of the findings that must be shown; empty if it must pass.
    """

    make: Callable[[random.Random], SimulatedServer]
    kinds: frozenset[str] = frozenset()
    leak_bytes: float = 0.0
    leak_files: float = 0.0


def soaked(known: Known, dice: random.Random, clients: int = CLIENTS) -> SoakResult:
    """Soak a server in virtual time, and read the journal as the command does."""
    server = known.make(dice)
    lines: list[dict[str, Any]] = []
    calls = 0
    for number in range(SLICES):
        slice_ = slice_record({**closed(server, clients, 1.0, begin_s=float(number)), "error_messages": {}})
        slice_.pop("buckets", None)
        calls += slice_["calls"]
        # A process's memory wanders by some pages, and comes in whole ones.
        resident = 50_000_000 + known.leak_bytes * calls + dice.gauss(0, 8 * _PAGE)
        files = 20 + int(known.leak_files * calls)
        side = {"user_ms": 5, "system_ms": 1, "threads_made": 0, "threads": 4, "threads_peak": 4, "files": files}
        side |= {"resident_bytes": int(resident // _PAGE * _PAGE), "resident_peak": int(resident)}
        side |= {"processes": 1, "threads_ended": 0}
        place = {"kind": "slice", "step": 0, "clients": clients, "start": 0, "at_s": float(number), "dead": False}
        lines.append({**place, **slice_, "sides": {"server": side}, "machine": _MACHINE})
    run = SimpleNamespace(lines=lambda: iter(lines), info={"state": "finished"}, request={}, path="")
    return read(cast("Record", run))


def soak_outcome(known: Known, dice: random.Random, clients: int = CLIENTS) -> Outcome:
    """Return what the command would end with."""
    return outcome(soak_findings(soaked(known, dice, clients)), FAILING["soak"])
