"""Says that it made twice the calls it made."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from honest import Adapter


class Lies(Adapter):
    """Doubles its figures."""

    name = "lies"

    def on_drive(self, request: dict[str, Any]) -> dict[str, Any]:
        """Drive, and boast."""
        done = super().on_drive(request)
        done["calls"] *= 2
        done["latency"]["count"] *= 2
        done["latency"]["buckets"] = [[bucket, 2 * count] for bucket, count in done["latency"]["buckets"]]
        return done


if __name__ == "__main__":
    Lies().run()
