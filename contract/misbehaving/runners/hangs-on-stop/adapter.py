"""Goes on after it was told to stop."""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from runner import Runner


class HangsOnStop(Runner):
    """Ignores the request, the end of its input, and SIGTERM."""

    def leave(self) -> None:
        """Stay."""
        while True:
            time.sleep(60)


if __name__ == "__main__":
    HangsOnStop().run()
