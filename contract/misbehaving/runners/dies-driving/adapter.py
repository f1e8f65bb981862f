"""Dies in the middle of a drive."""

import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from runner import Runner


class DiesDriving(Runner):
    """Ends without a word to the host."""

    def on_drive(self, request: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002 - it does not come to that
        """Log, and end."""
        sys.stderr.write("fatal: out of cheese\n")
        sys.stderr.flush()
        os._exit(3)


if __name__ == "__main__":
    DiesDriving().run()
