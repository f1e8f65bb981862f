"""A run's slices of several clients: no rate without a doubt that the truth contradicts, whoever waits for whom."""

import math
import random
import re
import statistics
from collections.abc import Callable, Sequence

import duckdb
import pytest

from callbench.adapter.contract import Done
from callbench.analysis.cells.cell_results import result_of
from callbench.analysis.cells.messages import MessageTimes
from callbench.analysis.cells.results import Result
from callbench.analysis.cells.table_rows import ForkRow
from callbench.model.cell import Cell, Load
from callbench.runner.drive.long_calls import LongCalls
from callbench.runner.drive.slices import has_enough_slices, length_of
from callbench.stats.load.rate import Window, together, uncut
from callbench.store.columns import uncut_calls
from known.driving import closed
from known.servers import Pool, SimulatedServer
from table_rows import CELL, FORK

SERVICE_S, ROUNDS, FORKS = 0.001, 24, 6
# One call of 1,000 takes 300 ms, or one of 20 ten times as long.
RARE, OFTEN = (0.001, 300.0), (0.05, 10.0)

Kind = tuple[Callable[[random.Random], SimulatedServer], float]


def pool(workers: int, slow: tuple[float, float]) -> Kind:
    """A pool some of whose calls are slow, and its capacity."""
    one = Pool(workers, SERVICE_S, slow_share=slow[0], slow_factor=slow[1])
    return lambda dice: Pool(workers, SERVICE_S, slow_share=slow[0], slow_factor=slow[1], dice=dice), one.capacity_per_s


KINDS: dict[str, Callable[[int], Kind]] = {
    "lock with rare stalls": lambda _: pool(1, RARE),
    "half as many workers with rare stalls": lambda clients: pool(max(1, clients // 2), RARE),
    "a worker for each with rare stalls": lambda clients: pool(clients, RARE),
    "lock, bimodal": lambda _: pool(1, OFTEN),
    "half as many workers, bimodal": lambda clients: pool(max(1, clients // 2), OFTEN),
    "a worker for each, bimodal": lambda clients: pool(clients, OFTEN),
    "lock": lambda _: pool(1, (0.0, 1.0)),
    "a worker for each": lambda clients: pool(clients, (0.0, 1.0)),
}


def without_what_was_cut(window: Window, clients: int, calls: int, spent_ns: int) -> Window:
    """As `uncut_calls` without SQL: the window of a single client is whole."""
    return window if clients < 2 else uncut(window, clients, calls, spent_ns)


def row_of(fork: int, clients: int, dones: Sequence[Done]) -> ForkRow:
    """A fork's sums, as the tables have them."""
    calls, spent_ns = sum(done["calls"] for done in dones), sum(int(done["in_call_ns"]) for done in dones)
    window = without_what_was_cut(together(dones), clients, calls, spent_ns)
    elapsed_ns = sum(done["elapsed_ns"] for done in dones)
    times = [latency for done in dones if (latency := done["latency"]) is not None]
    return {
        **FORK, "fork": fork, "calls": calls, "count": calls, "sum_ns": spent_ns, "in_call_ns": spent_ns,
        "elapsed_ns": elapsed_ns, "window_ns": window.ns, "window_calls": window.calls, "in_flight": window.in_flight,
        "min_ns": min(one["min_ns"] for one in times), "max_ns": max(one["max_ns"] for one in times),
        "slices": len(dones),
    }  # fmt: skip


def measured(kind: str, clients: int, seed: int, *, lengthen: bool = True) -> tuple[Result, float]:
    """Measure a simulated server as a run does, fork by fork. Return the cell and its true rate."""
    make, truth = KINDS[kind](clients)
    dice, long_calls = random.Random(f"{kind} {clients} {seed}"), LongCalls()  # noqa: S311 - to be repeated
    cell, rows = Cell("c1", "g", "a/x+y", "Sum", {}, Load(clients, 4, 0.02)), []
    first = length_of(cell.load)
    for fork in range(FORKS):
        dones: list[Done] = []
        for _ in range(ROUNDS):
            if has_enough_slices(sum(done["elapsed_ns"] for done in dones) / 1e9, len(dones)):
                break
            length = long_calls.lengthened(cell, first) if lengthen else first
            # A slice lasts for its calls too.
            dones.append(closed(make(dice), clients, max(length.seconds, length.calls / truth)))
            long_calls.add_slice(cell, first, dones[-1])
        rows.append(row_of(fork, clients, dones))
    return result_of({**CELL, "clients": clients}, rows, {}, {}, MessageTimes([]), []), truth


SEEDS = 4


@pytest.mark.parametrize("clients", [1, 2, 8, 32])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_rate_is_that_of_a_long_drive(kind: str, clients: int) -> None:
    """Slices of 20 ms said 1.2 to 1.3 times the rate of 2 to 64 clients where a call of 1,000 takes 300 ms."""
    missed, logs = 0, []
    for seed in range(SEEDS):
        found, truth = measured(kind, clients, seed)
        assert found.rate is not None
        low, high = found.rate.low, found.rate.high
        assert low is not None
        assert high is not None
        # Of a queue one call of 20 is in flight at the end, and counts for nothing.
        missed += found.ranked and not low / 1.02 <= truth <= high * 1.06
        logs.append(math.log(found.rate.middle / truth))
    # 95 % intervals miss one of 20, and those of a few stalls in each fork more.
    assert missed <= 1
    # A stall of 300 ms in each 1,000 calls makes six forks of one client vary by 15 %.
    assert abs(statistics.fmean(logs)) < (0.15 if "rare" in kind else 0.06)


@pytest.mark.parametrize("clients", [8, 32])
def test_where_slices_stay_short_the_rate_is_at_most_that(clients: int) -> None:
    """A stalled worker holds up the others for 300 ms, and in a slice for 20 at most: 14 % too fast."""
    for seed in range(SEEDS):
        found, truth = measured("half as many workers with rare stalls", clients, seed, lengthen=False)
        assert found.at_most
        assert not found.ranked
        assert found.rate is not None
        assert found.rate.high is not None
        assert truth <= found.rate.high
        assert re.fullmatch("a call took 30[0-9] ms, and slices took 20 ms", found.whys[0])


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("clients", [1, 2, 8])
def test_tables_have_the_same_calls(kind: str, clients: int) -> None:
    make, _ = KINDS[kind](clients)
    dice = random.Random(3)  # noqa: S311 - to be repeated
    row = row_of(0, clients, [closed(make(dice), clients, 0.02) for _ in range(200)])
    whole = together([closed(make(random.Random(4)), clients, 0.02)])  # noqa: S311 - to be repeated
    in_call_ns = row["in_call_ns"] or 0
    sums: dict[str, float | None] = {"calls": row["calls"], "in_call_ns": in_call_ns, "window_ns": row["window_ns"]}
    sums |= {"window_calls": whole.calls * 200, "think_ns": None}
    given = ", ".join(f"{'NULL' if value is None else repr(value)}::DOUBLE AS {name}" for name, value in sums.items())
    query = f"SELECT {uncut_calls(str(clients), 'true')}, {uncut_calls(str(clients), 'false')} FROM (SELECT {given})"  # noqa: S608 - our own names
    [(calls, of_open)] = duckdb.execute(query).fetchall()
    window = Window(whole.calls * 200, row["window_ns"])
    assert calls == pytest.approx(without_what_was_cut(window, clients, row["calls"], in_call_ns).calls)
    assert of_open == window.calls
