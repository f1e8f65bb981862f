"""An estimate of a run's duration, computed from its plan before it begins."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from callbench.catalog.catalogue import Catalogue
from callbench.model.cell import TIMES_CODEC, Cell
from callbench.model.service.imported import Imported
from callbench.runner.drive.slices import has_enough_slices, length_of
from callbench.runner.measure.processes import REST_S
from callbench.runner.plan.fork_cost import (
    BESIDE_A_SLICE,
    BUSY,
    busy_seconds,
    compiling_stacks,
    link_seconds,
    round_seconds,
    service_of,
    slice_seconds,
    start_seconds,
    warm_up_seconds,
)
from callbench.runner.plan.plan import Plan
from callbench.runner.reference.echoes import has_own_echo, slices_each
from callbench.runner.warm.worthwhile_rounds import worthwhile_rounds
from callbench.runner.wire.labs import labs_at_once
from callbench.stats.wire.link import Wires
from callbench.store.requested.run import RunLength

# Durations on an idle machine with two processors, in seconds, beside those of `fork_cost`: the time of a whole trial
# besides its calls; one life in a sweep.
_BESIDE_A_TRIAL = 0.07
_LIFE_SECONDS = 0.15
# A wire ledger starts a server and two clients, and waits after each phase. A sweep starts one more client.
_LEDGER = 1.5
_STARTS_OF_LEDGER, _STARTS_OF_SWEEP = 1.5, 2.0
# The cold start of a pair of processes, which is a result of its own.
_COLD_COMPILING, _COLD = 2.0, 0.07
# Raw echoes of a channel in each round.
_ECHOES, _QUICK_ECHOES = 9, 5
# Encoding and decoding of one message on both sides.
_CODEC, _QUICK_CODEC = 0.25, 0.06
# Connecting and verifying every call: round trips of the link, and bytes.
_ROUND_TRIPS_OF_START = 25
_BYTES_OF_START = 6_000
_MINUTE, _HOUR = 60, 3600
# The least number of forks of a condition: one fork has no interval.
FEWEST = 2
# A limit below so many seconds is too short to be shared out: the first fork is whole then, and there are two at least.
SHORT_S = 120.0


@dataclass(frozen=True)
class Estimate:
    """The remaining work of a run.

    Attributes:
        seconds: estimated duration of the planned forks.
        limit_s: seconds after which measuring ends in any case; None: no limit.
        forks: planned, of all conditions.
        slices: slices of cells in all planned forks.
        warm_up_s: the part of `seconds` in which runtimes that compile are warmed up.
    """

    seconds: float
    limit_s: float | None
    forks: int
    slices: int
    accounts: int
    warm_up_s: float = 0.0
    conditions: int = 1

    @property
    def expected_s(self) -> float:
        """Seconds until it ends: all that is planned, or the limit; if that is short, two forks of each condition."""
        if self.limit_s is None or self.limit_s >= self.seconds:
            return self.seconds
        if self.limit_s >= SHORT_S:
            return self.limit_s
        return max(self.limit_s, self.seconds * min(1.0, FEWEST * self.conditions / max(1, self.forks)))

    def __str__(self) -> str:
        """Return the estimate as one line."""
        if not (self.slices or self.accounts):
            return "nothing to measure"
        parts = [_count(self.forks, "fork") + " with " + _count(self.slices, "slice")] if self.slices else []
        parts += [_count(self.accounts, "wire ledger")] if self.accounts else []
        warm = f", of which {span(self.warm_up_s)} is warm-up of runtimes that compile" if self.warm_up_s else ""
        what = f"on an idle machine: {' and '.join(parts)}{warm}"
        if self.limit_s is not None and self.limit_s < self.seconds:
            return (
                f"{span(self.expected_s)}, with as many forks and rounds as have room in it."
                f" All of them would take {span(self.seconds)} {what}"
            )
        duration = f"{span(self.expected_s)} {what}"
        if self.limit_s is None:
            return duration
        return f"{duration}. It continues until its claims and neighbours are decided, for at most {span(self.limit_s)}"


def estimate(  # noqa: PLR0913 - what is planned, how, what is there already
    plan: Plan,
    catalogue: Catalogue,
    pace: RunLength,
    left_out: Collection[str] = (),
    *,
    quick: bool = False,
    baselines: bool = True,
) -> Estimate:
    """Estimate the duration of the planned forks.

    Knee searches and further forks are not included, because their number depends on the results.

    Args:
        plan: what is to be done.
        catalogue: where the adapters' manifests are.
        pace: the least rounds of a fork, the time, and whether the numbers are exact.
        left_out: stacks that cannot run here.
        quick: whether it is a quick run, which takes less time for what it measures beside the cells.
        baselines: whether the echo of each channel is measured.
    """
    compiling = compiling_stacks(plan, catalogue)
    busy = {stack.id: busy_seconds(stack) for stack in plan.stacks}
    stacks = {stack.id: stack for stack in plan.stacks}
    with_codec = _stacks_with_codec_times(plan, catalogue)
    service = service_of(catalogue)
    seconds = warm_up_s = 0.0
    slices = 0
    for condition in plan.conditions:
        cells = [cell for cell in plan.cells_under(condition) if cell.stack not in left_out]
        sliced = [cell for cell in cells if not cell.whole]
        units: dict[tuple[str, str], list[Cell]] = {}
        for cell in cells:
            units.setdefault((cell.stack, cell.id if cell.whole else cell.link), []).append(cell)
        warmed = [mine for (stack, _), mine in units.items() if stack in compiling]
        warm_s = warm_up_seconds(warmed, plan.wires, catalogue.warm_up_limit_s)
        round_s = round_seconds(sliced, busy, plan.wires, service)
        rounds = pace.rounds
        rounds = rounds if pace.exact else worthwhile_rounds(rounds, warm_s, round_s)
        slices += plan.forks * (len(sliced) * rounds + len(cells) - len(sliced))
        for (stack, _), mine in units.items():
            seconds += plan.forks * _unit_seconds(
                mine, busy.get(stack, BUSY), plan.wires, rounds, service, compiles=stack in compiling
            )
        seconds += plan.forks * warm_s
        warm_up_s += plan.forks * warm_s
        if baselines:
            echoed = Counter(
                stacks[cell.stack].channel
                for cell in sliced
                if cell.stack in with_codec and has_own_echo(cell, stacks[cell.stack].card)
            )
            sizes = _QUICK_ECHOES if quick else _ECHOES
            driven = sum(sizes * slices_each(count, sizes) for count in echoed.values())
            seconds += plan.forks * rounds * driven * (length_of(sliced[0].load).seconds if sliced else 0.0)
    alone = {
        (with_codec[cell.stack], cell.group)
        for cell in plan.timed
        if cell.stack in with_codec and cell.stack not in left_out
    }
    seconds += len(alone) * (_QUICK_CODEC if quick else _CODEC)
    accounts = [cell for cell in plan.cells if cell.wire is not None and cell.stack not in left_out]
    ledgers_s = sum(_ledger_seconds(cell, compiles=cell.stack in compiling) for cell in accounts)
    seconds += ledgers_s / max(1, labs_at_once(len(accounts)))
    forks = plan.forks * len(plan.conditions)
    return Estimate(
        seconds=seconds,
        limit_s=pace.limit_s,
        forks=forks,
        slices=slices,
        accounts=len(accounts),
        warm_up_s=warm_up_s,
        conditions=len(plan.conditions),
    )


def span(seconds: float) -> str:
    """Return a duration in words: `about 12 minutes`."""
    if seconds < 1.5 * _MINUTE:
        return f"about {max(5, 5 * round(seconds / 5))} s"
    if seconds < 1.5 * _HOUR:
        return f"about {round(seconds / _MINUTE)} minutes"
    return f"about {seconds / _HOUR:.1f} hours"


def longest(seconds: float) -> str:
    """Return a limit in words: `at most 12 minutes`."""
    return f"at most {span(seconds).removeprefix('about ')}"


def _stacks_with_codec_times(plan: Plan, catalogue: Catalogue) -> dict[str, tuple[str, str]]:
    """Return adapter and message of the stacks that have an in-process stack for codec times."""
    inside = {
        (stack.adapter, stack.message) for stack in catalogue.stacks if stack.card.get(TIMES_CODEC) and stack.available
    }
    pairs = {stack.id: (stack.adapter, stack.message) for stack in plan.stacks}
    return {name: pair for name, pair in pairs.items() if pair in inside}


def _unit_seconds(  # noqa: PLR0913 - all that a start depends on
    cells: list[Cell],
    busy_s: float,
    wires: Wires,
    rounds: int,
    service: Imported | None,
    *,
    compiles: bool,
) -> float:
    """Estimate one start in a fork: cold start, verification, and for each cell the warm-up and its slices.

    The warm-up of a compiling runtime is not included.
    """
    trip, per_byte = link_seconds(wires.get(cells[0].link))
    seconds = start_seconds(compiles=compiles) + _ROUND_TRIPS_OF_START * (trip + busy_s) + _BYTES_OF_START * per_byte
    seconds += _COLD_COMPILING if compiles else _COLD
    for cell in cells:
        slice_s = slice_seconds(cell, busy_s, wires, service)
        if cell.whole:
            seconds += slice_s + _BESIDE_A_TRIAL + (REST_S if cell.watch else 0.0)
            continue
        calls = length_of(cell.load).calls
        lacks = (many * calls < cell.load.fork_calls for many in range(rounds))
        enough = (many for many, lack in enumerate(lacks) if has_enough_slices(many * slice_s, many, lacks_calls=lack))
        made = next(enough, rounds)
        seconds += (made + 0.5) * (slice_s + BESIDE_A_SLICE)
    return seconds


def _ledger_seconds(cell: Cell, *, compiles: bool) -> float:
    """Estimate one wire ledger or sweep, in seconds."""
    sweep = cell.wire or {}
    if not sweep:
        return _LEDGER + _STARTS_OF_LEDGER * start_seconds(compiles=compiles)
    lives = min(len(sweep["grid"]), int(sweep["most"])) + int(sweep["fine"])
    return _STARTS_OF_SWEEP * start_seconds(compiles=compiles) + lives * _LIFE_SECONDS


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}" + ("" if number == 1 else "s")
