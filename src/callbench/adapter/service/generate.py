"""Generate every argument and answer from a short description, as defined in contract/SERVICE.md."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from callbench.adapter.service.canonical import Form, double_form, float_form, long_form
from callbench.model.installation import home

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_GAMMA = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
# In each of the two lists from which persons, users and texts are made.
_NAMES = 256


class SplitMix64:
    """The generator of Steele, Lea and Flood, one number at a time."""

    def __init__(self, seed: int) -> None:
        """Start from a seed of 64 bits."""
        self._state = seed & _MASK

    def next(self) -> int:
        """Return the next 64 bits."""
        self._state = (self._state + _GAMMA) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def draw(self, below: int) -> int:
        """Return a number below `below`, which is from 1 to 2^32."""
        return ((self.next() >> 32) * below) >> 32


def words(seed: int, count: int) -> "NDArray[np.uint64]":
    """Return the first `count` numbers of 64 bits at once: the state is the seed plus a multiple of a constant."""
    import numpy as np  # noqa: PLC0415 - an adapter that only adds and greets starts in a third of the time without it

    with np.errstate(over="ignore"):
        z = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(_GAMMA) + np.uint64(seed & _MASK)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def draws(seed: int, count: int, below: int) -> "NDArray[np.uint64]":
    """Return the first `count` numbers below `below` at once."""
    import numpy as np  # noqa: PLC0415 - as above

    return ((words(seed, count) >> np.uint64(32)) * np.uint64(below)) >> np.uint64(32)


@cache
def _names(file: str) -> tuple[str, ...]:
    path = home() / "contract" / "names" / file
    lines = tuple(path.read_text(encoding="ascii").splitlines())
    if len(lines) != _NAMES:
        raise ValueError(f"{path} has {len(lines)} lines instead of {_NAMES}: restore it from the repository")
    return lines


def person(index: int) -> Form:
    """Return person `index`."""
    first, last = _names("first.txt"), _names("last.txt")
    return {"ID": index, "FirstName": first[index % 256], "LastName": last[(index * 31 + index // 256 + 7) % 256]}


def persons(n: int) -> Form:
    """Return the first `n` persons."""
    return [person(index) for index in range(n)]


def binary(size: int, fill: str) -> bytes:
    """Return the answer of GetBinaryData; `fill` is one of FILLS."""
    return FILLS[fill](size)


def _article(size: int) -> bytes:
    integers = size // 4
    return draws(1, integers, integers).astype("<u4").tobytes()


def _random(size: int) -> bytes:
    return words(2, -(-size // 8)).astype("<u8").tobytes()[:size]


def _text(size: int) -> bytes:
    first = [name.encode() + b" " for name in _names("first.txt")]
    # A word has at least two characters with its space, so these are enough.
    return b"".join(first[index] for index in draws(3, size // 2 + 1, 256).tolist())[:size]


FILLS: dict[str, Callable[[int], bytes]] = {"article": _article, "random": _random, "zero": bytes, "text": _text}
"""What GetBinaryData fills its answer with, by name."""


def structure(n: int) -> Form:
    """Return the structure of size `n`, which EchoStructure sends and returns."""
    return {
        "text": "The quick brown fox jumps over the lazy dog again.",
        "numbers": [_signed(i * 7919, 32) for i in range(n)],
        "users": [_user(i) for i in range(n)],
        "beans": [_bean(i) for i in range(n)],
    }


def _user(i: int) -> Form:
    first, last = _names("first.txt"), _names("last.txt")
    user_name = f"{first[i % 256].lower()}{i}"
    return {
        "userName": user_name,
        "fullName": f"{first[i % 256]} {last[(i * 31 + i // 256 + 7) % 256]}",
        "email": f"{user_name}@example.org",
        "age": 18 + i % 60,
        "active": i % 2 == 0,
        "created": long_form(1167609600000 + i * 60000),
    }


def _bean(i: int) -> Form:
    return {
        "id": i,
        "name": f"bean{i}",
        "description": f"A bean of the test structure, number {i}",
        "amount": double_form(i * 1.25),
        "flag": i % 3 == 0,
        "related": [i, i + 1, i + 2],
    }


def _signed(value: int, bits: int) -> int:
    """Return the lowest `bits` of a number as a signed number."""
    low = value & ((1 << bits) - 1)
    return low - (1 << bits) if low >> (bits - 1) else low


# From so many numbers on, all at once are faster, the loading of numpy included.
_MANY = 4_096


def _letters(generator: SplitMix64, count: int) -> str:
    return "".join(chr(65 + generator.draw(26)) for _ in range(count))


def _many_letters(seed: int, count: int) -> str:
    return bytes((draws(seed, count, 26) + 65).astype("u1")).decode("ascii")


_FIXED: dict[str, Form] = {
    "boolean": True,
    "byte": 42,
    "char": 65,
    "short": 4242,
    "int": 42424242,
    "long": long_form(4242424242424242),
    "float": float_form(42.25),
    "double": double_form(42.4242),
    "string": "Hello World",
}

_RANDOM: dict[str, Callable[[SplitMix64], Form]] = {
    "boolean": lambda generator: generator.next() & 1 == 1,
    "byte": lambda generator: generator.next() >> 56,
    "char": lambda generator: 65 + generator.draw(26),
    "short": lambda generator: _signed(generator.next() >> 48, 16),
    "int": lambda generator: _signed(generator.next() >> 32, 32),
    "long": lambda generator: long_form(_signed(generator.next(), 64)),
    "float": lambda generator: float_form(generator.draw(1 << 24) / 256),
    "double": lambda generator: double_form((generator.next() >> 11) * 2.0**-53),
    "string": lambda generator: _letters(generator, 8),
    "object": lambda generator: person(generator.draw(256)),
}

TYPES = frozenset(_RANDOM)
"""The types that Send has, each also as an array."""


def string(content: str, count: int, seed: int) -> str:
    """Return a string of `count` characters, for EchoString and a scalar Send."""
    if content == "fixed":
        return "A" * count
    if content == "random":
        return _many_letters(seed, count) if count >= _MANY else _letters(SplitMix64(seed), count)
    return "".join(chr(k + 0x20 if k < 55264 else k - 55264 + 0xE000) for k in draws(seed, count, 63454).tolist())


def element(kind: str, content: str, seed: int) -> Form:
    """Return the scalar value of a type other than string."""
    return elements(kind, content, 1, seed)[0]


def elements(kind: str, content: str, count: int, seed: int) -> list[Form]:
    """Return the elements of an array, `fixed` or `random`; `bmp` only for char."""
    if content == "fixed":
        return [person(42) if kind == "object" else _FIXED[kind]] * count
    if content == "bmp":
        return [ord(character) for character in string("bmp", count, seed)]
    if kind == "byte" and count >= _MANY:
        return list((words(seed, count) >> 56).tolist())
    generator = SplitMix64(seed)
    return [_RANDOM[kind](generator) for _ in range(count)]
