"""Answers 5 % faster every second, for ever."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from quickening import Quickening

LONGEST_S = 0.06
LEFT_EACH_SECOND = 0.95


class NeverSteady(Quickening):
    """Gets faster from second to second."""

    name = "never-steady"

    def wait_s(self, age_s: float) -> float:
        """A little less than a moment ago."""
        return LONGEST_S * LEFT_EACH_SECOND**age_s


if __name__ == "__main__":
    NeverSteady().run()
