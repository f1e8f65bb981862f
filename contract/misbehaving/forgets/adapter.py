"""Begins to count when a call begins, though its caller has waited before: nothing of a schedule is ever late."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from honest import Adapter


class Forgets(Adapter):
    """Leaves out what callers waited before their calls began."""

    name = "forgets"

    def on_drive(self, request: dict[str, Any]) -> dict[str, Any]:
        """Drive, and say the time of the call for that since its arrival."""
        done = super().on_drive(request)
        if done["service"] is not None:
            done["latency"] = done["service"]
            none = {"sum_ns": "0", "min_ns": 0, "max_ns": 0, "buckets": [[0, done["lateness"]["count"]]]}
            done["lateness"] = done["lateness"] | none
        return done


if __name__ == "__main__":
    Forgets().run()
