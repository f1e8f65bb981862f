"""Which encoding of text each stack uses, told from how its bytes grow with a string."""

from callbench.adapter.service.generate import string
from callbench.analysis.cells.results import Result
from callbench.analysis.run.subject import Subject
from callbench.analysis.wire.accounts import SWEEPS_SQL, Sweep
from callbench.report.text.section import Section, Sheet
from callbench.stats.wire.encodings import fitting, per_character

ABOUT = (
    "Bytes for one more character, as counted, beside the size of the same text in each encoding. A thesis of 2003"
    " counted three bytes per character for 16-bit values. It suspected a UTF-24, which no standard has. In fact, 31"
    " of 32 uniform 16-bit values lie above U+07FF. UTF-8 and Java's modified form write those in three bytes, and the"
    " rest in one or two. For the letters A to Z, the same encoding takes one byte. The thesis called that an"
    " optimisation. UTF-16 takes two bytes in both cases."
)
_CONTENTS = {"fixed": "the letter A", "random": "A to Z", "bmp": "16-bit values"}
# What is generated to count by: enough that another length would give the same values.
_MOST = 100_000


def section(subject: Subject) -> Section | None:
    """Write the section, where strings were swept."""
    swept: dict[str, dict[str, tuple[Sweep, float]]] = {}
    texts: dict[str, dict[str, float]] = {}
    for cell in subject.results.cells:
        sweep = subject.results.sweeps.get(cell.id)
        content = _content(cell)
        if sweep is None or content is None or sweep.over != "count" or not sweep.per_item:
            continue
        texts.setdefault(content, per_character(string(content, min(_longest(sweep), _MOST), _seed(cell))))
        swept.setdefault(cell.attributes["stack"], {})[content] = sweep, sweep.per_item
    if not swept:
        return None
    names = subject.names
    contents = [content for content in _CONTENTS if any(content in by for by in swept.values())]
    rows, found = [], []
    for stack, by in swept.items():
        row, notes = [names.get(stack, stack)], []
        for content in contents:
            if content not in by:
                row += ["", ""]
                continue
            measured = by[content][1]
            fits = fitting(measured, texts[content])
            row += [f"{measured:.4g}", " or ".join(fits) or "none of these"]
            notes.append(set(fits))
        both = [name for name in texts[contents[-1]] if notes and all(name in fits for fits in notes)]
        rows.append([*row, " or ".join(both) or "depends on the text"])
        if len(notes) > 1 and both:
            found.append(f"{row[0]}: {' or '.join(both)} explains every count.")
    columns = ["", *(text for content in contents for text in (_CONTENTS[content], "encoding")), "explains all"]
    note = "Bytes per character: " + "; ".join(
        f"{_CONTENTS[content]}: " + ", ".join(f"{name} {value:.4g}" for name, value in texts[content].items())
        for content in contents
    )
    sheet = Sheet("Bytes per character and matching encodings", columns, rows, note + ".")
    return Section("encodings", "Text encodings", ABOUT, found=found, sheets=[sheet], source=SWEEPS_SQL)


def _content(cell: Result) -> str | None:
    """Name what a cell's strings hold; None if it sends no strings."""
    if cell.attributes["call"] != "Send" or cell.arguments.get("type") != "string":
        return None
    content = cell.arguments.get("content")
    return content if isinstance(content, str) and content in _CONTENTS else None


def _longest(sweep: Sweep) -> int:
    """Return the longest string that was counted."""
    return max(int(value) for value in sweep.values)


def _seed(cell: Result) -> int:
    """Return the seed of a cell's content."""
    return int(str(cell.arguments.get("seed", 1)))
