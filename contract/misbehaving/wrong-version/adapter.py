"""Speaks another version of the contract than its manifest says."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from honest import Adapter


class WrongVersion(Adapter):
    """Is from the future."""

    name = "wrong-version"
    contract = 2


if __name__ == "__main__":
    WrongVersion().run()
