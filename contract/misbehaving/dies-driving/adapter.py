"""Dies in the middle of a drive."""

import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from honest import Adapter


class DiesDriving(Adapter):
    """Dies with the twentieth call of a drive."""

    name = "dies-driving"

    def on_drive(self, request: dict[str, Any]) -> dict[str, Any]:
        """Drive a little, then die."""
        super().on_drive(request | {"calls": 20, "seconds": 0})
        print("fatal: out of cheese", file=sys.stderr, flush=True)
        os._exit(3)


if __name__ == "__main__":
    DiesDriving().run()
