"""Its clients think in step and call all at once."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driving import Drive
from honest import Adapter


class Together(Drive):
    """Clients that all call at once, and again when they have thought: n calls lie in n - 1 periods."""

    def think(self, since: int, think_ns: int) -> int:
        """Wait, but not before the first call."""
        return since if think_ns < self.think_ns else super().think(since, think_ns)


class InStep(Adapter):
    """Lets nobody think before the first call."""

    name = "in-step"

    def on_drive(self, request: dict[str, Any]) -> dict[str, Any]:
        """Drive them in step."""
        return Together(self.clients, request).run(lambda interval: self.say(interval | {"id": request["id"]}))


if __name__ == "__main__":
    InStep().run()
