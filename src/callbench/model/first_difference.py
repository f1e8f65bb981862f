"""Two texts that differ, cut so that the place if they do can be seen."""

LONG = 120
_BEFORE, _AFTER = 40, 60


def excerpts(actual: str, right: str) -> tuple[str, str]:
    """Both texts, whole if they are short; else from a little before the first character that differs.

    What begins later than its text says at which character, counted from 0.
    """
    if max(len(actual), len(right)) <= LONG:
        return actual, right
    pairs = zip(actual, right, strict=False)
    at = next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(actual), len(right)))
    return _around(actual, at), _around(right, at)


def _around(text: str, at: int) -> str:
    first, last = max(0, at - _BEFORE), at + _AFTER
    part = text[first:last] + ("..." if last < len(text) else "")
    where = f" (character {at} of {len(text)})" if first else ""
    return f"{'...' if first else ''}{part}{where}"
