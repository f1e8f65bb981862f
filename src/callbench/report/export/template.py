"""What the templates of all pages share: how they are loaded, and how they write values, times and the environment."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from callbench.report.text.section import Sheet

# HTML's rules end these elements where the next begins, or what they stand in ends.
_ENDS = re.compile(r"</(?:td|th|tr|li|dt|dd)>\s*")
# Of a value without a space, and of a text, quotes need not be written.
_QUOTED = re.compile(r'="([^\s"\'=<>`]+)"(?=[\s>])')
_TEXT = re.compile(r">[^<]+")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*[a-z0-9]")
# Characters of a value with its interval, and of a word beside values.
_LONGEST_VALUE, _SHORT = 36, 12


def render(template_: Template, values: Mapping[str, object]) -> str:
    """Fill a template of a page, with the heads of its tables in its style. A query is written once."""
    heads = Heads()
    page_ = str(template_.render(**values, heads=heads, sources={}))
    page_ = _QUOTED.sub(r"=\1", _ENDS.sub("", page_.replace(MARK, heads.style(), 1)))
    return _TEXT.sub(lambda text: text[0].replace("&#34;", '"').replace("&#39;", "'"), page_)


def environment() -> Environment:
    """Make what loads templates: everything is escaped unless it was drawn by us."""
    made = Environment(
        loader=PackageLoader("callbench.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["unbroken"] = _unbroken
    made.filters["breakable"] = _breakable
    made.filters["whole_options"] = _whole_options
    made.filters["is_value"] = _is_value
    made.filters["left_columns"] = left_columns
    made.globals["style"] = Markup(_style())  # noqa: S704 - our own file
    return made


@cache
def template(name: str) -> Template:
    """Load a template that writes plain values alone."""
    return environment().get_template(name)


def _unbroken(text: str) -> str:
    """Keep a spread on one line: `± 4 %`."""
    for part in ("± ", "×÷ ", " %"):
        text = text.replace(part, part.replace(" ", "\N{NO-BREAK SPACE}"))
    return text


def _breakable(text: str) -> Markup:
    """Let the name of a stack go on in the next line after its message: `native/msgpack+shm-spin`."""
    return escape(_unbroken(text)).replace("+", Markup("+<wbr>"))


def _whole_options(text: str) -> Markup:
    """Keep the name of an option in one line: a browser would break `--any-host` after each of its dashes."""
    return Markup(_OPTION.sub(r'<span class="option">\g<0></span>', str(escape(text))))  # noqa: S704 - escaped above


def _is_value(text: str) -> bool:
    """Return whether a text is a value with its unit or interval, which stands in one line, and not words."""
    return len(text) < _LONGEST_VALUE and (not text or any(map(str.isdigit, text)) or len(text) < _SHORT)


def left_columns(sheet: Sheet) -> list[int]:
    """Return the places of the columns that stand to the left with their heads: those of words alone.

    Where the rows are unlike things, all do: a column with some to the left and some to the right is hard to read.
    """
    places = range(1, len(sheet.columns))
    texts = {place: [row[place] for row in sheet.rows if row[place]] for place in places}
    return [place for place in places if sheet.unlike or (texts[place] and not any(map(_is_value, texts[place])))]


def _style() -> str:
    """Read the style of the page."""
    loader = PackageLoader("callbench.report", "templates")
    return loader.get_source(Environment(autoescape=True), "page.css")[0]


def when(stamp: str) -> str:
    """Write a UTC stamp for people: `2026-11-21 03:00 UTC`."""
    return stamp[:16].replace("T", " ") + " UTC"


def flat(tree: Mapping[str, object], above: str = "") -> Iterator[tuple[str, str]]:
    """Write the environment as lines: a name and what was found. Other machines have a table of their own."""
    for key, value in tree.items():
        if key == "hosts" and not above:
            continue
        name = f"{above}{str(key).replace('_', ' ')}"
        if isinstance(value, Mapping):
            yield from flat(value, f"{name} · ")
        elif isinstance(value, Sequence) and not isinstance(value, str):
            yield name, ", ".join(_value(name, item) for item in value) or "none"
        else:
            yield name.removesuffix(" bytes"), _value(name, value)


def _value(name: str, value: object) -> str:
    """Write one found value for people."""
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and name.endswith(" bytes"):
        return f"{value / 2**30:.1f} GiB"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


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
