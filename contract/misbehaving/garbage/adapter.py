"""Prints to the standard output that belongs to the contract."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from honest import Adapter


class Garbage(Adapter):
    """Prints as a careless library does."""

    name = "garbage"

    def on_serve(self, request: dict[str, Any]) -> dict[str, Any]:
        """Serve, and say so to whom it does not concern."""
        self.out.write(b"Listening on port 8080 ...\n")
        return super().on_serve(request)


if __name__ == "__main__":
    Garbage().run()
