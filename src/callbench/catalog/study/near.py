"""What a person may have meant by a name that is not there."""

from collections.abc import Iterable
from difflib import get_close_matches


def allowed(found: str, names: Iterable[str], at_most: int = 12) -> str:
    """Say what is allowed, and the nearest of it: `did you mean "tcp"? Allowed: http, tcp`.

    Args:
        found: the name given.
        names: the names there are.
        at_most: how many names are listed before the list is cut.
    """
    known = list(dict.fromkeys(names))
    if not known:
        return "none is allowed here"
    close = get_close_matches(found, known, n=1, cutoff=0.6)
    listed = ", ".join(known[:at_most]) + (f" and {len(known) - at_most} more" if len(known) > at_most else "")
    return (f'did you mean "{close[0]}"? ' if close else "") + f"Allowed: {listed}"
