"""Which processors the two sides run on."""

import os
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Placement:
    """Processors by number. Where there is only one, both sides share it."""

    client: tuple[int, ...]
    server: tuple[int, ...]

    @property
    def shared(self) -> bool:
        """Whether the sides share processors: their times then disturb each other."""
        return bool(set(self.client) & set(self.server))

    def record(self) -> dict[str, list[int]]:
        """As the journal has it."""
        return {"client": list(self.client), "server": list(self.server)}


def placed(processors: Sequence[int] | None = None) -> Placement:
    """The client on the first half of our processors, the server on the other.

    Args:
        processors: those to share out; None: the ones that we may run on.
    """
    mine = tuple(sorted(os.sched_getaffinity(0) if processors is None else processors))
    if len(mine) < 2:
        return Placement(mine, mine)
    half = len(mine) // 2
    return Placement(mine[:half], mine[half:])
