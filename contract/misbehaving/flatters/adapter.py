"""Reports a hundredth of the time that its calls take, and the rest as its loop's own: its figures agree."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driving import alike
from honest import Adapter


class Flatters(Adapter):
    """Makes its figures look better."""

    name = "flatters"

    def on_drive(self, request: dict[str, Any]) -> dict[str, Any]:
        """Drive, and report shorter times."""
        done = super().on_drive(request)
        took = int(done["in_call_ns"])
        done["in_call_ns"] = str(took // 100)
        if done["gap_ns"] is not None:
            done["gap_ns"] = str(int(done["gap_ns"]) + took - took // 100)
        for name in ("latency", "service"):
            if done[name]:
                done[name] = alike(done["calls"], int(done[name]["sum_ns"]) // done["calls"] // 100)
        return done


if __name__ == "__main__":
    Flatters().run()
