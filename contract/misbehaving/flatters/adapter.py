"""Reports a hundredth of the time that its calls take."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from honest import Adapter


class Flatters(Adapter):
    """Makes its figures look better."""

    name = "flatters"

    def on_drive(self, request: dict[str, Any]) -> dict[str, Any]:
        """Drive, and report shorter times."""
        done = super().on_drive(request)
        latency = done["latency"]
        latency.update(
            {
                "sum_ns": str(int(latency["sum_ns"]) // 100),
                "min_ns": latency["min_ns"] // 100,
                "max_ns": latency["max_ns"] // 100,
            }
        )
        done["in_call_ns"] = latency["sum_ns"]
        return done


if __name__ == "__main__":
    Flatters().run()
