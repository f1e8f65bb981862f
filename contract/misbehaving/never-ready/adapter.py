"""Starts and never says hello."""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from honest import Adapter


class NeverReady(Adapter):
    """Waits for what never comes."""

    name = "never-ready"

    def hello(self) -> None:
        """Say nothing."""
        print("waiting for the licence server", file=sys.stderr, flush=True)
        time.sleep(3600)


if __name__ == "__main__":
    NeverReady().run()
