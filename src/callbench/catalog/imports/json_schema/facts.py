"""What a node says of a value, in one place: `$ref` followed, `allOf` joined, choices merged."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from callbench.catalog.imports.json_schema.children import Children
from callbench.catalog.imports.json_schema.limits import disregarded, limits_of
from callbench.catalog.imports.json_schema.node import AnyOf, Node, SchemaPart, node
from callbench.catalog.imports.json_schema.references import References
from callbench.catalog.imports.losses import BESIDE_REFERENCE, Losses
from callbench.model.errors import BadInput
from callbench.model.service.limits import NO_LIMITS, Limits

TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
# Words that say something of the value. A schema without any of them is only a name for another one.
_CONSTRAINTS = {
    *("type", "enum", "const", "format", "contentEncoding", "properties", "required", "additionalProperties"),
    *("patternProperties", "items", "prefixItems", "oneOf", "anyOf", "minimum", "maximum"),
    *("exclusiveMinimum", "exclusiveMaximum", "unevaluatedProperties", "if", "dependentSchemas", "dependencies"),
}
# What may stand beside a reference without saying anything of the value.
_TELLING = {"$ref", "title", "summary", "description", "example", "examples", "deprecated", "externalDocs", "$comment"}
_OF_OBJECTS = {"properties", "required", "additionalProperties", "patternProperties", "minProperties"}
_OF_ARRAYS = {"items", "prefixItems", "minItems", "maxItems", "uniqueItems"}
_OF_TEXTS = {"pattern", "minLength", "maxLength", "contentEncoding"}
_OF_NUMBERS = {"minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"}


@dataclass(frozen=True)
class Facts:
    """What is known of a value.

    Attributes:
        key: equal for nodes that are one type.
        name: what the document calls it, or empty.
        place: where it stands.
        types: the types it may have, `null` apart; none if any.
        null: whether null is allowed: none if nothing was said of types.
        enum: the values that are allowed, if they are listed.
        forms: how many different objects a choice allows.
        limits: of its size and its range.
        ignored: words that say something which is not kept.
    """

    key: tuple[Any, ...]
    place: str
    name: str = ""
    types: frozenset[str] | None = None
    null: bool | None = None
    properties: dict[str, Node] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    additional: Node | None = None
    closed: bool = False
    items: Node | None = None
    enum: tuple[Any, ...] | None = None
    format: str = ""
    encoding: str = ""
    least: float | None = None
    greatest: float | None = None
    forms: int = 1
    limits: Limits = NO_LIMITS
    ignored: frozenset[str] = frozenset()


class Reader:
    """Reads facts of nodes."""

    def __init__(self, references: References, losses: Losses) -> None:
        """Nothing is read yet. What is lost while references are followed is added to `losses`."""
        self._losses = losses
        self._references = references
        self._children = Children(references)
        self._known: dict[tuple[Any, ...], Facts] = {}
        self._open: set[tuple[Any, ...]] = set()
        self._made: dict[int, dict[str, object]] = {}
        self._kept: list[Node] = []
        """Keys are the addresses of objects: what has one must live on."""

    def facts(self, of: Node) -> Facts:
        """What a node says.

        Raises:
            BadInput: a reference names itself or nothing, or a word has a value of a wrong kind.
        """
        key = of.key
        if key not in self._known:
            self._kept.append(of)
            self._open.add(key)
            try:
                self._known[key] = self._read(of)
            finally:
                self._open.discard(key)
        return self._known[key]

    def _read(self, of: Node) -> Facts:
        parts: dict[Any, SchemaPart | AnyOf] = {}
        for part in of.parts:
            self._expand(part, parts, ())
        saying = [part for part in parts.values() if isinstance(part, AnyOf) or _has_constraints(part.schema)]
        key = Node(tuple(saying)).key or ("anything",)
        result = Facts(key=key, place=of.place, name=_name(parts.values(), saying))
        for part in parts.values():
            if isinstance(part, SchemaPart):
                result = _both(result, _own(part))
        for part in parts.values():
            if isinstance(part, AnyOf):
                result = self._choice(result, part)
        return result

    def _expand(self, part: SchemaPart | AnyOf, parts: dict[Any, SchemaPart | AnyOf], path: tuple[int, ...]) -> None:
        """Adds a part, and what it refers to."""
        if isinstance(part, AnyOf):
            parts[Node((part,)).key] = part
            return
        if id(part.schema) in path:
            if _has_constraints(part.schema):
                return  # `allOf` with itself adds nothing
            raise BadInput(f"{part.place} refers to itself without saying anything; mend the reference")
        if not isinstance(part.schema, dict | bool):
            raise BadInput(f"{part.place}: a schema is an object or a boolean, not {part.schema!r:.40}")
        if isinstance(part.schema, dict) and id(part.schema) not in parts:
            path = (*path, id(part.schema))
            if self._references.alone and isinstance(part.schema.get("$ref"), str):
                if any(word not in _TELLING and not word.startswith("x-") for word in part.schema):
                    self._losses.add(part.place, BESIDE_REFERENCE)
                self._expand(self._references.target(part, part.schema["$ref"]), parts, path)
            else:
                parts[id(part.schema)] = part
                self._expand_inner(part, parts, path)

    def _expand_inner(self, part: SchemaPart, parts: dict[Any, SchemaPart | AnyOf], path: tuple[int, ...]) -> None:
        """Adds what a part refers to, and what it is joined of."""
        for word in ("$ref", "$dynamicRef", "$recursiveRef"):
            if word in part.schema:
                self._expand(self._references.target(part, _text(part, word)), parts, path)
        for further in (*self._elsewhere(part), *_list(part, "allOf")):
            self._expand(further, parts, path)
        for choice in self._choices(part, path):
            self._expand(choice.options[0].parts[0] if len(choice.options) == 1 else choice, parts, path)

    def _choices(self, part: SchemaPart, path: tuple[int, ...]) -> Iterable[AnyOf]:
        """The choices of a part, and its children if it has a discriminator.

        A child that holds its parent by `allOf` is what was chosen already: the choice says nothing more of it.
        """
        choices = list(_choices(part))
        children = self._children.of(part)
        if children and not any(word in part.schema for word in ("oneOf", "anyOf")):
            nothing = SchemaPart(True, part.resolver, part.place)
            choices.append(AnyOf((*(node(child) for child in children), node(nothing))))
        for choice in choices:
            options = (inner for option in choice.options for inner in option.parts if isinstance(inner, SchemaPart))
            if not any(id(self._children.followed(option).schema) in path[:-1] for option in options):
                yield choice

    def _elsewhere(self, part: SchemaPart) -> Iterable[SchemaPart]:
        """Properties that stand elsewhere: `properties` with a `$ref`, which is not allowed but common."""
        declared = part.schema.get("properties")
        if isinstance(declared, dict) and isinstance(declared.get("$ref"), str):
            target = self._references.target(part.below("properties"), declared["$ref"])
            made = self._made.setdefault(id(declared), {"properties": target.schema})
            yield SchemaPart(made, target.resolver, target.place)

    def _choice(self, base: Facts, choice: AnyOf) -> Facts:
        """What holds if one of the options does."""
        options = []
        for option in choice.options:
            if option.key in self._open:
                continue  # a choice that may be itself adds nothing
            options.append(self.facts(option))
        declared = list({option.key: option for option in options if option.types != frozenset()}.values())
        null = any(option.null for option in options if option.null is not None) or any(
            option.types == frozenset() for option in options
        )
        if not declared:
            return replace(base, null=True if null and options else base.null)
        merged = declared[0]
        for further in declared[1:]:
            merged = _either(merged, further)
        forms = [option for option in declared if option.properties or option.required]
        joined = _both(base, replace(merged, null=null or merged.null))
        if len(declared) == 1 and not _describes_values(base):
            joined = replace(joined, key=declared[0].key, name=base.name or declared[0].name)
        return replace(joined, forms=max(base.forms, len(forms), merged.forms))


def _name(parts: Iterable[SchemaPart | AnyOf], saying: Sequence[SchemaPart | AnyOf]) -> str:
    """The name of a node: the one it is referred to by, and through aliases the last of them."""
    if len(saying) == 1 and isinstance(saying[0], SchemaPart) and saying[0].name:
        return saying[0].name
    for part in parts:
        if isinstance(part, AnyOf) or part.name:
            return part.name if isinstance(part, SchemaPart) else ""
        if _has_constraints(part.schema) or len(_listed(part.schema.get("allOf"))) > 1:
            return ""
    return ""


def _has_constraints(schema: Any) -> bool:  # noqa: ANN401
    return isinstance(schema, dict) and not _CONSTRAINTS.isdisjoint(schema)


def _describes_values(base: Facts) -> bool:
    return bool(base.properties or base.enum or base.items or base.types)


def _text(part: SchemaPart, word: str) -> str:
    value = part.schema[word]
    if not isinstance(value, str):
        raise BadInput(f"{part.place}: {word} must be text; mend it")
    return value


def _list(part: SchemaPart, word: str) -> list[SchemaPart]:
    value = part.schema.get(word, [])
    if not isinstance(value, list):
        raise BadInput(f"{part.place}: {word} must be a list; mend it")
    return [part.below(word, index) for index in range(len(value))]


def _table(part: SchemaPart, word: str) -> dict[str, SchemaPart]:
    value = part.schema.get(word, {})
    if not isinstance(value, dict):
        raise BadInput(f"{part.place}: {word} must be an object; mend it")
    return {key: part.below(word, key) for key, inner in value.items() if key != "$ref" or not isinstance(inner, str)}


def _choices(part: SchemaPart) -> Iterable[AnyOf]:
    """The choices of a part. What a condition adds may be there or not."""
    for word in ("oneOf", "anyOf"):
        options = _list(part, word)
        if options:
            yield AnyOf(tuple(node(option) for option in options))
    nothing = SchemaPart(True, part.resolver, part.place)
    for branch in [part.below(word) for word in ("then", "else") if word in part.schema and "if" in part.schema]:
        yield AnyOf((node(branch), node(nothing)))
    for word in ("dependentSchemas", "dependencies"):
        for branch in _table(part, word).values():
            if isinstance(branch.schema, dict):
                yield AnyOf((node(branch), node(nothing)))


def _own(part: SchemaPart) -> Facts:
    """What one object of a schema says by itself."""
    schema: dict[str, Any] = part.schema
    types, null = _types(part)
    items = [*_list(part, "prefixItems"), *(_list(part, "items") if isinstance(schema.get("items"), list) else [])]
    for word in ("items", "additionalItems"):
        if isinstance(schema.get(word), dict) and (word == "items" or items):
            items.append(part.below(word))
    additional = [part.below(word) for word in ("additionalProperties", "unevaluatedProperties") if word in schema]
    patterns = list(_table(part, "patternProperties").values())
    others = [*patterns, *(extra for extra in additional if isinstance(extra.schema, dict))]
    required = schema.get("required", [])
    enum = [schema["const"]] if "const" in schema else schema.get("enum")
    if enum is not None and not isinstance(enum, list):
        raise BadInput(f"{part.place}: enum must be a list; mend it")
    if enum and all(value is None for value in enum):
        types, null, enum = frozenset(), True, None
    return Facts(
        key=(),
        place=part.place,
        types=types,
        null=null,
        properties={
            name: node(member) for name, member in _table(part, "properties").items() if member.schema is not False
        },
        required=frozenset(name for name in required if isinstance(name, str))
        if isinstance(required, list)
        else frozenset(),
        additional=_any_of(others),
        closed=any(extra.schema is False for extra in additional) and not patterns,
        items=_any_of(items),
        enum=tuple(enum) if enum is not None else None,
        format=schema["format"] if isinstance(schema.get("format"), str) else "",
        encoding=schema["contentEncoding"] if isinstance(schema.get("contentEncoding"), str) else "",
        least=_number(schema.get("minimum")),
        greatest=_number(schema.get("maximum")),
        limits=limits_of(schema),
        ignored=disregarded(schema),
    )


def _listed(value: Any) -> list[Any]:  # noqa: ANN401
    return value if isinstance(value, list) else []


def _any_of(parts: Sequence[SchemaPart]) -> Node | None:
    if len(parts) < 2:
        return node(parts[0]) if parts else None
    return node(AnyOf(tuple(node(part) for part in parts)))


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _types(part: SchemaPart) -> tuple[frozenset[str] | None, bool | None]:
    schema = part.schema
    declared = schema.get("type")
    nullable = schema.get("nullable") is True or schema.get("x-nullable") is True
    if declared is None:
        if _OF_OBJECTS & set(schema):
            return frozenset({"object"}), nullable or None
        for words, kind in ((_OF_ARRAYS, "array"), (_OF_TEXTS, "string"), (_OF_NUMBERS, "number")):
            if words & set(schema) and "enum" not in schema:
                return frozenset({kind}), nullable or None
        return None, nullable or None
    types = (
        frozenset(declared)
        if isinstance(declared, list) and all(isinstance(name, str) for name in declared)
        else frozenset({declared})
        if isinstance(declared, str)
        else None
    )
    if types is None or not types <= TYPES:
        raise BadInput(f"{part.place}: there is no type {declared!r:.40}; use one of {', '.join(sorted(TYPES))}")
    return types - {"null"}, nullable or "null" in types


def _both(one: Facts, other: Facts) -> Facts:
    """What is known if both hold."""
    return replace(
        one,
        types=_narrower(one.types, other.types),
        null=other.null if one.null is None else (one.null or bool(other.null)),
        properties={
            **one.properties,
            **{name: _joined(one.properties.get(name), of) for name, of in other.properties.items()},
        },
        required=one.required | other.required,
        additional=_joined(one.additional, other.additional) if other.additional else one.additional,
        closed=one.closed or other.closed,
        items=_joined(one.items, other.items) if other.items else one.items,
        enum=other.enum
        if one.enum is None
        else one.enum
        if other.enum is None
        else tuple(value for value in one.enum if value in other.enum),
        format=one.format or other.format,
        encoding=one.encoding or other.encoding,
        least=max((bound for bound in (one.least, other.least) if bound is not None), default=None),
        greatest=min((bound for bound in (one.greatest, other.greatest) if bound is not None), default=None),
        forms=max(one.forms, other.forms),
        limits=one.limits.both(other.limits),
        ignored=one.ignored | other.ignored,
    )


def _narrower(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    if one is None or other is None:
        return one if other is None else other
    both = one & other
    if {"integer", "number"} <= one | other and not {"integer", "number"} & both:
        both |= {"integer"}
    return both


def _joined(one: Node | None, other: Node | None) -> Node:
    parts = (*(one.parts if one else ()), *(other.parts if other else ()))
    return Node(tuple(dict.fromkeys(parts)))


def _either(one: Facts, other: Facts) -> Facts:
    """What is known if one of them holds."""
    properties = dict(one.properties)
    for name, of in other.properties.items():
        properties[name] = _choice_of(properties[name], of) if name in properties else of
    return replace(
        one,
        types=None if one.types is None or other.types is None else one.types | other.types,
        null=None if one.null is None and other.null is None else bool(one.null or other.null),
        properties=properties,
        required=one.required & other.required,
        additional=_choice_of(one.additional, other.additional) if one.additional or other.additional else None,
        closed=one.closed and other.closed,
        items=_choice_of(one.items, other.items) if one.items or other.items else None,
        enum=(*one.enum, *other.enum) if one.enum is not None and other.enum is not None else None,
        format=one.format if one.format == other.format else "",
        encoding=one.encoding if one.encoding == other.encoding else "",
        least=min(one.least, other.least) if one.least is not None and other.least is not None else None,
        greatest=max(one.greatest, other.greatest) if one.greatest is not None and other.greatest is not None else None,
        forms=max(one.forms, other.forms),
        limits=_of_either(one.limits, other.limits),
        ignored=one.ignored | other.ignored,
    )


def _of_either(one: Limits, other: Limits) -> Limits:
    """A value that keeps to both keeps to one of them; if there is none, to the first."""
    both = one.both(other)
    return one if both.contradict(whole=False) else both


def _choice_of(one: Node | None, other: Node | None) -> Node:
    """A choice of two nodes. Choices within choices are one choice, so that recursion comes to an end."""
    options: dict[tuple[Any, ...], Node] = {}
    for of in (one, other):
        if of is not None:
            only = of.parts[0]
            inner = only.options if isinstance(only, AnyOf) and len(of.parts) == 1 else (of,)
            options |= {option.key: option for option in inner}
    if len(options) == 1:
        return next(iter(options.values()))
    return node(AnyOf(tuple(options.values())))
