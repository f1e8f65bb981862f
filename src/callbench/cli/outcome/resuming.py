"""The command that continues what was stopped: the one that began it, as it was typed."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path


def command(out: Path, words: Sequence[str] | None = None) -> str:
    """What to type to continue.

    Args:
        out: the folder of what was begun.
        words: what was typed behind the program's name; None: what this program was started with.
    """
    kept: list[str] = []
    rest = iter(sys.argv[1:] if words is None else words)
    for word in rest:
        if word == "--out":
            next(rest, None)
        elif word != "--resume" and not word.startswith("--out="):
            kept.append(word)
    return shlex.join(["callbench", *kept, "--resume", "--out", str(out)])
