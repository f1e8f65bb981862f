"""Has other stacks than its manifest says."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from runner import Runner


class OtherStacks(Runner):
    """Has UDP."""

    stacks = ("udp",)


if __name__ == "__main__":
    OtherStacks().run()
