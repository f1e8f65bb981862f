"""A line of a round, written and read as its type and as a plain dictionary, both in turn, in one run.

`bench/run journal_lines`, some 5 s. The line has twelve cells with a histogram each, as a run of a study writes it
after every round. Written: made, and turned into bytes; the disk is left out. Read: parsed, and checked as its type.
Fails where the type makes writing dearer by more than a tenth, or reading by more than half.
"""

import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from callbench.store.lines.driven import Counted, CpuAtEnds, CpuSoFar, Driven, StoredHistogram
from callbench.store.lines.rounds import RoundLine, SliceRecord
from callbench.store.lines.run import RUN_LINES

CELLS, BUCKETS = 12, 120
TURNS, EACH = 41, 60
MOST_WRITING, MOST_READING = 1.1, 1.5


def typed_line(dice: random.Random) -> RoundLine:
    """Make a line through its types."""
    return RoundLine(
        kind="round", fork=0, batch=0, round=3, idle="as it is", started="2026-11-28T18:39:02.000Z",
        slices=[_slice(number, dice) for number in range(CELLS)], echoes=[], references=[],
    )  # fmt: skip


def _slice(number: int, dice: random.Random) -> SliceRecord:
    ends = CpuAtEnds(
        start=CpuSoFar(user_ns="1000", system_ns="500"), end=CpuSoFar(user_ns="15000000", system_ns="4000000")
    )
    pairs = [(1000 + place, dice.randrange(1, 60)) for place in range(BUCKETS)]
    latency = StoredHistogram(count=2000, sum_ns="19000000", min_ns=7000, max_ns=90_000, buckets=pairs)
    done = Driven(
        calls=2000, errors={}, elapsed_ns=20_000_000, window_ns=20_000_000, answered=2000, in_flight=0,
        in_flight_part=0.0, timed="each", batch=1, latency=latency, service=None, lateness=None,
        in_call_ns="19000000", think_ns="0", gap_ns="800000", processor=ends, threads=1,
    )  # fmt: skip
    return SliceRecord(
        trial=number, cell=f"c{number:03d}", watched=False, started="2026-11-28T18:39:02.000Z", done=done,
        counted=Counted(calls={"Sum": 2000}, processor=ends, stages=None), backend=None, agree=True,
    )  # fmt: skip


def plain_line(dice: random.Random) -> dict[str, Any]:
    """Make the same line of plain dictionaries."""
    slices = []
    for number in range(CELLS):
        ends = {
            "start": {"user_ns": "1000", "system_ns": "500"},
            "end": {"user_ns": "15000000", "system_ns": "4000000"},
        }
        pairs = [(1000 + place, dice.randrange(1, 60)) for place in range(BUCKETS)]
        latency = {"count": 2000, "sum_ns": "19000000", "min_ns": 7000, "max_ns": 90_000, "buckets": pairs}
        done = {
            "calls": 2000, "errors": {}, "elapsed_ns": 20_000_000, "window_ns": 20_000_000, "answered": 2000,
            "in_flight": 0, "in_flight_part": 0.0, "timed": "each", "batch": 1, "latency": latency, "service": None,
            "lateness": None, "in_call_ns": "19000000", "think_ns": "0", "gap_ns": "800000", "processor": ends,
            "threads": 1,
        }  # fmt: skip
        slices.append({
            "trial": number, "cell": f"c{number:03d}", "watched": False, "started": "2026-11-28T18:39:02.000Z",
            "done": done, "counted": {"calls": {"Sum": 2000}, "processor": ends, "stages": None}, "backend": None,
            "agree": True,
        })  # fmt: skip
    return {
        "kind": "round", "fork": 0, "batch": 0, "round": 3, "idle": "as it is", "started": "2026-11-28T18:39:02.000Z",
        "slices": slices, "echoes": [], "references": [],
    }  # fmt: skip


def as_bytes(line: object) -> bytes:
    """Write it as the journal does."""
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode()


def ratio(plain: Callable[[], object], typed: Callable[[], object]) -> tuple[float, float, float]:
    """Give the microseconds of both, and the median of their ratios turn by turn."""
    took: dict[str, list[float]] = {"plain": [], "typed": []}
    for turn in range(TURNS):
        order = [("plain", plain), ("typed", typed)]
        for name, work in order if turn % 2 else reversed(order):
            began = time.process_time_ns()
            for _ in range(EACH):
                work()
            took[name].append((time.process_time_ns() - began) / EACH / 1e3)
    ratios = [b / a for a, b in zip(took["plain"], took["typed"], strict=True)]
    return statistics.median(took["plain"]), statistics.median(took["typed"]), statistics.median(ratios)


def main() -> int:
    """Print what both take. Return 1 where the type costs more than it may."""
    raw, other = (as_bytes(make(random.Random(1))) for make in (typed_line, plain_line))  # noqa: S311 - figures
    if raw != other:
        raise RuntimeError("both sides must write the same bytes")
    dice = random.Random(2)  # noqa: S311 - figures
    print(f"a line of {len(raw):,} bytes with {CELLS} cells")
    writing = ratio(lambda: as_bytes(plain_line(dice)), lambda: as_bytes(typed_line(dice)))
    reading = ratio(lambda: json.loads(raw), lambda: RUN_LINES.line(json.loads(raw)))
    for name, (plain, typed, times), most in (
        ("made and written", writing, MOST_WRITING),
        ("read", reading, MOST_READING),
    ):
        print(f"{name}: plain {plain:.0f} µs, typed {typed:.0f} µs, {times:.3f} times (at most {most})")
    return 0 if writing[2] <= MOST_WRITING and reading[2] <= MOST_READING else 1


if __name__ == "__main__":
    sys.exit(main())
