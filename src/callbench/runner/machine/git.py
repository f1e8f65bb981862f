"""What git says of a folder."""

import shutil
import subprocess
from pathlib import Path

_LONGEST_S = 30


def said(folder: Path, *words: str) -> str:
    """Return what git prints of a folder; "" where there is no git, no checkout, or nothing to say.

    Args:
        folder: in a checkout, or not.
        words: of the command.
    """
    git = shutil.which("git")
    if git is None:
        return ""
    # Without optional locks git writes nothing. Otherwise a killed run would leave a lock file in the checkout.
    argv = [git, "--no-optional-locks", "-C", str(folder), *words]
    try:
        ended = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_LONGEST_S, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return ended.stdout.strip() if ended.returncode == 0 else ""


def differs(folder: Path) -> bool:
    """Return whether files that git knows differ from the commit that is checked out."""
    return bool(said(folder, "status", "--porcelain", "--untracked-files=no"))
