"""What a report of a thousand cells and a thousand million calls takes: reading, statistics, claims, charts, page.

To stay under 10 s and 500 MB, the first time, when Parquet is made from the journal, as well as later. Run it with
`python bench/report_of_1000_cells.py`; the run is synthetic, as the tests of the report make it.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from callbench.report import FORMATS
from callbench.report.subject import subject
from callbench.store import Run
from report.synthetic import write

LIMIT_S = 10.0
LIMIT_MB = 500.0
CALLS = 10**9


def reported(path: Path) -> None:
    """Report a run and print what it took, as JSON."""
    start = time.monotonic()
    found = subject(Run(path))
    read = time.monotonic()
    FORMATS["html"](found)
    end = time.monotonic()
    figures = {
        "cells": len(found.results.cells),
        "trials": found.results.trials,
        "calls": sum(one.calls for one in found.results.cells),
        "read_s": read - start,
        "page_s": end - read,
        "processor_s": time.process_time(),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
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
        reported(Path(sys.argv[1]))
        return 0
    passed = False
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "run", quick=False, clients=(1, 2, 4, 8, 16))
        of_a_thousand_million_calls(path)
        for which in ("first", "again"):
            child = [sys.executable, __file__, str(path)]
            figures = json.loads(subprocess.run(child, check=True, capture_output=True, text=True).stdout)
            print(
                f"{which}: {figures['cells']} cells, {figures['trials']} trials, {figures['calls']:.2g} calls: read"
                f" {figures['read_s']:.1f} s, page {figures['page_s']:.1f} s, of processor time"
                f" {figures['processor_s']:.1f} s with the start, peak {figures['peak_mb']:.0f} MB",
                flush=True,
            )
            passed |= figures["read_s"] + figures["page_s"] > LIMIT_S or figures["peak_mb"] > LIMIT_MB
    return int(passed)


if __name__ == "__main__":
    sys.exit(main())
