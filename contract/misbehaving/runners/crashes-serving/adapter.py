"""Is killed by a signal as soon as it serves."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from runner import Runner


class CrashesServing(Runner):
    """Crashes as a fault of a library would."""

    def on_serve(self, request: dict[str, Any]) -> dict[str, Any]:
        """Serve, and crash."""
        os.kill(os.getpid(), signal.SIGABRT)
        return super().on_serve(request)


if __name__ == "__main__":
    CrashesServing().run()
