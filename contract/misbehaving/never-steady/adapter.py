"""Answers 5 % faster every second, for ever."""

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from honest import Adapter
from serving import Service

LONGEST_S = 0.06
LEFT_EACH_SECOND = 0.95


class NeverSteady(Adapter):
    """Keeps the contract, and gets faster."""

    name = "never-steady"

    def service_for(self, request: dict[str, Any]) -> Service:
        """Wait less from second to second."""
        return Faster(request["options"])


class Faster(Service):
    """A service that is slow at first."""

    def __init__(self, options: dict[str, int]) -> None:
        """Begin when it is made."""
        super().__init__(options)
        self.began = time.monotonic()

    def wait(self) -> None:
        """Wait a little less than a moment ago."""
        time.sleep(LONGEST_S * LEFT_EACH_SECOND ** (time.monotonic() - self.began))


if __name__ == "__main__":
    NeverSteady().run()
