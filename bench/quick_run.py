"""The quick RemObjects run: how long it measures, how narrow its ratios are, how many of the claims it decides.

For each condition of the machine's idle states: half of the 95 % interval of the ratio of two cells of one table, at
the median and at the 90th percentile of all pairs, and the claims that are left undecided, each with its reason. Also
the cells whose rate is only "at least", the share of the time that the load loop took, and half of the interval of the
rate, of the time in echoes and of p99 of each cell.
Options: --run FOLDER of a run that is there already (else one is made, in some seven minutes).
"""

import argparse
import itertools
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from callbench.analysis.judge.claims import Verdict
from callbench.analysis.run.subject import CONDITIONS, Subject, subject
from callbench.stats.estimate.interval import CONFIDENCE
from callbench.store.record import Record

SECONDS = 360.0
MEDIAN, NINETIETH = 0.05, 0.10
UNDECIDED = 2
AT_LEAST = 2
# Of a cell, at the median and at the 90th percentile; p99 has no goal.
WIDTHS = {"rate_per_s": (0.06, 0.10), "echoes": (0.06, 0.12), "p99_us": None}


def main() -> None:
    """Print goals and measured values."""
    parser = argparse.ArgumentParser(description="the quick RemObjects run")
    parser.add_argument("--run", type=Path)
    asked = parser.parse_args()
    if asked.run is not None:
        _told(Record(asked.run))
        return
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        _made(out)
        _told(Record(out))


def _made(out: Path) -> None:
    from callbench import cli  # noqa: PLC0415 - only where a run is made

    sys.argv = ["callbench", "run", "remobjects", "--quick", "--out", str(out)]
    try:
        cli.main()
    except SystemExit as ended:
        if ended.code:
            print(f"the run ended with {ended.code}")


def _told(run: Record) -> None:
    seconds = sum(line["seconds"] for line in run.lines() if line["kind"] == "fork over")
    print(f"forks took {seconds:.0f} s (asked: {SECONDS:.0f})")
    whole = subject(run)
    for condition, measured in {run.condition: whole, **whole.others}.items():
        print(f"\n{CONDITIONS[condition]}")
        _widths(measured)
        _cells(measured)
        open_ = [claim for claim in measured.judged if claim.verdict is Verdict.UNDECIDED]
        print(f"claims undecided: {len(open_)} of {len(measured.judged)} (asked: at most {UNDECIDED})")
        for claim in open_:
            ratio = claim.deciding.ratio
            ends = f"{ratio.low:.3f} to {ratio.high:.3f}" if ratio is not None and ratio.low and ratio.high else ""
            print(f"  {claim.id}: {claim.deciding.comparison.label}: {ends}, needed {claim.deciding.threshold}")


def _widths(measured: Subject) -> None:
    tables: dict[tuple[str, ...], list[str]] = {}
    cells = {cell.id: cell for cell in measured.results.cells if cell.ranked}
    for cell in cells.values():
        key = tuple(cell.attributes[name] for name in ("group", "clients", "link"))
        tables.setdefault(key, []).append(cell.id)
    pairs = (pair for mine in tables.values() for pair in itertools.combinations(mine, 2))
    known = [measured.results.estimated(cells[first], cells[second]) for first, second in pairs]
    widths = [each.interval(CONFIDENCE).half_width for each in known if each is not None]
    found = np.quantile([width for width in widths if width is not None], [0.5, 0.9])
    forks = max((cell.forks for cell in cells.values()), default=0)
    what = f"half-width of the ratio of two cells of a table, {len(widths):,} pairs, {forks} forks"
    values = f"median {100 * found[0]:.1f} %, 90th percentile {100 * found[1]:.1f} %"
    print(f"{what}: {values} (asked: {100 * MEDIAN:.0f}; {100 * NINETIETH:.0f})")


def _cells(found: Subject) -> None:
    cells = [cell for cell in found.results.cells if cell.rate is not None]
    bounds = [cell for cell in cells if cell.at_least]
    print(f"cells that are at least: {len(bounds)} of {len(cells)} (asked: at most {AT_LEAST})")
    for cell in bounds:
        print(f"  {cell.attributes['stack']} {cell.attributes['group']}: {'; '.join(cell.whys)}")
    shares = [float(np.mean(list(cell.loop.shares.values()))) for cell in cells if cell.loop is not None]
    if shares:
        print(f"the loop's own time, taken off in {len(shares)} cells: {_both(shares)}, most {100 * max(shares):.1f} %")
    for name, goal in WIDTHS.items():
        known = [interval.half_width for cell in cells if (interval := cell.interval(name)) is not None]
        widths = [width for width in known if width is not None]
        asked = f" (asked: {100 * goal[0]:.0f}; {100 * goal[1]:.0f})" if goal else ""
        if widths:
            print(f"half-width of {name}, {len(widths)} cells: {_both(widths)}{asked}")


def _both(shares: Sequence[float]) -> str:
    median, ninetieth = np.quantile(shares, [0.5, 0.9])
    return f"median {100 * median:.1f} %, 90th percentile {100 * ninetieth:.1f} %"


if __name__ == "__main__":
    main()
