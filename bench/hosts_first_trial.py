"""From `run --hosts a,b` to its first trial, and from one slice to the next: by agents, and by the local pair.

python bench/hosts_first_trial.py [--runs 10]
The agents run already, on the two network namespaces that the pair has, too. Each run is a process of its own; by
agents and by the pair in turn. The record says when the first slice that counts began, to the millisecond. What the
core, its scheduler and the agents compute until the end of a run stands beside it: it depends less on other programs.
Asked: 3 s until the first trial, and 5 ms between two slices.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "hosts"))

from between_slices import began, gaps_ms
from fleet_lab import entering
from two_hosts import NO_WARM_UP, SHORT_ROUNDS, TwoHosts, journal, rounds

from conftest import command

RUNS = 10
WAYS = {"agents": ("--hosts", "alpha,beta"), "the local pair": ("--link", "pair")}


def main() -> None:
    """Print a line for each way."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=RUNS)
    runs = options.parse_args().runs
    found: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as name, ExitStack() as stack:
        folder, two = Path(name), TwoHosts(Path(name), stack)
        (folder / "begin.toml").write_text(SHORT_ROUNDS)
        # The first run of each way finds caches cold, and does not count.
        for number in range(-1, runs):
            for way, words in WAYS.items():
                made = one_run(two, folder, f"{number}-{words[-1]}", words)
                if number >= 0:
                    found[way].append(made)
    print(f"{runs} runs each way, load {os.getloadavg()[0]:.0f}; asked: 3 s to the first trial, 5 ms between slices")
    for way, every in found.items():
        show(way, every)


def one_run(two: TwoHosts, folder: Path, out: str, words: tuple[str, ...]) -> dict[str, Any]:
    """Make a run. Return the seconds to its first trial, what it computed in seconds, and its gaps in ms."""
    environment = {**os.environ, "CALLBENCH_HOSTS": str(two.keys.folder)}
    line = [*entering(two.core), *command("run", "begin.toml", "--forks", "1", *NO_WARM_UP, *words, "--out", out)]
    before_s, began_s = agents_s(two), time.time()
    run = subprocess.Popen(line, env=environment, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode:
        sys.exit(f"{' '.join(words)} ended with {run.returncode}")
    slices = [[*line["slices"], *line["echoes"], *line["references"]] for line in rounds(journal(folder / out))]
    first = min(began(driven) for driven in slices[0] if "started" in driven)
    return {
        "first_s": first.timestamp() - began_s,
        "core_s": used.ru_utime + used.ru_stime,
        "agents_s": agents_s(two) - before_s,
        "gaps_ms": [gap for every in slices for gap in gaps_ms(every)],
    }


def agents_s(two: TwoHosts) -> float:
    """The processor seconds of the scheduler and the agents so far, and of the adapters that they have waited for."""
    return sum(sum(psutil.Process(program.process.pid).cpu_times()[:4]) for program in two.programs.values())


def show(way: str, every: list[dict[str, Any]]) -> None:
    """Print the medians of some runs."""
    first_s = sorted(made["first_s"] for made in every)
    gaps = sorted(gap for made in every for gap in made["gaps_ms"])
    computed = (f"{what} {statistics.median(made[f'{what}_s'] for made in every):.2f} s" for what in ("core", "agents"))
    print(
        f"by {way}: first trial after {statistics.median(first_s):.2f} s ({first_s[0]:.2f} to {first_s[-1]:.2f});"
        f" a run computes: {', '.join(computed)};"
        f" between two slices {statistics.median(gaps):.1f} ms, p95 {gaps[int(0.95 * len(gaps))]:.1f} ms"
    )


if __name__ == "__main__":
    main()
