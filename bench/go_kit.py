"""What the Go kit costs a call over two readings of its clock, what its loop allocates, and how late its open loop is.

`bench/run go_kit`, or with the number of pairs and of rounds: `.venv/bin/python bench/go_kit.py 501 5`. The open loop
goes at half of what four clients of go/json+nethttp reach in a closed one, in turn with a goroutine that only waits, on
the same processors.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import open_loop

from callbench.adapter import placement
from callbench.adapter.stack.sides import Sides
from callbench.catalog import catalogue

ROOT = Path(__file__).resolve().parents[1]
KIT = ROOT / "adapters" / "go" / "kit"
STACK = "go/json+nethttp"
_METRIC = re.compile(r"([\d.]+(?:e[+-]?\d+)?) (\S+)")


def main() -> None:
    """Builds the benchmarks, and prints what they and the open loop say."""
    if shutil.which("go") is None:
        sys.exit("Go is not there: run `make go`")
    pairs = sys.argv[1] if len(sys.argv) > 1 else "501"
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as name:
        program = Path(name) / "kit.test"
        subprocess.run(["go", "test", "-c", "-o", program, "."], cwd=KIT, check=True)  # noqa: S607 - the Go that is there
        cost = measured(program, "Kit", pairs)
        print(
            f"two readings {cost['bare-ns/call']:.1f} ns, a call {cost['driven-ns/call']:.1f} ns,"
            f" ratio {cost['ratio']:.2f} (medians of {pairs} pairs);"
            f" allocations in 20,000 calls: {cost['allocations/drive']:.0f}"
        )
        known, where = catalogue.load(), placement.choose_placement()
        manifest = known.adapter("go").manifest

        def bare(gap_ns: int, count: int) -> tuple[float, float]:
            late = measured(program, "BareTimer", str(count), CALLBENCH_GAP_NS=str(gap_ns), processors=where.client)
            return late["p99-ns"], late["used-ns"]

        with Sides(manifest.both, where, in_process=False) as sides:
            rate = open_loop.half_of_closed(sides, STACK)
            open_loop.lateness(sides.client, STACK, (rate, rounds), bare, Path(name))


def measured(
    program: Path, benchmark: str, times: str, processors: tuple[int, ...] = (), **environ: str
) -> dict[str, float]:
    """The figures that a Go benchmark reports, by their units."""
    argv: list[str | Path] = [
        program,
        "-test.run",
        "^$",
        "-test.bench",
        f"^Benchmark{benchmark}$",
        "-test.benchtime",
        f"{times}x",
    ]
    said = subprocess.run(
        argv,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, **environ},
        preexec_fn=lambda: os.sched_setaffinity(0, processors) if processors else None,
    ).stdout
    line = next(line for line in said.splitlines() if line.startswith(f"Benchmark{benchmark}"))
    return {unit: float(value) for value, unit in _METRIC.findall(line)}


if __name__ == "__main__":
    main()
