"""Stops in the middle of a drive without a word."""

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from honest import Adapter


class Deaf(Adapter):
    """Hangs in a drive."""

    name = "deaf"

    def on_drive(self, _: dict[str, Any]) -> dict[str, Any]:
        """Never come back."""
        while True:
            time.sleep(60)


if __name__ == "__main__":
    Deaf().run()
