"""Has other stacks than its manifest."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from honest import Adapter


class OtherStacks(Adapter):
    """Has changed since its manifest was written."""

    name = "other-stacks"

    def stacks(self) -> list[str]:
        """Name a stack that the manifest does not have, and leave one out."""
        return ["other-stacks/inproc", "other-stacks/udp"]


if __name__ == "__main__":
    OtherStacks().run()
