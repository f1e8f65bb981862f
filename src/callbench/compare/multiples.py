"""How fast the raw echo was beside each cell of a stored run, fork by fork: what carries over from run to run."""

from collections.abc import Mapping
from dataclasses import dataclass

from callbench.stats.ladder import on_cross
from callbench.store import Run
from callbench.tax import FLOORS_SQL, PARTS_SQL, Parts

# The yardstick of a fork: a small echo over TCP in every round. A canary of before had no rounds.
_YARDSTICK_SQL = """
SELECT block, exp(avg(ln(rate_per_s))) AS rate_per_s
FROM canaries WHERE place LIKE 'round %' AND calls > 0 GROUP BY block ORDER BY block"""


@dataclass(frozen=True)
class Echoes:
    """The echoes of a run, in echoes a second by fork.

    Attributes:
        own: by cell: of the sizes and the channel of its messages.
        yardstick: small, over TCP; empty in runs that had none.
    """

    own: Mapping[str, Mapping[int, float]]
    yardstick: Mapping[int, float]


def echoes(run: Run) -> Echoes:
    """Read them.

    Raises:
        BadInput: the run is damaged.
    """
    floors: dict[str, dict[int, dict[tuple[int, int], float]]] = {}
    with run.connection() as connection:
        for cell, block, request, answer, mean_us in connection.execute(FLOORS_SQL).fetchall():
            floors.setdefault(cell, {}).setdefault(block, {})[request, answer] = mean_us
        parts = {cell: Parts(*rest) for cell, *rest in connection.execute(PARTS_SQL).fetchall()}
        yardstick = dict(connection.execute(_YARDSTICK_SQL).fetchall())
    own = {cell: _rates(blocks, parts[cell]) for cell, blocks in floors.items() if cell in parts}
    return Echoes(own, yardstick)


def _rates(blocks: Mapping[int, Mapping[tuple[int, int], float]], parts: Parts) -> dict[int, float]:
    """Compute the echoes a second of a cell's sizes, from those of others."""
    times = {block: on_cross(found, parts.request_bytes, parts.answer_bytes) for block, found in blocks.items()}
    return {block: 1e6 / time for block, time in times.items() if time}


def both(echoes_of: tuple[Echoes, Echoes], cells: tuple[str, str]) -> tuple[Mapping[int, float], Mapping[int, float]]:
    """Choose the echo of a cell that both runs have: its own, else the yardstick; empty where there is none."""
    own = tuple(one.own.get(cell, {}) for one, cell in zip(echoes_of, cells, strict=True))
    return (own[0], own[1]) if all(own) else (echoes_of[0].yardstick, echoes_of[1].yardstick)
