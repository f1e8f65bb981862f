"""The processors of the two sides."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Placement:
    """Processors by number. With only one processor, both sides share it."""

    client: tuple[int, ...]
    server: tuple[int, ...]

    @property
    def shared(self) -> bool:
        """Whether the sides share processors, so that their times disturb each other."""
        return bool(set(self.client) & set(self.server))

    def record(self) -> dict[str, list[int]]:
        """Return the placement as a journal record."""
        return {"client": list(self.client), "server": list(self.server)}


def choose_placement(*, threads: int = 1) -> Placement:
    """Place the client on the first half of the processors that this process may use, and the server on the others.

    Args:
        threads: of the client. More than its half has processors use some of the server's half as well.
    """
    mine = tuple(sorted(os.sched_getaffinity(0)))
    if len(mine) < 2:
        return Placement(mine, mine)
    half = len(mine) // 2
    return Placement(mine[: max(half, threads)], mine[half:])
