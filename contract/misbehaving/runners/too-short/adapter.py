"""Ends before its time is over."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from runner import Runner


class TooShort(Runner):
    """Is in a hurry."""

    def on_drive(self, request: dict[str, Any]) -> dict[str, Any]:
        """Take half of the time."""
        return super().on_drive(request | {"length_ns": request["length_ns"] // 2})


if __name__ == "__main__":
    TooShort().run()
