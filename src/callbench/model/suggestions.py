"""What to say where a name is not known: names near it."""

import difflib
from collections.abc import Sequence


def unknown(what: str, name: str, known: Sequence[str], where: str) -> str:
    """One sentence: `name` is no such thing, what may have been meant, and the command that lists them."""
    # The part behind the slash counts as a name too: people remember `soap+tcp`.
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    near += [full for full in known if full.rpartition("/")[2] == name and full not in near]
    meant = f"did you mean {' or '.join(near[:3])}? " if near else ""
    return f"there is no {what} {name!r}: {meant}`{where}` shows all"
