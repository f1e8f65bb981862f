"""Answers twice as fast every second and a half, four times, and then no faster: a compiler's curve."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from quickening import Quickening

LONGEST_S = 0.064
STEP_S, STEPS = 1.5, 4


class WarmsUp(Quickening):
    """Gets faster in steps."""

    name = "warms-up"

    def wait_s(self, age_s: float) -> float:
        """As long as the step in force takes."""
        return LONGEST_S / 2 ** min(int(age_s / STEP_S), STEPS)


if __name__ == "__main__":
    WarmsUp().run()
