"""Schedule files of a run: the arrivals that every stack of a group replays alike."""

import hashlib
import math
from pathlib import Path
from typing import TYPE_CHECKING

from callbench.model.cell import Cell, Load
from callbench.model.errors import CallbenchError

if TYPE_CHECKING:
    from callbench.stats.arrivals import Gaps

MOST = 2**20


class Schedules:
    """Writes schedules into a folder of the run, each when it is first asked for.

    A schedule follows from the run's seed, the block, the group and the load's arrivals and rate: the stacks of a group
    meet the same arrivals, and another block meets others.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        """Writes nothing yet."""
        self._folder = folder
        self._seed = seed

    def of(self, cell: Cell, block: int) -> Path | None:
        """The schedule of a cell in a block, None for a closed loop.

        Raises:
            CallbenchError: it cannot be written.
        """
        load = cell.load
        if load.rate_per_s is None:
            return None
        count = length(load)
        words = f"{cell.group} {load.arrivals} {load.rate_per_s!r} {count}"
        digest = hashlib.sha256(words.encode()).digest()
        # Constant arrivals have nothing random in them: one file serves every block.
        place = f"-{block}" if load.arrivals == "poisson" else ""
        file = self._folder / f"{load.arrivals}-{load.rate_per_s:g}-{digest.hex()[:12]}{place}.gaps"
        if not file.exists():
            seed = [self._seed, block, int.from_bytes(digest[:8], "little")]
            self._write(file, gaps(load, count, seed))
        return file

    def _write(self, file: Path, circle: "Gaps") -> None:
        part = file.with_suffix(".part")
        try:
            self._folder.mkdir(exist_ok=True)
            part.write_bytes(circle.astype("<u8").tobytes())
            part.replace(file)
        except OSError as failure:
            raise CallbenchError(f"cannot write the schedule {file}: {failure.strerror}") from failure


def length(load: Load) -> int:
    """How many gaps: as many as a trial has arrivals, so that it replays the circle once; 2^20 at most."""
    return min(MOST, max(1, load.calls, math.ceil((load.rate_per_s or 0.0) * load.seconds)))


def gaps(load: Load, count: int, seed: list[int]) -> "Gaps":
    """The gaps of a load's arrivals."""
    from callbench.stats import arrivals  # noqa: PLC0415 - statistics are slow to load

    rate = load.rate_per_s or 1.0
    return arrivals.poisson(rate, count, seed) if load.arrivals == "poisson" else arrivals.constant(rate, count)
