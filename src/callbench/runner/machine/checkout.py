"""The commit that `--commit` names, as git knows it in the current folder."""

import datetime as dt
import re
from pathlib import Path

from callbench.model.errors import BadInput
from callbench.runner.machine import git
from callbench.store.head import MeasuredCommit

_LONGEST = 100
_HEAD = "HEAD"
_DIGITS = 12
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def commit(text: str | None) -> MeasuredCommit | None:
    """Return the commit of what is measured.

    Args:
        text: as it was typed; `HEAD` is that of the current folder. None: there is none.

    Raises:
        BadInput: it is no name, or HEAD of a folder that is in no checkout.
    """
    if text is None:
        return None
    text = text.strip()
    if not text or len(text) > _LONGEST or not text.isprintable() or text.startswith("-"):
        raise BadInput(f"--commit {text!r}: give a commit or a version, at most {_LONGEST} characters, or HEAD")
    here = Path.cwd()
    known = git.said(here, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{text}^{{commit}}")
    if not known:
        if text == _HEAD:
            raise BadInput("--commit HEAD: the current folder is in no git checkout with a commit; name the commit")
        return MeasuredCommit(text[:_DIGITS] if _HASH.fullmatch(text) else text)
    changed = text == _HEAD and git.differs(here)
    stamp = git.said(here, "show", "--no-patch", "--format=%ct", known)
    at = dt.datetime.fromtimestamp(int(stamp), dt.UTC).isoformat().replace("+00:00", "Z") if stamp.isdecimal() else ""
    return MeasuredCommit(known[:_DIGITS] + ("-dirty" if changed else ""), at)
