"""How many bytes a text takes in each encoding that remote calls use, and which of them a count per character fits."""

from collections.abc import Callable, Mapping

_SURROGATES_FROM = 0x10000


def _modified(text: str) -> int:
    """Count modified UTF-8 (JVMS 4.4.7): U+0000 takes two bytes, what lies beyond the BMP two times three."""
    return sum(_modified_bytes(ord(character)) for character in text)


def _modified_bytes(code: int) -> int:
    if 1 <= code < 0x80:
        return 1
    if code < 0x800:
        return 2
    return 3 if code < _SURROGATES_FROM else 6


# From the simplest: of those that give the same count, the first is named first.
ENCODINGS: Mapping[str, Callable[[str], int]] = {
    "Latin-1": lambda text: len(text.encode("latin-1")),
    "UTF-8": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "modified UTF-8": _modified,
    "UTF-16": lambda text: len(text.encode("utf-16-le", "surrogatepass")),
    "UTF-32": lambda text: 4 * len(text),
    "UTF-16 in base64": lambda text: 4 * -(-len(text.encode("utf-16-le", "surrogatepass")) // 3),
}
_NEAR = 0.004


def per_character(text: str) -> dict[str, float]:
    """Return bytes a character of a text in each encoding that can write it.

    Raises:
        ValueError: the text is empty.
    """
    if not text:
        raise ValueError("an empty text has no bytes a character")
    found = {}
    for name, bytes_of in ENCODINGS.items():
        try:
            found[name] = bytes_of(text) / len(text)
        except UnicodeEncodeError:
            continue
    return found


def fitting(measured: float, of: Mapping[str, float]) -> list[str]:
    """Name the encodings whose count is within 0.4 % of the measured one.

    Lengths that are written with more digits or bytes for longer texts leave a trace of less than that.

    Args:
        measured: bytes that one more character costs.
        of: bytes a character by encoding.
    """
    return [name for name, value in of.items() if abs(measured - value) <= _NEAR * value]
