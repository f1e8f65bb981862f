"""Do two quick runs say the same, minutes or hours apart?

Goal: of the ratios of two cells of a table, at most 6 % differ by more than both intervals from run to run allow, and
the rank correlation of each table is 0.98. The intervals of the runs alone stand beside, for what hours differ by.

`python bench/agreement.py [--budget 60s] [--keep FOLDER]`: three messages over four channels, two calls, in both
conditions of idle states where they can be held. A table is what is compared: a call, with its clients, over a link,
in one condition. With `--keep`, runs stay in the folder: each later start makes one more and compares it with the one
before it, an hour or a day ago. Without it, two runs are made one after the other.
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
from typing import TYPE_CHECKING

from callbench.analysis.cells.results import Result
from callbench.analysis.run.subject import Subject, subject
from callbench.stats.estimate.interval import CONFIDENCE, geometric_mean, quantile
from callbench.store.record import Record

if TYPE_CHECKING:
    from callbench.stats.estimate.logratio import LogRatio

ROOT = Path(__file__).resolve().parent.parent
MESSAGES, CHANNELS = ("soap", "json", "bin"), ("supertcp", "http-keepalive", "unix", "library")
CALLS = ("Sum", "GetPersons")
ASKED_BEYOND, ASKED_RANKS = 0.06, 0.98
# What the two runs share of a table: by stack, the cell of each.
Table = dict[str, tuple[Result, Result]]


def made(folder: Path, budget: str) -> Path:
    """Make a run, and return its folder."""
    keys = ["link=loopback", *(f"group={call}" for call in CALLS)]
    keys += [f"stack=native/{message}+{channel}" for message in MESSAGES for channel in CHANNELS]
    chosen = [word for key in keys for word in ("--select", key)]
    argv = [str(ROOT / "callbench"), "run", "remobjects", "--quick", "--budget", budget, *chosen, "--out", str(folder)]
    ended = subprocess.run(argv, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if not (folder / "record.json").is_file():
        raise SystemExit(ended.stderr)
    return folder


def tables(first: Subject, second: Subject) -> dict[tuple[str, ...], Table]:
    """Pair the cells of two runs, by ranking."""
    theirs = {cell.identity: cell for cell in second.results.cells}
    found: dict[tuple[str, ...], Table] = {}
    for cell in first.results.cells:
        if cell.forks > 1 and cell.identity in theirs and theirs[cell.identity].forks > 1:
            found.setdefault(cell.ranking, {})[cell.attributes["stack"]] = cell, theirs[cell.identity]
    return found


def is_beyond(one: LogRatio, other: LogRatio) -> bool:
    """Return whether two estimates of a ratio differ by more than both of their intervals allow."""
    reach = [quantile(known.freedom, CONFIDENCE) * known.error for known in (one, other)]
    return abs(one.log - other.log) > math.hypot(*reach)


def beyond_shares(first: Subject, second: Subject, table: Table) -> tuple[int, int, int]:
    """Count the ratios of a table, those beyond the intervals of the runs alone, and those beyond from run to run."""
    total = alone = lasting = 0
    for a, b in itertools.combinations(sorted(table), 2):
        plain, wide = [], []
        for side, found in enumerate((first.results, second.results)):
            cells = table[b][side], table[a][side]
            known = found.estimated(*cells)
            if known is None:
                continue
            plain.append(known)
            # What is known once the second run is there: it is the history that the second was read with.
            wide.append(second.results.run_spread.beyond(known, [cell.kind for cell in cells]) or known)
        if len(plain) == 2:
            total += 1
            alone += is_beyond(*plain)
            lasting += is_beyond(*wide)
    return total, alone, lasting


def rank_correlation(table: Table) -> float:
    """Return Spearman's, of the mean rates of the cells."""
    from scipy import stats  # noqa: PLC0415 - it takes half a second to load

    mine, theirs = (
        [geometric_mean(list(cells[side].by_fork["rate_per_s"].values())).middle for cells in table.values()]
        for side in (0, 1)
    )
    return float(stats.spearmanr(mine, theirs).statistic)


def compare(earlier: Path, later: Path) -> int:
    """Print how far two runs agree; return 1 if that is less than the goal."""
    sums, worst = [0, 0, 0], 1.0
    for condition in Record(later).request["idle"]:
        first, second = (subject(Record(folder).under(condition)) for folder in (earlier, later))
        for (group, *_), table in tables(first, second).items():
            counts = beyond_shares(first, second, table)
            ranks = rank_correlation(table)
            print(
                f"{group}, idle states {condition}: {len(table)} cells; of {counts[0]} ratios, {counts[1]} beyond both"
                f" intervals of the runs alone, {counts[2]} from run to run; rank correlation {ranks:.3f}",
                flush=True,
            )
            sums, worst = [count + more for count, more in zip(sums, counts, strict=True)], min(worst, ranks)
    total, alone, lasting = sums
    print(f"beyond both intervals of the runs alone: {100 * alone / max(1, total):.1f} % of {total} ratios")
    print(f"beyond both from run to run: {100 * lasting / max(1, total):.1f} % (asked: {100 * ASKED_BEYOND:.0f} %)")
    print(f"rank correlation: {worst:.3f} at least (asked: {ASKED_RANKS})")
    print(f"load {os.getloadavg()[0]:.1f}")
    return int(lasting > ASKED_BEYOND * total or worst < ASKED_RANKS)


def main() -> int:
    """Make two runs, or one more, and compare the last two."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", default="60s", help="of each run (default 60s)")
    parser.add_argument("--keep", type=Path, help="folder of the runs (default: a temporary one)")
    asked = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}", flush=True)
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as temporary:
        folder = asked.keep or Path(temporary)
        runs = sorted(file.parent for file in folder.glob("run-*/record.json"))
        while True:
            runs.append(made(folder / f"run-{len(runs):03}", asked.budget))
            if len(runs) > 1:
                return compare(*runs[-2:])


if __name__ == "__main__":
    sys.exit(main())
