"""Ends its window with the last answer."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from honest import Adapter


class Stretches(Adapter):
    """Divides by the time until the last answer."""

    name = "stretches"

    def on_drive(self, request: dict[str, Any]) -> dict[str, Any]:
        """Drive, and let calls in flight stretch the window."""
        done = super().on_drive(request)
        whole = {"window_ns": done["elapsed_ns"], "answered": done["calls"], "in_flight": 0, "in_flight_part": 0.0}
        return {**done, **whole}


if __name__ == "__main__":
    Stretches().run()
