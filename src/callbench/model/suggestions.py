"""What to say where a name is not known: names near it, and those that are."""

import difflib
from collections.abc import Iterable, Sequence


def unknown(what: str, name: str, known: Sequence[str], where: str) -> str:
    """One sentence: `name` is no such thing, what may have been meant, and the command that lists them."""
    # The part behind the slash counts as a name too: people remember `soap+tcp`.
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    near += [full for full in known if full.rpartition("/")[2] == name and full not in near]
    meant = f"did you mean {' or '.join(near[:3])}? " if near else ""
    return f"there is no {what} {name!r}: {meant}`{where}` shows all"


def allowed_names(wrong: str, names: Iterable[str], at_most: int = 12) -> str:
    """Return the allowed names and the most similar one: `did you mean "tcp"? Allowed: http, tcp`.

    Args:
        wrong: the given name.
        names: the allowed names.
        at_most: the largest number of listed names.
    """
    known = list(dict.fromkeys(names))
    if not known:
        return "none is allowed here"
    close = difflib.get_close_matches(wrong, known, n=1, cutoff=0.6)
    listed = ", ".join(known[:at_most]) + (f" and {len(known) - at_most} more" if len(known) > at_most else "")
    return (f'did you mean "{close[0]}"? ' if close else "") + f"Allowed: {listed}"
