"""Counts more calls than its histogram has."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from runner import Runner


class Disagrees(Runner):
    """Counts a call that it has not timed."""

    def on_drive(self, request: dict[str, Any]) -> dict[str, Any]:
        """Drive, and boast."""
        done = super().on_drive(request)
        return done | {"calls": done["calls"] + 1}


if __name__ == "__main__":
    Disagrees().run()
