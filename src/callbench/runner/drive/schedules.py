"""Schedule files of a run: the arrivals that all stacks of a group replay."""

import hashlib
import math
from pathlib import Path
from typing import TYPE_CHECKING

from callbench.model import machine_limits
from callbench.model.cell import Cell, Load

if TYPE_CHECKING:
    from callbench.stats.load.arrivals import Gaps

MOST = 2**20


class Schedules:
    """Writes each schedule into a folder of the run when it is first needed.

    A schedule depends on the run's seed, the fork, the group, and the load's arrivals and rate. All stacks of a group
    get the same arrivals; another fork has others.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        """Set the folder; nothing is written yet."""
        self._folder = folder
        self._seed = seed

    def of(self, cell: Cell, fork: int) -> Path | None:
        """Return the schedule file of a cell in a fork; None for a closed loop.

        Raises:
            CallbenchError: the file cannot be written.
        """
        load = cell.load
        if load.rate_per_s is None:
            return None
        count = length(load)
        words = f"{cell.group} {load.arrivals} {load.rate_per_s!r} {count}"
        digest = hashlib.sha256(words.encode()).digest()
        # Constant arrivals are not random: one file serves every fork.
        of_fork = f"-{fork}" if load.arrivals == "poisson" else ""
        file = self._folder / f"{load.arrivals}-{load.rate_per_s:g}-{digest.hex()[:12]}{of_fork}.gaps"
        if not file.exists():
            seed = [self._seed, fork, int.from_bytes(digest[:8], "little")]
            self._write(file, gaps(load, count, seed))
        return file

    def _write(self, file: Path, circle: "Gaps") -> None:
        part = file.with_suffix(".part")
        try:
            self._folder.mkdir(exist_ok=True)
            part.write_bytes(circle.astype("<u8").tobytes())
            part.replace(file)
        except OSError as failure:
            raise machine_limits.written(f"cannot write the schedule {file}", failure) from failure


def length(load: Load) -> int:
    """Return the number of gaps: one per arrival of a trial, so that it is replayed once, but at most 2^20."""
    return min(MOST, max(1, load.calls, math.ceil((load.rate_per_s or 0.0) * load.seconds)))


def gaps(load: Load, count: int, seed: list[int]) -> "Gaps":
    """Return the gaps between the arrivals of a load, in nanoseconds."""
    from callbench.stats.load import arrivals  # noqa: PLC0415 - statistics are slow to load

    rate = load.rate_per_s or 1.0
    return arrivals.poisson(rate, count, seed) if load.arrivals == "poisson" else arrivals.constant(rate, count)
