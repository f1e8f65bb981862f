"""JSON Schema as messages: what OpenAPI, MCP and plain JSON Schema have in common."""

from collections import deque
from dataclasses import dataclass, replace
from typing import Any

from callbench.catalog.imports import losses as lost
from callbench.catalog.imports.builder import HELD, Builder, ObjectKey, ValueType
from callbench.catalog.imports.json_schema.facts import Facts, Reader
from callbench.catalog.imports.json_schema.limits import NUMBER_FORMATS, WHOLE_FORMATS
from callbench.catalog.imports.json_schema.node import Node
from callbench.catalog.imports.json_schema.references import References
from callbench.catalog.imports.json_schema.scalars import (
    is_beyond,
    is_wider,
    kind_of_number,
    kind_of_text,
    kind_of_values,
)
from callbench.model.service.identifiers import pascal
from callbench.model.service.schema import WHOLE, Enumeration, Kind, Message, Shape

MOST_VALUES = 500
"""Values of an enumeration. A longer list is kept as text."""


@dataclass(frozen=True)
class Key:
    """A key of an object, and what it holds."""

    name: str
    node: Node
    required: bool


class Mapper:
    """Makes messages of nodes. Each node that is an object becomes one message, however often it is referred to."""

    def __init__(self, references: References, *, one_way: bool = False) -> None:
        """Nothing is mapped yet.

        Args:
            references: of the document.
            one_way: whether `readOnly` and `writeOnly` say that a key is in answers or requests alone, as in OpenAPI.
        """
        self._sides = {"readOnly": "answer", "writeOnly": "request"} if one_way else {}
        self._builder = Builder()
        self.losses = self._builder.losses
        self._reader = Reader(references, self.losses)
        self._waiting: deque[tuple[str, Facts]] = deque()
        self._open: dict[Any, str] = {}

    def message(self, of: Node, hint: str) -> str:
        """The name of the message for a node. One that is no object is wrapped in a message.

        Args:
            of: what a request or an answer is.
            hint: the name of the message if the document has none.

        Raises:
            BadInput: the schema is wrong. The sentence names the place.
        """
        typed = self.typed(of, hint)
        if typed.kind is Kind.MESSAGE and typed.shape is Shape.ONE:
            return typed.type_name
        return self._builder.wrapped(("top", self._reader.facts(of).key), typed, hint)

    def compound(self, keys: list[Key], hint: str) -> str:
        """A message that the document has no schema for: the parameters of a call, or nothing at all."""
        name = self._builder.begin(("compound", hint), hint)
        self._fill(name, keys)
        return name

    def types(self) -> tuple[tuple[Message, ...], tuple[Enumeration, ...]]:
        """All messages and enumerations, in the order in which they were met."""
        # Messages wait here for their fields, so that a long chain of them needs no deep stack.
        while self._waiting:
            name, facts = self._waiting.popleft()
            if facts.additional is not None:
                self.losses.add(facts.place, lost.NAMED_AND_OTHER)
            if facts.forms > 1:
                self.losses.add(facts.place, lost.UNION)
            self._fill(name, [Key(key, of, key in facts.required) for key, of in facts.properties.items()], facts)
        return self._builder.types()

    def object_facts(self, of: Node) -> Facts:
        """What is known of a node."""
        return self._reader.facts(of)

    def typed(self, of: Node, hint: str) -> ValueType:
        """The type of a node."""
        facts = self._reader.facts(of)
        if facts.key in self._open:  # a list of lists of itself
            # Met again in another place, it has its name already.
            known = self._open[facts.key] or self._builder.known(("self", facts.key))
            self._open[facts.key] = known or self._builder.take(facts.name or hint)
            return ValueType(Kind.MESSAGE, type_name=self._open[facts.key])
        self._open[facts.key] = ""
        typed = self._typed(facts, hint)
        name = self._open.pop(facts.key)
        if name:
            self._builder.wrapped(("self", facts.key), typed, hint, name)
        return typed

    def _typed(self, facts: Facts, hint: str) -> ValueType:
        if facts.limits.contradict(whole=facts.types == frozenset({"integer"})):
            self.losses.add(facts.place, lost.CONTRADICTION)
        for word in sorted(facts.ignored - self._sides.keys()):
            self.losses.add(facts.place, lost.NOT if word == "not" else lost.disregarded(word))
        if facts.enum is not None:
            return self._listed(facts, hint)
        types = facts.types
        if types is not None and {"integer", "number"} <= types:
            types -= {"integer"}
        if types is None or len(types) != 1:
            return self._any(facts, lost.SEVERAL if types else lost.ANY)
        only = next(iter(types))
        if only == "array":
            return self._list(facts, hint)
        return self._object(facts, hint) if only == "object" else self._scalar(facts, only)

    def _scalar(self, facts: Facts, of: str) -> ValueType:
        kind, form = Kind.BOOL, ""
        if of == "string":
            kind, form = kind_of_text(facts)
            if form in NUMBER_FORMATS:
                self.losses.add(facts.place, lost.disregarded(f"format: {form}"))
        elif of != "boolean":
            # OpenAPI's registry has `int32` and its like as formats of numbers: they are whole.
            whole = of == "integer" or facts.format in WHOLE_FORMATS
            kind, form = kind_of_number(facts, whole=whole)
            if kind in WHOLE and is_beyond(kind, facts.limits):
                self.losses.add(facts.place, lost.BEYOND)
            elif whole and is_wider(facts):
                self.losses.add(facts.place, lost.WIDER)
        self.losses.of_format(facts.place, kind, form)
        if kind in {Kind.INT64, Kind.UINT64}:
            self.losses.add(facts.place, lost.WHOLE)
        return ValueType(kind, format=form, null=bool(facts.null), limits=facts.limits)

    def _any(self, facts: Facts, why: tuple[str, str]) -> ValueType:
        self.losses.add(facts.place, why)
        return ValueType(Kind.JSON, limits=replace(facts.limits, types=facts.types, values=facts.enum))

    def _listed(self, facts: Facts, hint: str) -> ValueType:
        given = facts.enum or ()
        values = [value for value in given if value is not None]
        null = (bool(facts.null) or facts.types is None) and len(values) < len(given)
        kind = kind_of_values(values) if values else None
        if kind is None:
            return self._any(facts, lost.SEVERAL)
        if kind is not Kind.ENUM:
            self.losses.add(facts.place, lost.LISTED)
            return ValueType(kind, null=null, limits=replace(facts.limits, values=tuple(values)))
        names = tuple(dict.fromkeys(values))
        if len(names) > MOST_VALUES:
            self.losses.add(facts.place, (f"More than {MOST_VALUES} texts are listed.", "Every text is allowed."))
            return ValueType(Kind.STRING, null=null, limits=replace(facts.limits, values=names))
        numbered = [(value, number) for number, value in enumerate(names)]
        return replace(self._builder.enumeration((names, facts.key), facts.name or hint, numbered), null=null)

    def _list(self, facts: Facts, hint: str) -> ValueType:
        if facts.items is None:
            self.losses.add(facts.place, lost.ANY)
            return ValueType(Kind.JSON, Shape.MANY, null=bool(facts.null), limits=facts.limits)
        return self._held(facts.items, Shape.MANY, f"{hint}Item", facts)

    def _held(self, of: Node, shape: Shape, hint: str, holder: Facts) -> ValueType:
        inner = self.typed(of, hint)
        if inner.null and inner.kind is not Kind.JSON:
            self.losses.add(of.place, lost.NULL_ITEM)
            # Null is one of the items that are allowed, whatever the others are.
            simple = inner.kind not in {Kind.MESSAGE, Kind.ENUM, Kind.BYTES} and not inner.format
            types = self._reader.facts(of).types if simple and inner.shape is Shape.ONE else frozenset({"null"})
            inner = ValueType(Kind.JSON, limits=replace(inner.limits, types=types))
        held = self._builder.held(inner, shape, self._reader.facts(of).key, hint)
        sizes = (holder.limits.least_size, holder.limits.most_size, holder.limits.unique)
        limits = replace(held.limits, least_size=sizes[0], most_size=sizes[1], unique=sizes[2])
        return replace(held, null=bool(holder.null), limits=limits)

    def _object(self, facts: Facts, hint: str) -> ValueType:
        null = bool(facts.null)
        if not facts.properties and facts.additional is not None:
            if facts.required:
                self.losses.add(facts.place, lost.disregarded("required"))
            return self._held(facts.additional, Shape.MAP, f"{hint}Value", facts)
        if not facts.properties and not facts.closed:
            self.losses.add(facts.place, lost.ANY)
            if facts.required:
                self.losses.add(facts.place, lost.disregarded("required"))
            return ValueType(Kind.JSON, Shape.MAP, null=null, limits=facts.limits)
        name = self._builder.known(("message", facts.key))
        if name is None:
            name = self._builder.begin(("message", facts.key), facts.name or hint)
            self._waiting.append((name, facts))
        return ValueType(Kind.MESSAGE, type_name=name, null=null)

    def _fill(self, name: str, keys: list[Key], facts: Facts | None = None) -> None:
        entries = []
        for key in keys:
            typed = self.typed(key.node, name + pascal(key.name))
            one_way = sorted(self._reader.facts(key.node).ignored & self._sides.keys())
            needed = key.required and not one_way
            for word in one_way:
                self.losses.add(key.node.place, lost.ONE_WAY[word])
                typed = replace(typed, limits=replace(typed.limits, only=self._sides[word]))
            entries.append(ObjectKey(key.name, typed, needed))
            if typed.shape in HELD and typed.null:
                self.losses.add(key.node.place, lost.NULL_LIST)
            elif typed.shape in HELD and not needed:
                self.losses.add(key.node.place, lost.ABSENT_LIST)
            elif typed.null and not needed:
                self.losses.add(key.node.place, lost.NULL_OR_ABSENT)
        if facts is not None:
            # A key that is required, and of which nothing else is said.
            for required in sorted(facts.required - facts.properties.keys()):
                self.losses.add(f"{facts.place}/required ({required})", lost.ANY)
                entries.append(ObjectKey(required, ValueType(Kind.JSON)))
        self._builder.message(name, entries)
