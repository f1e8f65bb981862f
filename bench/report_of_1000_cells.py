"""What a report of a thousand cells and a thousand million calls takes: reading, statistics, claims, charts, page.

To stay under 10 s and 400 MB, the first time, when Parquet is made from the journal, as well as later. Run it with
`python bench/report_of_1000_cells.py`; the run is synthetic, as the tests of the report make it. On a machine with
other things to do the clock says little: the processor time beside it is what the report itself needs. The summary in
the terminal, which `run` prints before it writes the page, and `show` are there for comparison.
"""

import io
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from rich.console import Console

from callbench.report import FORMATS, print_cells, print_summary
from callbench.report.subject import subject
from callbench.store import Run
from report.synthetic import write

LIMIT_S = 10.0
LIMIT_MB = 400.0
CALLS = 10**9


def reported(path: Path, started: float) -> None:
    """Report a run and print what it took, as JSON: seconds by the clock and of processor time, a pair a step."""
    took: dict[str, tuple[float, float]] = {"start": (time.monotonic() - started, time.process_time())}

    def timed(step: str, work: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the step makes
        clock, processor = time.monotonic(), time.process_time()
        made = work()
        took[step] = time.monotonic() - clock, time.process_time() - processor
        return made

    found = timed("read", lambda: subject(Run(path)))
    timed("page", lambda: FORMATS["html"](found))
    # Of one process that writes a page: what the steps below take comes on top.
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    console = Console(file=io.StringIO(), width=120)
    timed("summary", lambda: print_summary(found, console))
    timed("show", lambda: print_cells(found, console))
    figures = {
        "cells": len(found.results.cells),
        "trials": found.results.trials,
        "calls": sum(one.calls for one in found.results.cells),
        "took": took,
        "peak_mb": peak_mb,
    }
    print(json.dumps(figures))


def of_a_thousand_million_calls(path: Path) -> None:
    """Let every trial have made so many calls more that the run has 10^9: counts grow, lines do not."""
    journal = path / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    trials = [line["done"] for line in lines if line["kind"] == "trial"]
    factor = CALLS // sum(done["calls"] for done in trials) + 1
    for done in trials:
        done["calls"] *= factor
        done["elapsed_ns"] *= factor
        if done["latency"]:
            done["latency"]["count"] *= factor
            done["latency"]["sum_ns"] = str(int(done["latency"]["sum_ns"]) * factor)
            done["latency"]["buckets"] = [[index, count * factor] for index, count in done["latency"]["buckets"]]
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))


def main() -> int:
    """Measure twice, each time in a process of its own, and say so; 1 where a limit is passed."""
    if len(sys.argv) > 1:
        reported(Path(sys.argv[1]), float(sys.argv[2]))
        return 0
    passed = False
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "run", quick=False, clients=(1, 2, 4, 8, 16))
        of_a_thousand_million_calls(path)
        for which in ("first", "again"):
            child = [sys.executable, __file__, str(path), str(time.monotonic())]
            figures = json.loads(subprocess.run(child, check=True, capture_output=True, text=True).stdout)
            took = figures["took"]
            steps = ", ".join(f"{step} {clock:.1f} s ({processor:.1f})" for step, (clock, processor) in took.items())
            report_s = sum(took[step][0] for step in ("start", "read", "page"))
            print(
                f"{which}: {figures['cells']} cells, {figures['trials']} trials, {figures['calls']:.2g} calls, by the"
                f" clock (of processor time): {steps}; report {report_s:.1f} s, peak {figures['peak_mb']:.0f} MB",
                flush=True,
            )
            passed |= report_s > LIMIT_S or figures["peak_mb"] > LIMIT_MB
    return int(passed)


if __name__ == "__main__":
    sys.exit(main())
