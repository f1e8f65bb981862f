"""Suggestions for a name that does not exist."""

from collections.abc import Iterable
from difflib import get_close_matches


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
    close = get_close_matches(wrong, known, n=1, cutoff=0.6)
    listed = ", ".join(known[:at_most]) + (f" and {len(known) - at_most} more" if len(known) > at_most else "")
    return (f'did you mean "{close[0]}"? ' if close else "") + f"Allowed: {listed}"
