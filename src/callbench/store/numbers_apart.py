"""A text with its numbers apart, those behind the same words beside each other: so it packs smaller, and sooner.

A packed record has this file beside such parts. `python whole.py` there writes the text into the folder above; it needs
nothing but Python.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

# What stands where numbers were. A text that has such characters has them among its numbers.
_PLACE = b"\0"
_NUMBERS = re.compile(rb"([0-9\0]+(?:,[0-9\0]+)*)")
# In a list of lists, such as the buckets of a histogram, the first numbers rise: they are written as differences.
_FIRST, _NEXT = b"[", b"],["
# Before one that is not written so.
_AS_IT_IS = b"="


def apart(text: bytes) -> tuple[bytes, bytes]:
    """Return a text without its numbers, and these: a line for each wording that numbers stand behind."""
    pieces = _NUMBERS.split(text)
    found: defaultdict[bytes, list[bytes]] = defaultdict(list)
    last = 0
    for words, numbers in zip(pieces[:-1:2], pieces[1::2], strict=True):
        written = numbers
        if words.endswith(_FIRST):
            first, comma, others = numbers.partition(b",")
            plain = _is_plain(first)
            if words == _NEXT:
                written = b"%d%b%b" % (int(first) - last, comma, others) if plain else _AS_IT_IS + numbers
            last = int(first) if plain else last
        found[words].append(written)
    return _PLACE.join(pieces[::2]), b"\n".join(map(b" ".join, found.values()))


def together(text: bytes, numbers: bytes) -> Iterator[bytes]:
    """Yield what `apart` was given, in pieces.

    Raises:
        ValueError: the two do not fit each other.
    """
    lines = iter(numbers.split(b"\n"))
    known: dict[bytes, Iterator[bytes]] = {}
    last = 0
    *before, end = text.split(_PLACE)
    for words in before:
        if words not in known:
            known[words] = iter(next(lines, b"").split())
        written = next(known[words], b"")
        if not written:
            raise ValueError("numbers are missing")
        if words.endswith(_FIRST):
            first, comma, others = written.partition(b",")
            if words == _NEXT and not first.startswith(_AS_IT_IS):
                first = b"%d" % (last + int(first))
            first = first.removeprefix(_AS_IT_IS)
            last = int(first) if _is_plain(first) else last
            written = first + comma + others
        yield words + written
    yield end


def _is_plain(number: bytes) -> bool:
    """Return whether a number is written as Python would, and is not so long that this takes long."""
    return number.isdigit() and len(number) < 20 and (number == b"0" or not number.startswith(b"0"))


def write_whole(parts: Path, to: Path) -> None:
    """Write a text from its parts: `0000.text` and `0000.numbers`, and so on.

    Args:
        parts: their folder.
        to: the file.

    Raises:
        OSError: a part is missing, or the file cannot be written.
        ValueError: the parts do not fit each other.
    """
    with to.open("xb") as out:
        for text in sorted(parts.glob("*.text")):
            out.writelines(together(text.read_bytes(), text.with_suffix(".numbers").read_bytes()))


if __name__ == "__main__":
    here = Path(__file__).resolve().parent
    write_whole(here, here.parent / f"{here.name}.jsonl")
