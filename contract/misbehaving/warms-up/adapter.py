"""Answers twice as fast every second and a half, four times, and then no faster: a compiler's curve."""

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from honest import Adapter
from serving import Service

LONGEST_S = 0.064
STEP_S, STEPS = 1.5, 4


class WarmsUp(Adapter):
    """Keeps the contract, and gets faster."""

    name = "warms-up"

    def service_for(self, request: dict[str, Any]) -> Service:
        """Wait less from step to step."""
        return Faster(request["options"])


class Faster(Service):
    """A service that is slow at first."""

    def __init__(self, options: dict[str, int]) -> None:
        """Begin when it is made."""
        super().__init__(options)
        self.began = time.monotonic()

    def wait(self) -> None:
        """Wait as long as the step in force takes."""
        step = min(int((time.monotonic() - self.began) / STEP_S), STEPS)
        time.sleep(LONGEST_S / 2**step)


if __name__ == "__main__":
    WarmsUp().run()
