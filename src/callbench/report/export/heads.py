"""The heads of a page's tables for narrow screens, where each value stands in a line of its own behind its head."""

from collections.abc import Sequence

MARK = "/* heads of tables */"
_NARROW = "@media screen and (max-width: 40rem) {{ {} }}"


class Heads:
    """The heads that a page has used: tables with the same heads share them, so that no value repeats its own."""

    def __init__(self) -> None:
        """Begin with none."""
        self._names: dict[tuple[tuple[str, ...], tuple[int, ...]], str] = {}

    def of(self, columns: Sequence[str], words: Sequence[int] = ()) -> str:
        """Return the class of a table.

        Args:
            columns: its heads; the first is that of the rows' names, "" if it has none.
            words: the places of the columns that have words in a table of numbers, counted from 0.
        """
        return self._names.setdefault((tuple(columns), tuple(words)), f"heads-{len(self._names)}")

    def style(self) -> str:
        """Return the rules for every table of the page."""
        used = self._names.items()
        rules = [_rule(name, place, head) for (heads, _), name in used for place, head in enumerate(heads, 1)]
        left = [f".{name} :is(td, thead th):nth-child({place + 1})" for (_, places), name in used for place in places]
        aligned = f"{', '.join(left)} {{ text-align: left; }}\n" if left else ""
        return aligned + _NARROW.format(" ".join(filter(None, rules)))


def _rule(name: str, place: int, head: str) -> str:
    """Write one head before each value of its column."""
    if not head.strip():
        return ""
    element = "th[scope=row]" if place == 1 else f"td:nth-child({place}):not(:empty)"
    return f'.{name} {element}::before {{ content: "{_quoted(head)}: "; }}'


def _quoted(text: str) -> str:
    """Write a text within the quotes of a style: what could end it becomes a number."""
    return "".join(char if char.isalnum() or char in " .,/%()" else f"\\{ord(char):x} " for char in text)
