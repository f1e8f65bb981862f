"""Do two quick runs, one after the other, say the same?

Goal: 95 % of the ratios of two cells of a table have intervals that overlap, and the rank correlation of each table is
0.98.

`python bench/agreement.py [--budget 60s]`: three messages over four channels, two calls, in both conditions of idle
states where they can be held. A table is what is compared: a call, with its clients, over a link, in one condition.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from callbench.analysis import read_results
from callbench.stats.contrast import fork_ratios
from callbench.stats.interval import Interval, geometric_mean
from callbench.store.record import Record

ROOT = Path(__file__).resolve().parent.parent
MESSAGES, CHANNELS = ("soap", "json", "bin"), ("supertcp", "http-keepalive", "unix", "library")
CALLS = ("Sum", "GetPersons")
ASKED_OVERLAP, ASKED_RANKS = 0.95, 0.98
# A table of a run: by stack, its rate by fork.
Table = dict[str, dict[int, float]]
Place = tuple[str, str]


def made(folder: Path, budget: str) -> dict[Place, Table]:
    """Make a run, and give its tables by call and condition."""
    keys = ["link=loopback", *(f"group={call}" for call in CALLS)]
    keys += [f"stack=native/{message}+{channel}" for message in MESSAGES for channel in CHANNELS]
    chosen = [word for key in keys for word in ("--select", key)]
    argv = [str(ROOT / "callbench"), "run", "remobjects", "--quick", "--budget", budget, *chosen, "--out", str(folder)]
    ended = subprocess.run(argv, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if not (folder / "record.json").is_file():
        raise SystemExit(ended.stderr)
    run = Record(folder)
    with run.connection() as connection:
        places = {
            cell: (group, idle)
            for cell, group, idle in connection.execute('SELECT cell, "group", idle FROM cells').fetchall()
        }
    tables: dict[Place, Table] = {}
    for one in read_results.read(run).cells:
        rates = one.by_fork.get("rate_per_s")
        if rates:
            tables.setdefault(places[one.id], {})[one.attributes["stack"]] = dict(rates)
    return tables


def ratios(table: Table) -> dict[tuple[str, str], Interval]:
    """The ratio of each two cells of a table, with its 95 % interval."""
    found = {}
    for a, b in itertools.combinations(sorted(table), 2):
        of_forks = fork_ratios([table[b]], [table[a]])
        if len(of_forks) > 1:
            found[a, b] = geometric_mean(of_forks)
    return found


def overlap(one: Interval, other: Interval) -> bool:
    """Whether two intervals have a ratio in common."""
    ends = (one.low, one.high, other.low, other.high)
    low, high, their_low, their_high = (math.nan if end is None else end for end in ends)
    return low <= their_high and their_low <= high


def rank_correlation(one: Table, other: Table) -> float:
    """Spearman's, of the mean rates of the cells that both have."""
    from scipy import stats  # noqa: PLC0415 - it takes half a second to load

    both = sorted(one.keys() & other.keys())
    mine, theirs = ([geometric_mean(list(table[stack].values())).middle for stack in both] for table in (one, other))
    return float(stats.spearmanr(mine, theirs).statistic)


def main() -> int:
    """Make two runs and print how far they agree; return 1 if that is less than the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", default="60s", help="of each run (default 60s)")
    asked = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}", flush=True)
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as folder:
        first, second = (made(Path(folder) / name, asked.budget) for name in ("one", "two"))
    met = total = 0
    worst = 1.0
    for place in sorted(first.keys() & second.keys()):
        mine, theirs = (ratios(tables[place]) for tables in (first, second))
        pairs = mine.keys() & theirs.keys()
        alike = sum(overlap(mine[pair], theirs[pair]) for pair in pairs)
        ranks = rank_correlation(first[place], second[place])
        widths = sorted(mine[pair].half_width or 0.0 for pair in pairs)
        wide = widths[len(widths) // 2] * 100 if widths else math.nan
        print(
            f"{place[0]}, idle states {place[1]}: {len(first[place])} cells, {alike} of {len(pairs)} ratios overlap,"
            f" rank correlation {ranks:.3f}; interval of a ratio +/- {wide:.1f} % at the median",
            flush=True,
        )
        met, total, worst = met + alike, total + len(pairs), min(worst, ranks)
    share = met / total if total else 0.0
    print(f"intervals overlap: {share * 100:.1f} % of {total} ratios (asked: {ASKED_OVERLAP * 100:.0f} %)")
    print(f"rank correlation: {worst:.3f} at least (asked: {ASKED_RANKS})")
    print(f"load {os.getloadavg()[0]:.1f}")
    return int(share < ASKED_OVERLAP or worst < ASKED_RANKS)


if __name__ == "__main__":
    sys.exit(main())
