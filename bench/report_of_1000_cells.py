"""What a report of a thousand cells and a thousand million calls takes: reading, statistics, claims, charts, page.

To stay under 10 s and 400 MB, the first time, when Parquet is made from the journal, as well as later. Run it with
`python bench/report_of_1000_cells.py`; the run is synthetic, as the tests of the report make it. On a machine with
other things to do the clock says little: the processor time beside it is what the report itself needs. The summary in
the terminal, which `run` prints before it writes the page, and `show` are there for comparison.
"""

import io
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from rich.console import Console

from callbench.analysis.run.subject import subject
from callbench.report.export.formats import FORMATS
from callbench.report.terminal import print_cells, print_summary
from callbench.store.columns import MEASURED
from callbench.store.record import Record
from report.synthetic import write

LIMIT_S = 10.0
LIMIT_MB = 400.0
CALLS = 10**9
ROUNDS = 10
# Of a trial's buckets, those that a slice has.
SHARE = 0.6


def peak_kb() -> int:
    """Read the most memory this program had: what getrusage says is at least what its parent had."""
    status = Path("/proc/self/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")))


def reported(path: Path, started: float) -> None:
    """Report a run and print what it took, as JSON: seconds by the clock and of processor time, a pair a step."""
    took: dict[str, tuple[float, float]] = {"start": (time.monotonic() - started, time.process_time())}

    def timed(step: str, work: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the step makes
        clock, processor = time.monotonic(), time.process_time()
        made = work()
        took[step] = time.monotonic() - clock, time.process_time() - processor
        return made

    found = timed("read", lambda: subject(Record(path)))
    timed("page", lambda: FORMATS["html"](found))
    # Of one process that writes a page: what the steps below take comes on top.
    peak_mb = peak_kb() / 1024
    console = Console(file=io.StringIO(), width=120)
    timed("summary", lambda: print_summary(found, console))
    timed("show", lambda: print_cells(found, console))
    figures = {
        "cells": len(found.results.cells),
        "valued": sum(cell.rate is not None for cell in found.results.cells),
        "trials": found.results.trials,
        "calls": sum(cell.calls for cell in found.results.cells),
        "took": took,
        "peak_mb": peak_mb,
    }
    print(json.dumps(figures))


def of_a_thousand_million_calls(path: Path) -> None:
    """Give every trial so many more calls that the run has 10^9: counts grow, lines do not."""
    journal = path / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    trials = [line["done"] for line in lines if line["kind"] == "trial"]
    factor = CALLS // sum(done["calls"] for done in trials) + 1
    for done in trials:
        done["calls"] *= factor
        done["elapsed_ns"] *= factor
        done["in_call_ns"] = str(int(done["in_call_ns"]) * factor)
        if done["latency"]:
            done["latency"]["count"] *= factor
            done["latency"]["sum_ns"] = str(int(done["latency"]["sum_ns"]) * factor)
            done["latency"]["buckets"] = [[index, count * factor] for index, count in done["latency"]["buckets"]]
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))


def in_slices(path: Path) -> None:
    """Write every trial as a run of today has it: a slice in each round of its fork, with its share of the calls.

    A slice has fewer calls than a trial, so that it has not all of its buckets. Its clients call at the same time,
    which the trials disregard: by Little's law, cells of several clients would have no values.
    """
    clients = {cell["id"]: cell["clients"] for cell in json.loads((path / "plan.json").read_text())["cells"]}
    journal, some = path / "journal.jsonl", random.Random(1)  # noqa: S311 - figures, no secrets
    kept: list[dict[str, Any]] = []
    rounds: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for line in map(json.loads, journal.read_text().splitlines()):
        if line["kind"] != "trial":
            kept.append(line)
            continue
        warmed = {name: line[name] for name in ("trial", "cell", "fork", "start", "warm_up")}
        kept.append({"kind": "warmed", **warmed, "unsteady": ""})
        for number in range(ROUNDS):
            own = {name: value for name, value in line.items() if name in MEASURED}
            rounds.setdefault((line["fork"], number), []).append(
                {**own, "done": _slice(line["done"], clients[line["cell"]], some)}
            )
    for (fork, number), slices in rounds.items():
        line = {"kind": "round", "fork": fork, "batch": 0, "round": number, "idle": "as it is", "slices": slices}
        kept.append({**line, "started": slices[0]["started"], "echoes": [], "references": []})
    # As the journal's writer does it.
    journal.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in kept))


def _slice(done: dict[str, Any], clients: int, some: random.Random) -> dict[str, Any]:
    """Take a slice's share of a trial."""
    part = {"calls": done["calls"] // ROUNDS, "elapsed_ns": done["elapsed_ns"] // ROUNDS // clients}
    part["in_call_ns"] = str(int(done["in_call_ns"]) // ROUNDS)
    latency = done["latency"]
    if latency:
        buckets = [[index, max(1, count // ROUNDS)] for index, count in latency["buckets"] if some.random() < SHARE]
        # The mean stays: by Little's law, a cell with another one has no value.
        count = sum(count for _, count in buckets)
        sums = {"count": count, "sum_ns": str(int(latency["sum_ns"]) * count // latency["count"])}
        latency = {**latency, **sums, "buckets": buckets}
    return {**done, **part, "latency": latency, "intervals": []}


def main() -> int:
    """Measure twice, each time in its own process; return 1 if a limit is exceeded."""
    if len(sys.argv) > 1:
        reported(Path(sys.argv[1]), float(sys.argv[2]))
        return 0
    passed = False
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "run", quick=False, clients=(1, 2, 4, 8, 16))
        of_a_thousand_million_calls(path)
        in_slices(path)
        for which in ("first", "again"):
            child = [sys.executable, __file__, str(path), str(time.monotonic())]
            figures = json.loads(subprocess.run(child, check=True, capture_output=True, text=True).stdout)
            took = figures["took"]
            steps = ", ".join(f"{step} {clock:.1f} s ({processor:.1f})" for step, (clock, processor) in took.items())
            report_s = sum(took[step][0] for step in ("start", "read", "page"))
            print(
                f"{which}: {figures['cells']} cells, {figures['valued']} with a rate, {figures['trials']} trials,"
                f" {figures['calls']:.2g} calls, by the clock (of processor time): {steps}; report {report_s:.1f} s,"
                f" peak {figures['peak_mb']:.0f} MB",
                flush=True,
            )
            passed |= report_s > LIMIT_S or figures["peak_mb"] > LIMIT_MB
    return int(passed)


if __name__ == "__main__":
    sys.exit(main())
