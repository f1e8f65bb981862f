"""What the Node.js kit costs a call over two readings of its clock, what its loop allocates, how late its open loop is.

`bench/run node_kit`, or with the number of pairs and of rounds: `.venv/bin/python bench/node_kit.py 501 5`. The open
loop goes at half of what four clients of node/json+http reach in a closed one, in turn with a loop that only waits, on
the same processors: by timers as Node.js has them, then by turns of the event loop as the kit does. What is allocated
are bytes of the heap, beside a loop that does nothing but await, in a process that has so much room that nothing is
collected meanwhile; there, memory that is new would be most of the time.
"""

import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import open_loop

from callbench.adapter import placement
from callbench.adapter.stack.sides import Sides
from callbench.catalog import catalogue

BENCH = Path(__file__).resolve().parents[1] / "adapters" / "node" / "bench"
STACK = "node/json+http"
# In MiB: more than it allocates in all.
_ROOM = ("--min-semi-space-size=512", "--max-semi-space-size=512")
MOST = 2.0


def main() -> None:
    """Prints what the kit costs, then how late it is."""
    pairs = sys.argv[1] if len(sys.argv) > 1 else "501"
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    cost = said((), BENCH / "cost.mjs", pairs)
    verdict = "within" if cost["ratio"] <= MOST else "beyond"
    print(
        f"two readings {cost['read_ns']:.1f} ns, a call {cost['driven_ns']:.1f} ns, of which an await alone"
        f" {cost['awaited_ns']:.1f} ns; ratio {cost['ratio']:.2f} (medians of {pairs} pairs): {verdict} {MOST:g}"
    )
    for calls in (5_000, 20_000):
        heap = said((), *_ROOM, BENCH / "cost.mjs", "21", str(calls))
        kit = (heap["driven_bytes"] - heap["awaited_bytes"]) * calls
        each = heap["awaited_bytes"]
        print(f"a drive of {calls:,} calls allocates {each:.1f} bytes an await, and {kit:,.0f} bytes besides in all")
    known, where = catalogue.load(), placement.choose_placement()
    manifest = known.adapter("node").manifest
    with tempfile.TemporaryDirectory() as name, Sides(manifest.both, where, in_process=False) as sides:
        rate = open_loop.half_of_closed(sides, STACK)
        for how in ("timers", "turns"):
            print(f"the bare loop waits by {how}:")
            timer = functools.partial(bare, where.client, how)
            open_loop.lateness(sides.client, STACK, (rate, rounds), timer, Path(name))


def bare(processors: tuple[int, ...], how: str, gap_ns: int, count: int) -> tuple[float, float]:
    """The bare timer loop: 99th percentile of its lateness, and its processor time, in ns."""
    p99, used = said(processors, BENCH / "timer.mjs", str(gap_ns), str(count), how)
    return p99, used


def said(processors: tuple[int, ...], *argv: str | Path) -> Any:  # noqa: ANN401 - JSON
    """What a program of Node.js prints, on these processors, or on any."""
    ended = subprocess.run(
        ["node", *argv],  # noqa: S607 - the Node.js that is there
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, processors) if processors else None,
    )
    return json.loads(ended.stdout)


if __name__ == "__main__":
    main()
