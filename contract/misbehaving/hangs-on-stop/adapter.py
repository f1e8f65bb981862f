"""Does not end: not when told, not at the end of its input, not at SIGTERM."""

import signal
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from honest import Adapter


class HangsOnStop(Adapter):
    """Holds on to life."""

    name = "hangs-on-stop"

    def run(self) -> None:
        """Answer until the end of the input, and then stay."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self.hello()
        for line in sys.stdin.buffer:
            self.obey(line)
        while True:
            time.sleep(60)

    def on_stop(self, _: dict[str, Any]) -> dict[str, Any]:
        """Stay."""
        while True:
            time.sleep(60)


if __name__ == "__main__":
    HangsOnStop().run()
