"""What a path draws, in few characters: each place from the one before, and nothing that SVG can do without."""

import re
from collections.abc import Iterator

# How many numbers a command takes; it is done again with as many more.
_TAKES = {"m": 2, "l": 2, "c": 6, "a": 7, "h": 1, "v": 1, "z": 1}
_COMMAND = re.compile(r"([mlcahvz])([^mlcahvz]*)", re.IGNORECASE)
_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?")
# A space before a sign, beside a letter, or between two numbers with a point each.
_NEEDLESS = re.compile(r" (?=[-a-zA-Z])|(?<=[a-zA-Z]) |(?<=\.\d) (?=\.)")
# A command in small letters, the numbers before its places, and these: x and y in pixels.
_Step = tuple[str, list[str], list[complex]]


def shorter(drawn: str) -> str:
    """Return the same path in tenths of a pixel. Each place is rounded by itself, so that no errors add up.

    Args:
        drawn: lines, curves and arcs.
    """
    words: list[str] = []
    last = ""
    for command, numbers in _from_each_other(drawn):
        # A line goes on without its letter, also where a move from the last place ended.
        if command in "Mmz" or (command != last and (last, command) != ("m", "l")):
            words.append(command)
        words += numbers
        last = command
    return _NEEDLESS.sub("", " ".join(words))


def _from_each_other(drawn: str) -> Iterator[tuple[str, list[str]]]:
    """Return each command with its numbers, counted from where the one before ended; of a move, what is shorter."""
    at = first = 0j
    for command, numbers, places in _steps(drawn):
        ends = [complex(round(place.real, 1), round(place.imag, 1)) for place in places]
        sizes = [_text(size) for end in ends for size in ((end - at).real, (end - at).imag)]
        if command == "m":
            there = [_text(ends[0].real), _text(ends[0].imag)]
            yield ("m", sizes) if len("".join(sizes)) < len("".join(there)) else ("M", there)
            first = ends[0]
        elif command == "l" and "0" in sizes:
            yield ("h", sizes[:1]) if sizes[1] == "0" else ("v", sizes[1:])
        else:
            yield command, [*numbers, *sizes]
        at = ends[-1] if ends else first


def _steps(drawn: str) -> Iterator[_Step]:
    """Return what a path does, each step with the places that it goes to, counted from the picture's corner."""
    at = first = 0j
    for letter, rest in _COMMAND.findall(drawn):
        command, numbers = letter.lower(), _NUMBER.findall(rest)
        for begin in range(0, len(numbers) or 1, _TAKES[command]):
            own, origin = numbers[begin : begin + _TAKES[command]], at if letter.islower() else 0j
            shape, sizes = (own[:5], own[5:]) if command == "a" else ([], own)
            if command == "h":
                places = [complex(origin.real + float(own[0]), at.imag)]
            elif command == "v":
                places = [complex(at.real, origin.imag + float(own[0]))]
            else:
                places = [origin + complex(float(x), float(y)) for x, y in zip(sizes[::2], sizes[1::2], strict=True)]
            at = places[-1] if places else first
            first = at if command == "m" else first
            yield "l" if command in "hv" else command, shape, places


def _text(size: float) -> str:
    """Write a number of pixels with one decimal at most."""
    text = f"{size:.1f}".removesuffix(".0")
    return "0" if text == "-0" else re.sub(r"^(-?)0\.", r"\1.", text)
