"""Makes fewer calls than it was asked for."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from runner import Runner


class TooFew(Runner):
    """Stops in the middle of a schedule."""

    def on_drive(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make half of the calls."""
        return super().on_drive(request | {"calls": request["calls"] // 2})


if __name__ == "__main__":
    TooFew().run()
