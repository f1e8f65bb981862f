"""Files that are generated from the types of journal lines: `python tests/records/line_documents.py` writes them."""

import json
import pkgutil
import re
import types
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from callbench.store import lines as rooms
from callbench.store.lines.of_kind import LineTypes
from callbench.store.typed import Allowed, AtLeast, OneOf, Rows

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "src/callbench/store/journal.schema.json"
PAGE = ROOT / "docs/reference/journal-lines.md"
Form = Any
_HEAD = """# Journal lines

The members of each line of `journal.jsonl`, written from the types by which Callbench writes and reads them.
[The run folder](run-folder.md) says what the lines are for, with examples. A line may have further members.

The same as a JSON schema is `src/callbench/store/journal.schema.json`.
Its `$defs` have a definition for each kind of record.

"""


def lines_by_record() -> dict[str, LineTypes[Any]]:
    """The lines of each kind of record: a module is named after it. A run, which has most of them, is first."""
    names = sorted((module.name for module in pkgutil.iter_modules(rooms.__path__)), key=lambda name: name != "run")
    modules = {name: vars(import_module(f"{rooms.__name__}.{name}")).values() for name in names}
    return {name: value for name, values in modules.items() for value in values if isinstance(value, LineTypes)}


RECORDS = lines_by_record()


def files() -> dict[Path, str]:
    """Every such file, as it has to be."""
    return {SCHEMA: schema(), PAGE: page()}


def members(of: Form) -> dict[str, Form]:
    """The members of a typed dictionary with their types, its kind first."""
    hints = get_type_hints(of, include_extras=True)
    return {name: hints[name] for name in sorted(hints, key=lambda name: name != "kind")}


def bare(hint: Form) -> Form:
    """A type without what stands around it and says nothing of its form."""
    origin: Form = get_origin(hint)
    return bare(get_args(hint)[0]) if origin in {Annotated, NotRequired, Required} else hint


def parts(hint: Form) -> Iterator[Form]:
    """The typed dictionaries that a type is made of, without theirs."""
    hint = bare(hint)
    origin: Form = get_origin(hint)
    if is_typeddict(hint):
        yield hint
    elif origin is not Literal:
        for part in get_args(hint):
            yield from parts(part)


def reached(of: Form) -> dict[str, Form]:
    """A typed dictionary and all that it has, by their names, in the order in which a reader meets them."""
    found = {of.__name__: of}
    for hint in members(of).values():
        for part in parts(hint):
            found |= {name: inner for name, inner in reached(part).items() if name not in found}
    return found


def about(of: Form) -> str:
    """What its docstring says, in one piece, with JSON's own word for nothing."""
    return re.sub(r"\bNone\b", "null", " ".join(of.__doc__.split()))


def schema() -> str:
    """Write the JSON schema: a definition for each kind of record, and for each type."""
    every: dict[str, Form] = {}
    records: dict[str, Form] = {}
    for record, lines in RECORDS.items():
        own = list(dict.fromkeys(lines.types.values()))
        records[record] = {"oneOf": [{"$ref": f"#/$defs/{line.__name__}"} for line in own]}
        for line in own:
            every |= reached(line)
    definitions = records | {name: _object(of) for name, of in sorted(every.items())}
    rows = ",\n".join(f'  "{name}": {json.dumps(of, ensure_ascii=False)}' for name, of in definitions.items())
    head = (
        ' "$schema": "https://json-schema.org/draft/2020-12/schema",\n'
        ' "title": "Lines of journal.jsonl, by the kind of the record",\n'
    )
    return f'{{\n{head} "$defs": {{\n{rows}\n }}\n}}\n'


def _object(of: Form) -> Form:
    return {
        "description": about(of),
        "type": "object",
        "required": [name for name in members(of) if name in of.__required_keys__],
        "properties": {name: described(hint) for name, hint in members(of).items()},
    }


