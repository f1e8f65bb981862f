"""Never says that a drive is done."""

import sys
import threading
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from runner import Runner


class Deaf(Runner):
    """Hangs in a drive."""

    def on_drive(self, request: dict[str, Any]) -> dict[str, Any]:
        """Wait."""
        threading.Event().wait()
        return super().on_drive(request)


if __name__ == "__main__":
    Deaf().run()
