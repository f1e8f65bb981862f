"""YAML as JSON: plain scalars as YAML 1.2 has them, merge keys as 1.1 does, and no key twice.

Two readings of YAML differ in what they make of a key that is written twice, of `no`, of a date and of `0123`. Here the
first is refused, and the others are texts.
"""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from callbench.catalog.user_json import not_held
from callbench.model.errors import BadInput

MOST_MERGED = 2_000_000
"""Entries that merge keys may copy."""
_MERGE = "tag:yaml.org,2002:merge"
_SHOWN = 200


class _Loader(yaml.CSafeLoader):
    """The plain scalars of YAML 1.2, and `<<`."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("merge", r"<<", "<"),
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    # `0123` is 123 in YAML 1.2 and 83 in 1.1, so it is a text.
    ("int", r"[-+]?(?:0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        "-+.0123456789",
    ),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), list(_first))


def _integer(loader: _Loader, node: yaml.ScalarNode) -> int:
    written = str(loader.construct_scalar(node))
    return int(written, 0) if written[:2] in {"0o", "0x"} else int(written)


def _number(loader: _Loader, node: yaml.ScalarNode) -> float:
    written = str(loader.construct_scalar(node))
    reason = not_held(written.replace(".", "") if written.lstrip("-+.").isalpha() else written)
    if reason:
        why = f"{written:.40} {reason}; use a number, or write it as text"
        raise yaml.constructor.ConstructorError(None, None, why, node.start_mark)
    return float(written)


_Loader.add_constructor("tag:yaml.org,2002:int", _integer)
_Loader.add_constructor("tag:yaml.org,2002:float", _number)


def parsed(name: str, written: str) -> Any:  # noqa: ANN401 - it is what nobody has checked yet
    """The value of a document. Its keys are texts; what an alias repeats is one object in memory.

    Raises:
        BadInput: it is no YAML, has a key twice, or holds what JSON cannot.
        RecursionError: it is nested too deeply.
    """
    try:
        loader = _Loader(written)
        try:
            root = loader.get_single_node()
            if root is None:
                return None
            _Mappings(loader, name).settle(root)
            return loader.construct_document(root)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise BadInput(f"{_at(name, mark)}: {_said(error)}") from None
    except (yaml.YAMLError, ValueError, TypeError) as error:
        raise BadInput(f"{name}: it is neither JSON nor YAML: {one_line(error)}") from None


def one_line(error: object) -> str:
    """A message on one line."""
    return " ".join(str(error).split())[:_SHOWN]


def _said(error: yaml.MarkedYAMLError) -> str:
    problem = one_line(error.problem or error.context)
    if problem == "but found another document":
        return "a second document begins here; put each into a file of its own"
    if "; " in problem:
        return problem  # it is one of ours
    return f"it is neither JSON nor YAML: {problem}"


def _at(name: str, mark: Any) -> str:  # noqa: ANN401 - the library has two kinds of marks
    return f"{name}, line {mark.line + 1}, column {mark.column + 1}" if mark else name


class _Mappings:
    """Makes the keys of all mappings texts, refuses those that are there twice, and merges what `<<` names."""

    def __init__(self, loader: _Loader, name: str) -> None:
        self._loader = loader
        self._name = name
        self._settled: dict[int, yaml.MappingNode] = {}
        self._open: set[int] = set()
        self._merged = 0

    def settle(self, root: yaml.Node) -> None:
        """Settles every mapping below a node."""
        seen: set[int] = set()
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if id(node) in seen or isinstance(node, yaml.ScalarNode):
                continue
            seen.add(id(node))
            if isinstance(node, yaml.MappingNode):
                self._settle(node)
                waiting += [value for _, value in node.value]
            else:
                waiting += node.value

    def _settle(self, node: yaml.MappingNode) -> None:
        """Gives a mapping its final entries: those that are merged first, and its own in their place or behind."""
        if id(node) in self._settled:
            return
        if id(node) in self._open:
            raise BadInput(f"{_at(self._name, node.start_mark)}: `<<` merges a mapping into itself; take it out")
        self._open.add(id(node))
        own: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        merged: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        merging = False
        for key, value in node.value:
            if key.tag == _MERGE:
                if merging:
                    raise self._twice(key, "<<", "give one `<<` a list")
                merging = True
                for entry in self._from(value):
                    merged.setdefault(entry[0].value, entry)
                continue
            text = self._text(key)
            if text in own:
                raise self._twice(key, text, "take one of them out")
            own[text] = (yaml.ScalarNode("tag:yaml.org,2002:str", text, key.start_mark, key.end_mark), value)
        node.value = list({**merged, **own}.values())
        self._open.discard(id(node))
        self._settled[id(node)] = node

    def _from(self, value: yaml.Node) -> Iterator[tuple[Any, yaml.Node]]:
        """The entries that a merge key brings. Of a list, the first mapping that has a key counts."""
        parts = value.value if isinstance(value, yaml.SequenceNode) else [value]
        for part in parts:
            if not isinstance(part, yaml.MappingNode):
                raise BadInput(f"{_at(self._name, part.start_mark)}: `<<` merges mappings, and this is none; mend it")
            self._settle(part)
            self._merged += len(part.value)
            if self._merged > MOST_MERGED:
                raise BadInput(f"{self._name}: merge keys copy more than {MOST_MERGED:,} entries; write less")
            yield from part.value

    def _text(self, key: yaml.Node) -> str:
        """A key as JSON has it: `200:` becomes `"200"`."""
        value = self._loader.construct_object(key, deep=True) if isinstance(key, yaml.ScalarNode) else None
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str | int | float):
            return str(value)
        raise BadInput(f"{_at(self._name, key.start_mark)}: the key is no text; use text")

    def _twice(self, key: yaml.Node, text: str, remedy: str) -> BadInput:
        return BadInput(
            f"{_at(self._name, key.start_mark)}: the key {text!r:.60} occurs twice in one mapping; {remedy}"
        )
