"""Was built for another version of the protocol."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from runner import Runner


class WrongVersion(Runner):
    """Speaks version 2."""

    version = 2


if __name__ == "__main__":
    WrongVersion().run()
