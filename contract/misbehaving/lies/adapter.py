"""Its server says that it answered half of the calls that it answered."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from honest import Adapter


class Lies(Adapter):
    """Halves what it counted."""

    name = "lies"

    def on_counted(self, request: dict[str, Any]) -> dict[str, Any]:
        """Count, and conceal."""
        counts = super().on_counted(request)
        return counts | {"calls": {call: count // 2 for call, count in counts["calls"].items()}}


if __name__ == "__main__":
    Lies().run()
