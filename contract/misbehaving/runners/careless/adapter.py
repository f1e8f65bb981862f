"""Does not look at the last field of an answer."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from runner import Runner


class Careless(Runner):
    """Compares lengths only."""

    def right(self, expected: Any, found: Any, turn: int) -> bool:  # noqa: ANN401 - as the honest one
        """Look at a sum, and else at lengths."""
        if isinstance(expected, (list, str, bytes)):
            return len(expected) == len(found)
        return super().right(expected, found, turn)


if __name__ == "__main__":
    Careless().run()
