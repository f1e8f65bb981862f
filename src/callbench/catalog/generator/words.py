"""Text as words and what stands between them, and an alphabet that is another one for each message."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from random import Random

# A run of letters, or a run of digits. All other characters stay.
_WORD = re.compile(r"[^\W\d_]+|\d+")
_HEX = re.compile(r"[0-9a-f]{8,}|[0-9A-F]{8,}")
_VOWELS = set("aeiou")
# Parts of addresses and of values of every service: nobody's own, so they stay.
_COMMON = frozenset({"http", "https", "www", "com", "org", "net", "mailto", "html", "json", "true", "false", "null"})


def words(text: str) -> Iterator[str]:
    """The words of a text, in order."""
    for match in _WORD.finditer(text):
        yield match.group()


def with_words(text: str, replaced: dict[str, str]) -> str:
    """The text with other words."""
    return _WORD.sub(lambda match: replaced.get(match.group(), match.group()), text)


def is_common(word: str) -> bool:
    """Whether a word stays in every message."""
    return word.lower() in _COMMON


def shape_of(word: str) -> str:
    """What two words must have in common to stand for each other: characters, bytes and capitals."""
    capitals = "upper" if word.isupper() else "title" if word[0].isupper() else "lower"
    return f"{'digits' if word.isdigit() else capitals}-{len(word)}-{len(word.encode())}"


def is_hexadecimal(text: str) -> bool:
    """Whether a text is a hash or an identifier of hexadecimal digits, without or with dashes (a UUID)."""
    bare = text.replace("-", "")
    return _HEX.fullmatch(bare) is not None and any(letter.isdigit() for letter in bare)


class Alphabet:
    """For each letter and digit another of its kind, one to one.

    A text written with it has as many bytes, and the same characters at the same distances: a compressor finds what it
    found before. Vowels stay vowels, capitals stay capitals, digits stay digits. Zero stays zero, so that no number
    gets a zero before it, and round ones stay round. Only letters that occur are used: a text gets no new ones.
    """

    def __init__(self, text: Iterable[str], random: Random, window: int = 0) -> None:
        """Draw one for messages with this text.

        Args:
            text: names and values.
            random: where to draw from.
            window: a letter stands for one of so many letters that are about as frequent in the text; 0 for any letter.
                Names keep their letters, so letters that are as frequent keep the code of a compressor as short.
        """
        counts = Counter("".join(text).lower())
        classes: dict[tuple[str, int, bool], list[str]] = defaultdict(list)
        for letter, _ in sorted(counts.items(), key=lambda counted: (-counted[1], counted[0])):
            if letter.isalpha():
                kind = unicodedata.category(letter), len(letter.encode()), letter in _VOWELS
                classes[kind].append(letter)
        self._other = dict(zip("123456789", _shuffled("123456789", random), strict=True))
        for members in classes.values():
            self._other.update(zip(members, _shuffled(members, random, window), strict=True))
        for letter, other in list(self._other.items()):
            if len(letter.upper()) == len(other.upper()) == 1 and letter.upper() != letter:
                same = len(letter.upper().encode()) == len(other.upper().encode())
                self._other[letter.upper()] = other.upper() if same and other.upper() != other else letter.upper()
        self._table = str.maketrans(self._other)
        self._hexadecimal = _hexadecimal(random)

    def word(self, word: str) -> str:
        """The word in this alphabet."""
        return word.translate(self._table)

    def hexadecimal(self, text: str) -> str:
        """A text of hexadecimal digits, as such a text again. A UUID keeps its version and its variant."""
        written = text.translate(self._hexadecimal)
        if len(text) == 36 and text.count("-") == 4:
            return written[:14] + text[14] + written[15:19] + text[19] + written[20:]
        return written


def _hexadecimal(random: Random) -> dict[int, int]:
    digits = _shuffled("123456789", random)
    letters = _shuffled("abcdef", random)
    return str.maketrans("123456789abcdefABCDEF", "".join([*digits, *letters]) + "".join(letters).upper())


def _shuffled(of: Iterable[str], random: Random, window: int = 0) -> list[str]:
    items = list(of)
    window = window or len(items)
    # The windows begin at another rank each time.
    start = random.randrange(window) if 0 < window < len(items) else 0
    for least in range(start - window, len(items), max(1, window)):
        part = items[max(0, least) : least + window]
        random.shuffle(part)
        items[max(0, least) : least + window] = part
    return items
