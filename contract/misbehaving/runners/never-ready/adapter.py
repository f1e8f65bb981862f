"""Never says that it is ready."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from runner import Runner


class NeverReady(Runner):
    """Waits for something that never comes."""

    def ready(self) -> None:
        """Log, and say nothing."""
        sys.stderr.write("waiting for the licence server\n")
        sys.stderr.flush()


if __name__ == "__main__":
    NeverReady().run()
