"""Prints to the standard output that belongs to the protocol."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from runner import Runner


class Garbage(Runner):
    """Lets a library print."""

    def on_connect(self, request: dict[str, Any]) -> dict[str, Any]:
        """Print, and connect."""
        self.out.write(b"Listening on port 8080 ...\n")
        return super().on_connect(request)


if __name__ == "__main__":
    Garbage().run()