def demanded(hint: Form) -> Allowed | None:
    """What stands beside a type."""
    origin: Form = get_origin(hint)
    if origin is NotRequired or origin is Required:
        return demanded(get_args(hint)[0])
    beside = get_args(hint)[1:] if origin is Annotated else ()
    return next((each for each in beside if isinstance(each, AtLeast | OneOf | Rows)), None)


def described(hint: Form) -> Form:
    """A type as JSON schema has it."""
    demand = demanded(hint)
    return {**_bare_described(bare(hint)), **(demand.schema if demand else {})}


def _bare_described(hint: Form) -> Form:
    if is_typeddict(hint):
        return {"$ref": f"#/$defs/{hint.__name__}"}
    if hint in _PLAIN:
        return _PLAIN[hint]
    return _SCHEMAS.get(get_origin(hint), _of_mapping)(get_args(hint))


def _of_mapping(inner: tuple[Form, ...]) -> Form:
    return {"type": "object", "additionalProperties": described(inner[1])}


def _of_union(inner: tuple[Form, ...]) -> Form:
    return {"anyOf": [described(part) for part in inner]}


def _of_tuple(inner: tuple[Form, ...]) -> Form:
    each = [described(part) for part in inner]
    return {"type": "array", "prefixItems": each, "minItems": len(each), "maxItems": len(each)}


_PLAIN: Mapping[Form, Form] = {
    Any: {},
    object: {},
    type(None): {"type": "null"},
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
}
_SCHEMAS: Mapping[Form, Callable[[tuple[Form, ...]], Form]] = {
    Union: _of_union,
    types.UnionType: _of_union,
    Literal: lambda inner: {"enum": list(inner)},
    tuple: _of_tuple,
    list: lambda inner: {"type": "array", "items": described(inner[0])},
}


def page() -> str:
    """Write the reference page."""
    text, shown = [_HEAD], set[str]()
    for record, lines in RECORDS.items():
        text.append(f"## Lines of a {record}\n\n" if record != "overload" else "## Lines of an overload\n\n")
        for line in dict.fromkeys(lines.types.values()):
            for name, of in reached(line).items():
                if name not in shown:
                    text.append(_section(name, of))
                    shown.add(name)
    return "".join(text)


def _section(name: str, of: Form) -> str:
    rows = "".join(
        f"| `{member}` | {in_words(hint)}{'' if member in of.__required_keys__ else '; can be missing'} |\n"
        for member, hint in members(of).items()
    )
    return f"### {name}\n\n{about(of)}\n\n| member | type |\n|---|---|\n{rows}\n"


def in_words(hint: Form) -> str:
    """A type in words, with links to the types that stand on the page."""
    demand = demanded(hint)
    words = _bare_words(bare(hint))
    return f"{words} {demand.words}" if demand else words


def _bare_words(hint: Form) -> str:
    if is_typeddict(hint):
        return f"[{hint.__name__}](#{hint.__name__.lower()})"
    if hint in _WORDS:
        return _WORDS[hint]
    return _COMPOUND.get(get_origin(hint), _by_name)(get_args(hint))


def _by_name(inner: tuple[Form, ...]) -> str:
    return "object" if bare(inner[1]) in {Any, object} else f"object: by name, {in_words(inner[1])}"


def _alternatives(inner: tuple[Form, ...]) -> str:
    return " or ".join(in_words(part) for part in inner)


_WORDS: Mapping[Form, str] = {
    Any: "any",
    object: "any",
    type(None): "null",
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
}
_COMPOUND: Mapping[Form, Callable[[tuple[Form, ...]], str]] = {
    Union: _alternatives,
    types.UnionType: _alternatives,
    Literal: lambda inner: " or ".join(f"`{json.dumps(value)}`" for value in inner),
    tuple: lambda inner: f"[{', '.join(in_words(part) for part in inner)}]",
    list: lambda inner: f"list of {in_words(inner[0])}",
}


if __name__ == "__main__":
    for file, content in files().items():
        file.write_text(content)
