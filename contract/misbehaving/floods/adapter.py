"""Writes a line that never ends."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from honest import Adapter


class Floods(Adapter):
    """Writes on and on."""

    name = "floods"

    def on_connect(self, _: dict[str, Any]) -> dict[str, Any]:
        """Answer at length."""
        while True:
            self.out.write(b"x" * 65536)


if __name__ == "__main__":
    Floods().run()
