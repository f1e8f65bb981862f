"""Answers another request than it was asked."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from runner import Runner


class WrongId(Runner):
    """Is one behind."""

    def reply(self, said: dict[str, Any]) -> None:
        """Answer under the id before, once it is connected."""
        super().reply(said | {"id": said["id"] - bool(self.clients)})


if __name__ == "__main__":
    WrongId().run()
