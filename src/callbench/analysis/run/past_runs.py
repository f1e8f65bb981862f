"""The runs of a study that this machine made before: what they say of how a ratio differs from run to run."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from callbench.analysis.cells.read_results import read_rates
from callbench.analysis.cells.results import Result, Results
from callbench.analysis.run.earlier_runs import earlier_runs
from callbench.stats.estimate.run_spread import UNKNOWN, RunSpread, Table, Values, learned
from callbench.store.record import Record
from callbench.store.requested.run import RequestedRun

# Reading a run of 400 cells takes a tenth of a second, and a fifth run tells little that four have not.
_MOST_RUNS = 5
_LEAST_SHARED = 0.5


def spread(run: Record, now: Results) -> RunSpread:
    """Learn from this run, and the runs before it, how its ratios differ from run to run.

    Those count that lie beside it, are finished and of the same study, version and machine.

    Args:
        run: in the condition of idle states that is asked about.
        now: what it found.

    Raises:
        BadInput: the run is damaged.
    """
    before = [
        other
        for other in earlier_runs(run)
        if run.condition in (other.requested(RequestedRun).idle or (other.condition,))
    ]
    return spread_of([now, *(read_rates(other.under(run.condition)) for other in before[:_MOST_RUNS])])


def spread_beside(runs: Sequence[Record]) -> RunSpread:
    """Learn from the runs that lie beside some and were made before the last of them, without these themselves.

    Runs that are compared with each other may differ since something was changed, so they say nothing of chance.
    """
    own = {run.path.resolve() for run in runs}
    others = {other.path.resolve(): other for run in runs for other in earlier_runs(run)}
    newest = sorted(
        (other for path, other in others.items() if path not in own), key=lambda other: str(other.info["started"])
    )[-_MOST_RUNS:]
    return spread_of([read_rates(other.under(runs[0].condition)) for other in newest])


def spread_of(runs: Sequence[Results]) -> RunSpread:
    """Learn from runs how ratios differ from run to run: each ranking of the first with what the others have of it."""
    if len(runs) < 2:
        return UNKNOWN
    cells = [{cell.identity: cell for cell in results.cells if len(_rates(cell)) > 1} for results in runs]
    # A run of other cells would leave nothing that all runs have.
    cells = [
        cells_of_run
        for cells_of_run in cells
        if len(cells_of_run.keys() & cells[0].keys()) >= _LEAST_SHARED * len(cells[0])
    ]
    rankings: dict[tuple[str, ...], list[Result]] = {}
    for identity, cell in cells[0].items():
        if all(identity in others for others in cells[1:]):
            rankings.setdefault(cell.ranking, []).append(cell)
    return learned([_table(ranked, cells) for ranked in rankings.values()])


def _table(ranked: Sequence[Result], runs: Sequence[Mapping[tuple[str, ...], Result]]) -> Table:
    """Put together what runs found of the cells of one ranking."""
    return Table([cell.kind for cell in ranked], [_logs([cells[cell.identity] for cell in ranked]) for cells in runs])


def _logs(ranked: Sequence[Result]) -> Values:
    """Return the logarithms of the rates, a row a cell and a column a fork."""
    forks = sorted({fork for cell in ranked for fork in _rates(cell)})
    return np.array([[math.log(_rates(cell).get(fork, math.nan)) for fork in forks] for cell in ranked])


def _rates(cell: Result) -> Mapping[int, float]:
    return cell.by_fork.get("rate_per_s", {})
