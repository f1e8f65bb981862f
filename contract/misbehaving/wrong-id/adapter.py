"""Answers a request that was not made."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from honest import Adapter


class WrongId(Adapter):
    """Loses count of the requests."""

    name = "wrong-id"

    def reply(self, answer: dict[str, Any]) -> None:
        """Write an answer to another request."""
        super().reply(answer | {"id": answer["id"] + 1})


if __name__ == "__main__":
    WrongId().run()
